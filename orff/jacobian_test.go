package orff_test

import (
	"testing"

	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/algebra"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/internal/maptest"
	"github.com/orffvar/forecaster/orff/nystroem"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
	"github.com/orffvar/forecaster/sgd"
)

// Theta of the ridge solution C4.1, row-major.
var fixtureTheta = []float64{
	0.2211349788772778, 0.35125135701166316, 0.29433932605373997, 0.30495554908504485,
	-0.213359572503337, -0.3205985007004207, 0.5092387057491907, -0.933763625607645}

// C8.1: Decomposable: J(x) = B (Θ_s diag(cos Wx) − Θ_c diag(sin Wx)) W/√D.
func TestC8_1_JacobianOfDecomposable(t *testing.T) {
	m := orff.NewDecomposable(orff.FourierOf(maptest.FixtureW, 2), maptest.Must(coupling.FromFactor(2, 2, []float64{1, 0, 0.5, 0.8})))
	y := make([]float64, 2)
	m.PredictTo(y, maptest.Features(m, maptest.FixtureX, 4), fixtureTheta)
	maptest.NearAll(t, "h", y, []float64{0.40156428349964524, 0.01861696897189724}, 1e-14)
	maptest.NearAll(t, "J", maptest.Jacobian(m, maptest.FixtureX, fixtureTheta), []float64{0.10796972050771493, 0.2897605956369995, 0.5213621105826383, -0.14236894212772477}, 1e-14)
}

func TestJacobianIsRefusedWithAReason(t *testing.T) {
	for name, s := range map[string]orff.Scalar{
		"Laplacian":              maptest.Must(orff.NewFourier(spectrum.Laplacian{Gamma: 1}, 2, 3, random.New(1))),
		"Laplacian, phase":       maptest.Must(orff.NewPhase(spectrum.Laplacian{Gamma: 1}, 2, 3, random.New(1))),
		"Matern 1/2":             maptest.Must(orff.NewFourier(spectrum.Matern{Half: 0, Ell: 1}, 2, 3, random.New(1))),
		"sign features":          maptest.Must(orff.NewAngular(2, 3, random.New(1))),
		"Nystroem of Laplacian":  maptest.Must(nystroem.New(spectrum.Laplacian{Gamma: 1}, 2, []float64{1, 2})),
		"Laplacian in a sum":     maptest.Must(algebra.NewScalarSum([]float64{1, 1}, maptest.Must(orff.NewLinear(2, 0)), maptest.Must(orff.NewFourier(spectrum.Laplacian{Gamma: 1}, 2, 3, random.New(1))))),
		"Laplacian in a product": maptest.Must(algebra.NewScalarProduct(maptest.Must(orff.NewLinear(2, 0)), maptest.Must(orff.NewFourier(spectrum.Laplacian{Gamma: 1}, 2, 3, random.New(1))))),
	} {
		if _, err := orff.NewJacobian(orff.NewDecomposable(s, coupling.Identity(2))); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := orff.NewJacobian(foreign{}); err == nil {
		t.Error("a map without derivative was accepted")
	}
}

// foreign is a Map of another package with only the methods of the interface.
type foreign struct{}

func (foreign) Dims() sgd.Dims                                       { return sgd.Dims{In: 1, Out: 1, Features: 1, Params: 1} }
func (foreign) FeaturesTo(phi, x []float64)                          { phi[0] = x[0] }
func (foreign) PredictTo(y, phi, theta []float64)                    { y[0] = phi[0] * theta[0] }
func (foreign) AddGradient(g []float64, a float64, phi, r []float64) { g[0] += a * phi[0] * r[0] }

func TestForeignMaps(t *testing.T) {
	if _, err := algebra.NewSum([]float64{2}, foreign{}); err == nil {
		t.Error("a map that has no weight was given one")
	}
	m := maptest.Must(algebra.NewSum([]float64{1, 1}, foreign{}, orff.NewDecomposable(maptest.Must(orff.NewLinear(1, 0)), coupling.Identity(1))))
	maptest.Adjoint(t, m, []float64{2}, 1)
	k := make([]float64, 1)
	orff.KernelTo(k, m, []float64{1}, []float64{1})
	if k[0] == k[0] {
		t.Errorf("the kernel of a foreign map is %g, want NaN", k[0])
	}
	if err := orff.CheckInput(m, []float64{1}); err != nil {
		t.Error(err)
	}
}
