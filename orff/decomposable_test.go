package orff

import (
	"math"
	"testing"

	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/internal/maptest"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
	"gonum.org/v1/gonum/mat"
)

func gammas(t *testing.T) map[string]coupling.Operator {
	t.Helper()
	return map[string]coupling.Operator{
		"identity": coupling.Identity(3),
		"gamma":    maptest.Must(coupling.New(2, maptest.Gamma)),
		"rank one": maptest.Must(coupling.FromFactor(3, 1, []float64{1, -2, 0.5})),
		"wide B":   maptest.Must(coupling.FromFactor(2, 3, []float64{1, 2, 0, -1, 0.5, 1})),
	}
}

func decomposable(out coupling.Operator) *Decomposable {
	return NewDecomposable(maptest.Must(NewFourier(spectrum.Gaussian{Sigma: maptest.Sigma}, 3, 40, random.Block(8, 1))), out)
}

// C2.1: Adjoint: (Φ(x) y)·θ = y·(Φ(x)ᵀ θ).
func TestC2_1_Adjoint(t *testing.T) {
	for name, out := range gammas(t) {
		t.Run(name, func(t *testing.T) { maptest.Adjoint(t, decomposable(out), maptest.X, 21) })
	}
}

// C2.2: Φ(x)ᵀ Φ(z), put together from the two matrix-free methods, is 1/D Σ cos(ω_j·δ) A(ω_j).
func TestC2_2_AssembledKernel(t *testing.T) {
	for name, out := range gammas(t) {
		t.Run(name, func(t *testing.T) {
			m := decomposable(out)
			// (1/D) sum_j cos(omega_j.(x-z)) Gamma.
			f := m.Scalar().(*Fourier)
			var k float64
			w, n := f.Frequencies(), f.Len()/2
			for j := range n {
				k += math.Cos(vec.Dot(w[3*j:3*j+3], maptest.Delta))
			}
			want := maptest.Scaled(out.Gamma(), k/float64(n))
			maptest.NearAll(t, "Phi(x)^T Phi(z)", maptest.Kernel(m, maptest.X, maptest.Z), want, 1e-13)
		})
	}
}

// C2.3: Block Gram matrices are symmetric and positive semidefinite; K~(x, z) = K~(z, x)ᵀ; the
// kernels of the lag are shift-invariant.
func TestC2_3_BlockGram(t *testing.T) {
	for name, out := range gammas(t) {
		t.Run(name, func(t *testing.T) { maptest.BlockGram(t, decomposable(out), 3, true) })
	}
}

// C2.4: B Q for orthogonal Q gives the same kernel and the same ridge predictions.
func TestC2_4_FactorisationDoesNotMatter(t *testing.T) {
	b := []float64{1, 0, 0.5, 0.8}
	c, s := math.Cos(0.7), math.Sin(0.7)
	q := []float64{c, -s, s, c}
	bq := make([]float64, 4)
	for i := range 2 {
		for j := range 2 {
			bq[2*i+j] = b[2*i]*q[j] + b[2*i+1]*q[2+j]
		}
	}
	m1 := decomposable(maptest.Must(coupling.FromFactor(2, 2, b)))
	m2 := decomposable(maptest.Must(coupling.FromFactor(2, 2, bq)))
	m3 := decomposable(maptest.Must(coupling.New(2, maptest.Gamma)))
	x := maptest.Normals(3, 3*12)
	y := maptest.Normals(4, 2*12)
	for i := range 3 {
		at := maptest.Normals(uint64(50+i), 3)
		want := ridge(t, m1, x, y, 0.1, at)
		maptest.NearAll(t, "ridge with BQ", ridge(t, m2, x, y, 0.1, at), want, 1e-11) // a linear system of condition 1e2 in 160 unknowns
		maptest.NearAll(t, "ridge with the eigendecomposition", ridge(t, m3, x, y, 0.1, at), want, 1e-11)
		maptest.NearAll(t, "K~", maptest.Kernel(m2, at, maptest.Z), maptest.Kernel(m1, at, maptest.Z), 1e-13)
	}
}

// ridge fits theta to rows of x and y by the normal equations in features and
// returns the prediction at one point.
func ridge(t *testing.T, m Map, x, y []float64, lambda float64, at []float64) []float64 {
	t.Helper()
	d := m.Dims()
	n := len(x) / d.In
	a := mat.NewDense(d.Params, d.Params, nil)
	c := mat.NewVecDense(d.Params, nil)
	for i := range n {
		phi := mat.NewDense(d.Params, d.Out, maptest.Operator(m, x[i*d.In:(i+1)*d.In]))
		var pp mat.Dense
		pp.Mul(phi, phi.T())
		a.Add(a, &pp)
		var py mat.VecDense
		py.MulVec(phi, mat.NewVecDense(d.Out, y[i*d.Out:(i+1)*d.Out]))
		c.AddVec(c, &py)
	}
	a.Scale(1/float64(n), a)
	c.ScaleVec(1/float64(n), c)
	for i := range d.Params {
		a.Set(i, i, a.At(i, i)+lambda)
	}
	var theta mat.VecDense
	if err := theta.SolveVec(a, c); err != nil {
		t.Fatal(err)
	}
	out := make([]float64, d.Out)
	m.PredictTo(out, maptest.Features(m, at, d.Features), theta.RawVector().Data)
	return out
}

func TestDecomposableLayout(t *testing.T) {
	m := NewDecomposable(FourierOf([]float64{1, 0.5, -0.3, 0.8}, 2), maptest.Must(coupling.FromFactor(2, 2, []float64{1, 0, 0.5, 0.8})))
	// The ridge solution of C4.1; its rows are the rows of Theta.
	theta := []float64{
		0.2211349788772778, 0.35125135701166316, 0.29433932605373997, 0.30495554908504485,
		-0.213359572503337, -0.3205985007004207, 0.5092387057491907, -0.933763625607645}
	y := make([]float64, 2)
	m.PredictTo(y, maptest.Features(m, []float64{0.1, 0.2}, 4), theta)
	maptest.NearAll(t, "h(x_1)", y, []float64{0.4688282791472969, -0.07494642164791936}, 1e-14)
}

// C2.7: Ridge with B = Cᵀ at λ is (T−1)/T times ridge with coded targets at λ (T−1)/T.
//
// One-hot targets with B = C^T at lambda equal (T-1)/T times coded targets
// with Gamma = I at lambda (T-1)/T, as weights and so as predictions of C h.
func TestC2_7_SimplexEquivalence(t *testing.T) {
	const T, n, lambda = 4, 20, 0.2
	f := maptest.Must(NewFourier(spectrum.Gaussian{Sigma: 1}, 3, 5, random.New(1)))
	oneHot := NewDecomposable(f, maptest.Must(coupling.NewSimplex(T)))
	coded := NewDecomposable(f, coupling.Identity(T-1))
	x, c := maptest.Normals(5, 3*n), coupling.Simplex(T)
	y1, y2 := make([]float64, T*n), make([]float64, (T-1)*n)
	r := random.New(3)
	for i := range n {
		class := r.Intn(T)
		y1[i*T+class] = 1
		for j := range T - 1 {
			y2[i*(T-1)+j] = c[j*T+class]
		}
	}
	got := ridge(t, oneHot, x, y1, lambda, maptest.X)
	h := ridge(t, coded, x, y2, lambda*(T-1)/T, maptest.X)
	want := make([]float64, T)
	for j := range T {
		for i, v := range h {
			want[j] += c[i*T+j] * v * (T - 1) / T
		}
	}
	maptest.NearAll(t, "prediction", got, want, 1e-12)
}
