package anomaly

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval/snapshot"
)

// A budget of alarms per day is kept within a factor of two by series of one-minute data that do not
// change, beside the chance of a Poisson number: two standard deviations.
func TestBudgetOfAlarms(t *testing.T) {
	const days = 40
	for _, c := range []struct {
		name string
		next func(r *rand.Rand, i int, y float64) (forecast, value float64)
	}{
		{"white noise", func(r *rand.Rand, _ int, _ float64) (float64, float64) { return 0, r.NormFloat64() }},
		{"AR(1)", func(r *rand.Rand, _ int, y float64) (float64, float64) { return .9 * y, .9*y + r.NormFloat64() }},
		{"random walk", func(r *rand.Rand, _ int, y float64) (float64, float64) { return y, y + r.NormFloat64() }},
		{"day", func(r *rand.Rand, i int, _ float64) (float64, float64) {
			m := 3 * math.Sin(2*math.Pi*float64(i)/1440)
			return m, m + r.NormFloat64()
		}},
		{"week", func(r *rand.Rand, i int, _ float64) (float64, float64) {
			m := 3 * math.Sin(2*math.Pi*float64(i)/1440)
			if i/1440%7 >= 5 {
				m /= 3
			}
			return m, m + r.NormFloat64()
		}},
		{"t of 3 degrees of freedom", func(r *rand.Rand, _ int, _ float64) (float64, float64) { return 0, student(r) }},
		{"counts", func(r *rand.Rand, _ int, _ float64) (float64, float64) { // Knuth's Poisson of mean 4
			n := -1.
			for p := 1.; p > math.Exp(-4); p *= r.Float64() {
				n++
			}
			return 4, n
		}},
	} {
		for _, perDay := range []float64{1, 1. / 7} {
			r, s := rand.New(rand.NewPCG(5, 6)), NewScorer(Config{Dim: 1, AlarmsPerDay: perDay})
			n, y := 0., 0.
			for i := range days * 1440 {
				var forecast float64
				forecast, y = c.next(r, i, y)
				if score, _ := s.Observe(int64(i)*minute, []float64{y}, []float64{forecast}); score > 1 {
					n++
				}
			}
			want := perDay * days
			t.Logf("%s: %v alarms, %.1f wanted", c.name, n, want)
			if n < want/2-2*math.Sqrt(want/2) || n > 2*want+2*math.Sqrt(2*want) {
				t.Errorf("%s: %v alarms in %d days, %.1f wanted", c.name, n, days, want)
			}
		}
	}
}

// The rate of a budget follows the spacing, and goes on after a restart.
func TestBudgetFollowsTheSpacing(t *testing.T) {
	c := Config{Dim: 1, AlarmsPerDay: 1}
	s, r := NewScorer(c), rand.New(rand.NewPCG(1, 1))
	at := int64(0)
	feed := func(step int64, n int) {
		for range n {
			at += step
			s.Observe(at, []float64{r.NormFloat64()}, []float64{0})
		}
	}
	feed(minute, 3000)
	if want := 1. / 1440; math.Abs(s.budget.rate-want) > 1e-6 {
		t.Errorf("rate %v, want %v", s.budget.rate, want)
	}
	feed(minute/6, 5000)
	if want := 1. / 8640; math.Abs(s.budget.rate-want) > 1e-6 {
		t.Errorf("rate %v, want %v", s.budget.rate, want)
	}
	enc := snapshot.NewEncoder(nil)
	s.State(enc)
	restored, dec := NewScorer(c), snapshot.NewDecoder(enc.Bytes())
	if restored.State(dec); restored.limits != s.limits {
		t.Errorf("limits %v, want %v", restored.limits, s.limits)
	}
}
