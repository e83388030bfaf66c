package online

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/internal/tools/isatest"
	"github.com/orffvar/forecaster/internal/vec"
)

// Factors of 32 bits give the weights of 64 bits where inputs are hard, and P stays positive
// definite.
func TestFactoredRLSEqualsExact(t *testing.T) { isatest.Each(t, testFactoredRLS) }

func testFactoredRLS(t *testing.T) {
	const m, n = 40, 10_000
	for name, input := range map[string]func(phi []float64, step int){
		"identical columns": func(phi []float64, _ int) {
			copy(phi[m/2:], phi[:m/2])
			vec.Scale(10, phi)
		},
		"nearly identical columns": func(phi []float64, _ int) {
			vec.Scale(1e-6, phi[m/2:])
			vec.Axpy(1, phi[:m/2], phi[m/2:])
			vec.Scale(100, phi)
		},
		"one direction": func(phi []float64, _ int) {
			for i, v := range phi {
				phi[i] = 10 * (phi[0] + 1e-3*v)
			}
		},
		"columns of different scale": func(phi []float64, _ int) {
			for i := range phi {
				phi[i] *= math.Pow(10, float64(i%9-4))
			}
		},
		"constant columns": func(phi []float64, _ int) {
			for i := range m / 2 {
				phi[i] = 10
			}
		},
		"all constant": func(phi []float64, _ int) {
			for i := range phi {
				phi[i] = 10
			}
		},
		"steps": func(phi []float64, step int) {
			for i := range phi {
				if step/1000%2 == 1 {
					phi[i] = 1000 + 1e-3*phi[i]
				}
			}
		},
		"smooth": func(phi []float64, step int) {
			for i := range m / 2 {
				phi[i] = 100*math.Sin(float64(step)/500+.01*float64(i)) + .01*phi[i]
			}
		},
	} {
		for _, beta := range []float64{1, .998} {
			cfg := RLSConfig{Features: m, Outputs: 1, Ridge: 10, Forgetting: beta, MaxLeverage: 1}
			narrow, err := rlsOf(cfg, new(Workspace).covariance)
			if err != nil {
				t.Fatal(err)
			}
			wide := newRLS(t, cfg)
			rng := rand.New(rand.NewPCG(1, 2))
			truth, phi := randomVector(rng, m), make([]float64, m)
			var apart, all float64
			for step := range n {
				for i := range phi {
					phi[i] = rng.NormFloat64()
				}
				input(phi, step)
				y := []float64{vec.Dot(truth, phi) + rng.NormFloat64()}
				a, b := learnPair(narrow, phi, y), learnPair(wide, phi, y)
				apart += (a[0] - b[0]) * (a[0] - b[0])
				all += b[0] * b[0]
			}
			// Were each step to round the gains by 2^-24 in one direction, they would be off by
			// n 2^-24, and the predictions by as much of the errors. Here it is a tenth of that.
			if tol := math.Pow(n*0x1p-24, 2); !(apart <= tol*all) {
				t.Errorf("%s, forgetting %g: squared difference of predictions %.1e of the squared errors", name, beta, apart/all)
			}
			p := vec.NewSym(m)
			narrow.p.CopyTo(p)
			if !vec.NewCholesky(m).Factor(p, 0, 0) {
				t.Errorf("%s, forgetting %g: P is not positive definite", name, beta)
			}
		}
	}
}
