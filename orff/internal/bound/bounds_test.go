package bound

import (
	"testing"

	"github.com/orffvar/forecaster/orff/internal/maptest"
)

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
