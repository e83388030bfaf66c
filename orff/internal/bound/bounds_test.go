package bound

import (
	"testing"

	"github.com/orffvar/forecaster/orff/internal/maptest"
)

// TestTail has values by hand. Bounded, with N = 100, eps = .5, U = 1, V = .1: 2 exp(-25/(8 (.1 + .5/6))) = 7.912e-8.
// Unbounded, with V = 1, P = 1: kappa = log(16 sqrt 2) = 3.1192, r = 1 + 3/(.25 log 26)^2 = 5.5218; eps = .5 is below
// 2/kappa = .641, so the tail is r exp(-25/16) = 1.1574; at eps = .7 it is r' exp(-70/(8 kappa)), r' = 1 + 3/(.35 log 36)^2.
// With P = 2, eps = .3 is below 1.5/(kappa + log 2) = .393: (1 + 3/(.15 log 16)^2) exp(-9/12) = 8.6654.
func TestTail(t *testing.T) {
	maptest.Near(t, "bounded", UniformField{P: 1, U: 1, V: .1, Bounded: true}.Tail(.5, 100), 7.912e-8, 1e-11)
	maptest.Near(t, "unbounded, near", UniformField{P: 1, U: 1, V: 1}.Tail(.5, 100), 1.1574, 1e-4)
	maptest.Near(t, "unbounded, two outputs", UniformField{P: 2, U: 1, V: 1}.Tail(.3, 100), 8.6654, 1e-4)
	maptest.Near(t, "unbounded, far", UniformField{P: 1, U: 1, V: 1}.Tail(.7, 100), .1759, 1e-4)
}

// Every bound of a probability equals delta at its number of draws. Ten times the confidence needs ln 10/rate more draws.
func TestTailsAndDrawsAgree(t *testing.T) {
	field := UniformField{D: 3, P: 3, M: 2, U: 3, V: 2, Bounded: true}
	for name, b := range map[string]Inequality{
		"Hoeffding":               Hoeffding(.1, 1, 55),
		"Rahimi and Recht":        RahimiRecht(.1, 5, 2, 4),
		"matrix Bernstein, lags":  BernsteinAtLags(.1, 100, 3, 4, 3),
		"matrix Bernstein, Gram":  BernsteinOfGram(.1, 1000, 20, 2),
		"Kar and Karnick":         MaclaurinOnASet(.1, 3, 1, 2, 3),
		"uniform, vector field":   OnBall{UniformField: field, Eps: .5, Diameter: 2},
		"uniform, unbounded maps": OnBall{UniformField: UniformField{D: 3, P: 3, M: 2, U: 3, V: 2}, Eps: .5, Diameter: 2},
	} {
		for _, delta := range []float64{.3, .05, 1e-4} {
			// The uniform bounds are solved to half a draw of about 1e3.
			maptest.Near(t, name, b.Failure(b.Draws(delta))/delta, 1, 5e-3)
		}
	}
}
