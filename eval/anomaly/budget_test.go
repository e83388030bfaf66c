package anomaly

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval/snapshot"
)

// A budget of alarms per day, week or month is kept within a factor of two by series of one-minute data that do not
// change, beside one standard deviation of a Poisson number. A month is counted over several series. No alarm is said to
// be more frequent than the budget, whose rate is rounded.
func TestBudgetOfAlarms(t *testing.T) {
	const days = 60
	for _, c := range unchangingMinutes() {
		for _, b := range []struct {
			name   string
			perDay float64
			seeds  uint64
		}{{"day", 1, 1}, {"week", 1. / 7, 1}, {"month", 1. / 30, 12}} {
			n := 0.
			for seed := range b.seeds {
				r, s := rand.New(rand.NewPCG(seed, 6)), NewScorer(Config{Dim: 1, AlarmsPerDay: b.perDay})
				y := 0.
				for i := range days * 1440 {
					var forecast float64
					forecast, y = c.next(r, i, y)
					if score, _ := s.Observe(int64(i)*minute, []float64{y}, []float64{forecast}); score > 1 {
						n++
						if often := s.Event().FalsePerDay; often > b.perDay*(1+1e-9) {
							t.Errorf("%s, 1 per %s: an alarm is expected %v times a day", c.name, b.name, often)
						}
					}
				}
			}
			want := b.perDay * days * float64(b.seeds)
			t.Logf("%s, 1 per %s: %v alarms, %.1f wanted", c.name, b.name, n, want)
			if n < want/2-math.Sqrt(want/2) || n > 2*want+math.Sqrt(2*want) {
				t.Errorf("%s, 1 per %s: %v alarms, %.1f wanted", c.name, b.name, n, want)
			}
		}
	}
}

// minutes is a series of one-minute data: next returns the value of minute i behind y, and its forecast.
type minutes struct {
	name string
	next func(r *rand.Rand, i int, y float64) (forecast, value float64)
}

func unchangingMinutes() []minutes {
	day := func(i int) float64 { return 3 * math.Sin(2*math.Pi*float64(i)/1440) }
	burst, size := 0, 0.
	return []minutes{
		{"white noise", func(r *rand.Rand, _ int, _ float64) (float64, float64) { return 0, r.NormFloat64() }},
		{"AR(1)", func(r *rand.Rand, _ int, y float64) (float64, float64) { return .9 * y, .9*y + r.NormFloat64() }},
		{"random walk", func(r *rand.Rand, _ int, y float64) (float64, float64) { return y, y + r.NormFloat64() }},
		{"day", func(r *rand.Rand, i int, _ float64) (float64, float64) { return day(i), day(i) + r.NormFloat64() }},
		{"quiet day", func(r *rand.Rand, i int, _ float64) (float64, float64) { return day(i), day(i) + .1*r.NormFloat64() }},
		{"week", func(r *rand.Rand, i int, _ float64) (float64, float64) {
			m := day(i)
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
		{"bursts", func(r *rand.Rand, _ int, y float64) (float64, float64) {
			if burst--; burst < 0 && r.IntN(400) == 0 {
				burst, size = int(12*r.ExpFloat64()), 3+3*r.ExpFloat64()
			}
			if burst >= 0 {
				return .5 * y, r.NormFloat64() + size
			}
			return .5 * y, r.NormFloat64()
		}},
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
	fresh, without := NewScorer(c), Config{Dim: 1}
	for _, r := range []struct {
		name  string
		state *Scorer
		into  Config
		want  [viewCount]float64
	}{
		{"the budget", s, c, s.limits},
		{"a budget without samples", fresh, c, fresh.limits},
		{"a budget that is left out", s, without, NewScorer(without).limits},
	} {
		enc := snapshot.NewEncoder(nil)
		r.state.State(enc)
		restored, dec := NewScorer(r.into), snapshot.NewDecoder(enc.Bytes())
		if restored.State(dec); restored.limits != r.want {
			t.Errorf("%s: limits %v, want %v", r.name, restored.limits, r.want)
		}
	}
}
