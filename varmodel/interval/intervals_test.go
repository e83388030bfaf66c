package interval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/dataset"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/varmodel"
	"github.com/orffvar/forecaster/varmodel/auto"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// studentT draws from Student's distribution of three degrees of freedom.
func studentT(rng *rand.Rand) float64 {
	var s float64
	for range 3 {
		v := rng.NormFloat64()
		s += v * v
	}
	return rng.NormFloat64() / math.Sqrt(s/3)
}

// Intervals of 90 % hold .88 to .92 after the first fifth of the rows, one step and
// twelve steps ahead, whatever the errors are like, on short series as well; and
// they are no wider than those of the rolling standard deviation by more than what
// following a scale costs where it is constant: 3 %.
func TestIntervalsHoldTheirLevelOnAnySeries(t *testing.T) {
	normal := func(rng *rand.Rand) float64 { return rng.NormFloat64() }
	const n, d, H = 1500, 4, 12
	for _, p := range []*modeltest.ProtocolB{
		modeltest.Simulated("white noise", n, d, func(rng *rand.Rand, _ float64, _ int) float64 { return normal(rng) }),
		modeltest.Simulated("autoregression", n, d, func(rng *rand.Rand, x float64, _ int) float64 { return .9*x + normal(rng) }),
		modeltest.Simulated("random walk", n, d, func(rng *rand.Rand, x float64, _ int) float64 { return x + normal(rng) }),
		modeltest.Simulated("drift", n, d, func(rng *rand.Rand, x float64, _ int) float64 { return x + .3 + normal(rng) }),
		modeltest.Simulated("heavy tails", n, d, func(rng *rand.Rand, x float64, _ int) float64 { return .9*x + studentT(rng) }),
		modeltest.Simulated("changing scale", n, d, func(rng *rand.Rand, x float64, t int) float64 {
			return .9*x + math.Exp(math.Sin(float64(t)/100))*normal(rng)
		}),
		modeltest.NewProtocolB("macrodata", dataset.Macrodata().Series[0].Rows),
	} {
		m := withBounds(t, autoModel(t, auto.Config{Dim: len(p.Sd), Horizon: H, Experts: []string{"ar6", "var1"}}), len(p.Sd), H, []float64{.9})
		hs := []int{1, H}
		for i, s := range modeltest.IntervalsOf(t, m, p, H, hs...) {
			rolling := modeltest.RollingWidth(p, hs[i], s.Coverage)
			t.Logf("%-15s h=%-2d coverage %.4f, of a coordinate %.3f to %.3f; width %.3f, rolling %.3f",
				p.Name, hs[i], s.Coverage, slices.Min(s.Each), slices.Max(s.Each), s.Width, rolling)
			if !(s.Coverage >= .88 && s.Coverage <= .92) {
				t.Errorf("%s, horizon %d: coverage %.4f", p.Name, hs[i], s.Coverage)
			}
			if !(s.Width <= 1.03*rolling) {
				t.Errorf("%s, horizon %d: width %.3f, rolling %.3f", p.Name, hs[i], s.Width, rolling)
			}
		}
	}
}

// A sensor that sticks says nothing about the others, and its own interval is in
// order again soon after it moves.
func TestIntervalsOfAStuckSensor(t *testing.T) {
	const n, until = 12_000, 10_000
	p := modeltest.Simulated("stuck", n, 2, func(rng *rand.Rand, x float64, _ int) float64 { return .9*x + rng.NormFloat64() })
	for i := 1000; i < until; i++ {
		p.X[i][1] = p.X[1000][1]
	}
	m := func() eval.Model {
		return withBounds(t, autoModel(t, auto.Config{Dim: 2, Horizon: 1, Experts: []string{"var1"}}), 2, 1, []float64{.9})
	}
	if c := modeltest.IntervalsOf(t, m(), p, 1, 1)[0].Each[0]; !(c >= .89 && c <= .91) {
		t.Errorf("coverage of the sensor that works %.4f", c)
	}
	p.Train = until
	if c := modeltest.IntervalsOf(t, m(), p, 1, 1)[0].Each[1]; !(c >= .885) { // .9 and some two standard errors of 2,000 rows
		t.Errorf("coverage of the sensor that was stuck %.4f", c)
	}
}

// A forecast across a break is not scored by what comes after it.
func TestIntervalsForgetForecastsAcrossABreak(t *testing.T) {
	const H = 3
	f := withBounds(t, autoModel(t, auto.Config{Dim: 1, Horizon: H, Experts: []string{"var1"}}), 1, H, []float64{.9}).NewSeries().(*boundedSeries)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		if err := f.Observe([]float64{rng.NormFloat64()}); err != nil {
			t.Fatal(err)
		}
	}
	before := fmt.Sprint(f.intervals.count, f.intervals.scale, f.intervals.own, f.intervals.common)
	f.ResetLags()
	if err := f.Observe([]float64{1e6}); err != nil {
		t.Fatal(err)
	}
	if after := fmt.Sprint(f.intervals.count, f.intervals.scale, f.intervals.own, f.intervals.common); after != before {
		t.Errorf("learnt across a break: %s before, %s after", before, after)
	}
	lower, upper := make([]float64, H), make([]float64, H)
	if !f.BoundsTo(lower, upper) {
		t.Error("no bounds after a break")
	}
}

// TestIntervalsSurviveAnotherHorizon: after a restart with another horizon, the intervals of the
// horizons that were there go on bit for bit, and those of a new one follow after its own
// outcomes.
func TestIntervalsSurviveAnotherHorizon(t *testing.T) {
	const d, before, after = 2, 150, 80
	levels := []float64{.5, .9}
	intervals := func(h int) *Intervals {
		s, err := NewIntervals(Config{Dim: d, Horizon: h, Levels: levels})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	r := rand.New(rand.NewPCG(4, 4))
	const most = 7
	samples, forecasts := make([][]float64, before+after), make([][]float64, before+after)
	for i := range samples {
		samples[i], forecasts[i] = []float64{r.NormFloat64(), 10 * r.NormFloat64()}, make([]float64, most*d)
		for j := range forecasts[i] {
			forecasts[i][j] = r.NormFloat64()
		}
	}
	// bounds returns those of the first n horizons after sample i.
	bounds := func(s *Intervals, i, n int) (all []uint64) {
		h := s.cfg.Horizon
		s.Observe(samples[i])
		s.Issue(forecasts[i][:h*d])
		lower, upper := make([]float64, len(levels)*h*d), make([]float64, len(levels)*h*d)
		if !s.BoundsTo(lower, upper) {
			return nil
		}
		for l := range levels {
			for k := l * h * d; k < (l*h+n)*d; k++ {
				all = append(all, math.Float64bits(lower[k]), math.Float64bits(upper[k]))
			}
		}
		return all
	}
	for _, c := range []struct{ was, is int }{{1, most}, {3, most}, {most, 3}, {most, 1}, {5, 5}} {
		whole := intervals(c.was)
		for i := range before {
			bounds(whole, i, c.was)
		}
		e := snapshot.NewEncoder(nil)
		e.Block(func() { whole.State(e) })
		restarted := intervals(c.is)
		dec := snapshot.NewDecoder(e.Bytes())
		dec.Block(func() { restarted.State(dec) })
		if err := dec.Finish(); err != nil {
			t.Fatal(err)
		}
		n := min(c.was, c.is)
		for i := before; i < before+after; i++ {
			want, got := bounds(whole, i, n), bounds(restarted, i, n)
			if want == nil || !slices.Equal(got, want) {
				t.Fatalf("horizon %d, then %d: other bounds %d samples after the restart", c.was, c.is, i-before)
			}
			// An outcome of the longest horizon is known c.is samples after its first forecast.
			all := make([]float64, len(levels)*c.is*d)
			restarted.BoundsTo(all, slices.Clone(all))
			if ready, due := all[c.is*d-1] == all[c.is*d-1], c.is <= c.was || i-before >= c.is+intervalAfter-1; ready != due {
				t.Fatalf("horizon %d, then %d: bounds of the longest one: %v after %d samples", c.was, c.is, ready, i-before)
			}
		}
	}
}

// The intervals of some horizons are those that they have among all, also after a restart of all
// with these alone; others have none.
func TestIntervalsOfSomeHorizons(t *testing.T) {
	const d, H, until, restart = 2, 6, 120, 80
	levels, some := []float64{.5, .9}, []int{3, 6}
	intervals := func(horizons []int) *Intervals {
		s, err := NewIntervals(Config{Dim: d, Horizon: H, Levels: levels, Horizons: horizons})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	all, few, restored := intervals(nil), intervals(some), intervals(some)
	r := rand.New(rand.NewPCG(5, 5))
	forecast := make([]float64, H*d)
	const n = 2 * H * d // of both levels
	want, wantUpper, lower, upper := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range until {
		y := []float64{r.NormFloat64(), 10 * r.NormFloat64()}
		for j := range forecast {
			forecast[j] = r.NormFloat64()
		}
		for _, s := range []*Intervals{all, few, restored} {
			s.Observe(y)
			s.Issue(forecast)
		}
		if i == restart {
			e := snapshot.NewEncoder(nil)
			e.Block(func() { all.State(e) })
			dec := snapshot.NewDecoder(e.Bytes())
			restored = intervals(some)
			dec.Block(func() { restored.State(dec) })
			if err := dec.Finish(); err != nil {
				t.Fatal(err)
			}
		}
		ready := all.BoundsTo(want, wantUpper)
		for _, s := range []*Intervals{few, restored} {
			for k := range lower {
				lower[k] = math.NaN()
			}
			if s.BoundsTo(lower, upper) != ready {
				t.Fatalf("sample %d: bounds of some horizons, or of all, alone", i)
			}
			for k := range want {
				h := k/d%H + 1
				has := ready && (h == 1 || slices.Contains(some, h)) && want[k] == want[k]
				switch {
				case has && (lower[k] != want[k] || upper[k] != wantUpper[k]):
					t.Fatalf("sample %d, horizon %d: [%v, %v], want [%v, %v]", i, h, lower[k], upper[k], want[k], wantUpper[k])
				case ready && !has && lower[k] == lower[k]:
					t.Fatalf("sample %d, horizon %d: bound %v", i, h, lower[k])
				}
			}
		}
	}
}

// After a step far beyond the usual the next interval reaches to the value before, which may
// come back, and no further to the other side than usual; the second one is as narrow as ever.
func TestIntervalsReachBackAfterASpike(t *testing.T) {
	const at = 300
	for _, step := range []float64{100, -100} {
		for _, length := range []int{1, 50} {
			s, err := NewIntervals(Config{Dim: 1, Horizon: 2, Levels: []float64{.5, .9}})
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(3, 4))
			lower, upper := make([]float64, 4), make([]float64, 4)
			for i := range at + 5 {
				y := r.NormFloat64()
				if i >= at && i < at+length {
					y += step
				}
				s.Observe([]float64{y})
				s.Issue([]float64{y, y}) // the forecasts repeat the value
				if !s.BoundsTo(lower, upper) || i < at-1 {
					continue
				}
				for k := range lower {
					below, above := y-lower[k], upper[k]-y
					if i == at && step < 0 {
						below, above = above, below
					}
					if i == at && !(below > 95 && below < 110 && above < 10) {
						t.Errorf("step %v: interval %v to %v after %v", step, lower[k], upper[k], y)
					}
					if i != at && !(below < 10 && above < 10) {
						t.Errorf("step %v for %d samples: %d samples behind it the interval is %v to %v", step, length, i-at, lower[k], upper[k])
					}
				}
			}
		}
	}
}

// The interval of one step is the same whatever the longest horizon is, from the first one on.
func TestOneStepIntervalsOfAnyHorizon(t *testing.T) {
	var series []*boundedSeries
	for _, H := range []int{1, 7} {
		m, err := varmodel.NewPersistence(varmodel.PersistenceConfig{Dim: 1, Horizon: H})
		if err != nil {
			t.Fatal(err)
		}
		b, err := WithIntervals(m, Config{Dim: 1, Horizon: H, Levels: []float64{.9}})
		if err != nil {
			t.Fatal(err)
		}
		series = append(series, b.NewSeries().(*boundedSeries))
	}
	rng := rand.New(rand.NewPCG(21, 22))
	y, given := 0.0, 0
	for i := range 200 {
		y += rng.NormFloat64()
		if i == 90 { // a gap
			for _, s := range series {
				s.ResetLags()
			}
		}
		var got [2][2]float64
		var known [2]bool
		for k, s := range series {
			if err := s.Observe([]float64{y}); err != nil {
				t.Fatal(err)
			}
			lower, upper := make([]float64, s.intervals.cfg.Horizon), make([]float64, s.intervals.cfg.Horizon)
			known[k] = s.BoundsTo(lower, upper)
			got[k] = [2]float64{lower[0], upper[0]}
		}
		if known[0] != known[1] || got[0] != got[1] {
			t.Fatalf("sample %d: %v %v alone, %v %v with longer horizons", i, known[0], got[0], known[1], got[1])
		}
		if known[0] {
			given++
		}
	}
	if given < 150 {
		t.Errorf("only %d intervals", given)
	}
}

// A coordinate whose forecasts become a thousand times better at row 100 leaves the intervals of
// its neighbour alone.
func TestIntervalsBesideANeighbourThatBecameExact(t *testing.T) {
	const rows, from, H = 1500, 200, 12
	s, err := NewIntervals(Config{Dim: 2, Horizon: H, Levels: []float64{.9}})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(65, 66))
	lower, upper, forecast := make([]float64, 2*H), make([]float64, 2*H), make([]float64, 2*H)
	y, scores, inside := make([]float64, 2), 0., 0.
	var issued [][2]float64 // interval of the neighbour H steps ahead
	for i := range rows {
		y[0], y[1] = rng.NormFloat64(), rng.NormFloat64()
		if i < 100 {
			y[0] *= 1000
		}
		if i >= from+H {
			scores++
			if b := issued[i-H]; b[0] <= y[1] && y[1] <= b[1] {
				inside++
			}
		}
		s.Observe(y)
		s.Issue(forecast)
		s.BoundsTo(lower, upper)
		issued = append(issued, [2]float64{lower[2*H-1], upper[2*H-1]})
	}
	if coverage := inside / scores; !(math.Abs(coverage-.9) <= .02) { // a standard error of .008
		t.Errorf("coverage of the neighbour: %.3f", coverage)
	}
}

// Errors that come back after none but rounding have intervals at once.
func TestIntervalsAfterErrorsOfRounding(t *testing.T) {
	s, err := NewIntervals(Config{Dim: 1, Horizon: 1, Levels: []float64{.9}})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(69, 70))
	lower, upper := make([]float64, 1), make([]float64, 1)
	for i := range 1100 {
		e := 10 * rng.NormFloat64()
		if i >= 100 && i < 1000 {
			e = 1e-10 * rng.NormFloat64()
		}
		s.Observe([]float64{1e6 + e})
		s.Issue([]float64{1e6})
		if s.BoundsTo(lower, upper); i > 1000 && !(upper[0]-lower[0] >= 1) {
			t.Errorf("row %d: an interval of width %v for errors of 10", i, upper[0]-lower[0])
		}
	}
}
