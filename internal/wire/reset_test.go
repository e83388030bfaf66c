package wire

import (
	"math"
	"testing"

	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/stream/event"
)

// TestNoModelBeginsAgain: no model has forecasts that are not finite, whatever the values within
// pipeline.max_abs. An engine that meets such forecasts resets the model, as it keeps no earlier
// state.
func TestNoModelBeginsAgain(t *testing.T) {
	for _, m := range models {
		for seed := range uint64(2) {
			t.Run(m.name, func(t *testing.T) {
				b := apply(t, engineOf(t, adjustedTo(t, m.example, "")), hostile(2000, 3, seed), 0)
				if len(b.DeadLetters) > 0 {
					t.Fatalf("refused: %v", b.DeadLetters[0].Detail)
				}
				if len(b.Forecasts) == 0 {
					t.Fatal("no forecasts")
				}
				for _, e := range b.Events {
					if e.Kind == event.Reset {
						t.Errorf("%v: %s", e.Time, e.Text)
					}
				}
			})
		}
	}
}

// hostile returns a walk in which one row in fifty has a value of any size up to 1e50, whole
// stretches are missing, stuck, a billion times as large, or shifted for good.
func hostile(n, dim int, seed uint64) [][]float64 {
	r, rows := random.New(seed), walk(n, dim)
	level := make([]float64, dim)
	for i := range rows {
		j := int(float64(dim) * r.Uniform())
		if r.Uniform() < .005 {
			level[j] = (2*r.Uniform() - 1) * math.Pow(10, 50*r.Uniform()-1)
		}
		for k := range rows[i] {
			rows[i][k] += level[k]
		}
		switch stretch := i / 20 % 7; {
		case r.Uniform() < .02:
			rows[i][j] = (2*r.Uniform() - 1) * math.Pow(10, 100*r.Uniform()-50)
		case stretch == 2:
			rows[i][j] = math.NaN()
		case stretch == 4 && i > 0:
			copy(rows[i], rows[i-1])
		case stretch == 6:
			rows[i][j] *= 1e9
		}
		for k, v := range rows[i] {
			rows[i][k] = min(max(v, -1e50), 1e50)
		}
	}
	return rows
}
