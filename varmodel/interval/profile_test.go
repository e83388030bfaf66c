package interval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/varmodel/auto"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// periodic are the intervals of a series whose forecasts are 0 and whose errors have a size that
// depends on the phase.
type periodic struct {
	rng       *rand.Rand
	period    int
	size      func(phase int) float64
	intervals *Intervals
	t         int
	phases    bool // the intervals are told the phases
	y         []float64
}

func newPeriodic(t *testing.T, d, horizon, period int, phases bool, size func(phase int) float64) *periodic {
	s, err := NewIntervals(Config{Dim: d, Horizon: horizon, Levels: []float64{.9}})
	if err != nil {
		t.Fatal(err)
	}
	return &periodic{rng: rand.New(rand.NewPCG(5, 6)), period: period, size: size, intervals: s, phases: phases, y: make([]float64, d)}
}

// Next draws the next sample.
func (p *periodic) Next() {
	for j := range p.y {
		p.y[j] = p.size(p.t%p.period) * p.rng.NormFloat64()
	}
	p.Observe()
	p.t++
}

// Observe shows the sample to the intervals.
func (p *periodic) Observe() {
	if p.phases {
		p.intervals.SetPhases(eval.Phases{{Period: int32(p.period), At: int32(p.t % p.period)}})
	}
	p.intervals.Observe(p.y)
	p.intervals.Issue(make([]float64, p.intervals.cfg.Horizon*len(p.y)))
}

// upper returns the upper bounds, horizon x d; nil before there are any.
func (p *periodic) upper() []float64 {
	v := make([]float64, 2*p.intervals.cfg.Horizon*len(p.y))
	if !p.intervals.BoundsTo(v[:len(v)/2], v[len(v)/2:]) {
		return nil
	}
	return v[len(v)/2:]
}

// byPhase is the coverage of each phase, at horizon h, in the second half of n samples.
func (p *periodic) byPhase(n, h int) []float64 {
	d, inside, all := len(p.y), make([]float64, p.period), make([]float64, p.period)
	var issued [][]float64
	for t := range n {
		p.Next()
		if t >= n/2 {
			for j, v := range p.y {
				if all[t%p.period]++; math.Abs(v) <= issued[t-h][(h-1)*d+j] {
					inside[t%p.period]++
				}
			}
		}
		issued = append(issued, p.upper())
	}
	for i := range inside {
		inside[i] /= all[i]
	}
	return inside
}

func TestProfilesHoldTheCoverageOfEachPhase(t *testing.T) {
	const n, d = 6000, 4
	for name, c := range map[string]struct {
		period int
		size   func(phase int) float64
	}{
		"job at the full hour": {12, func(phase int) float64 { return []float64{10, 1}[min(phase, 1)] }},
		"busy by day":          {24, func(phase int) float64 { return 1 + 4*float64(phase/8%2) }},
		"more phases than bins": {96, func(phase int) float64 {
			return 1.5 + math.Sin(2*math.Pi*float64(phase)/96)
		}},
	} {
		for _, h := range []int{1, 3, 20} {
			with := newPeriodic(t, d, 20, c.period, true, c.size).byPhase(n, h)
			without := newPeriodic(t, d, 20, c.period, false, c.size).byPhase(n, h)
			// 3000 d / period outcomes of a phase: at least 125, standard deviation .027.
			if low, high := slices.Min(with), slices.Max(with); low < .8 || high > .98 {
				t.Errorf("%s, %d steps: coverage %.2f to %.2f by phase", name, h, low, high)
			}
			if low := slices.Min(without); low > .8 {
				t.Errorf("%s, %d steps: %.2f without profiles, too: the test shows nothing", name, h, low)
			}
		}
	}
}

// Profiles are hardly used if errors are alike in all phases. Some of the comparisons of 8 variables at
// 4 anchors in 250 terms go wrong by chance.
func TestProfilesOfEqualErrors(t *testing.T) {
	const n, d, h = 6000, 8, 6
	equal := func(int) float64 { return 1 }
	with, without := newPeriodic(t, d, h, 24, true, equal), newPeriodic(t, d, h, 24, false, equal)
	var used, all, width, reference float64
	for range n {
		with.Next()
		without.Next()
		for _, a := range with.intervals.profiles.cycles[0].anchors {
			for _, u := range a.used {
				if all++; u {
					used++
				}
			}
		}
		if with.t > n/10 {
			other := without.upper()
			for i, v := range with.upper() {
				width, reference = width+v, reference+other[i]
			}
		}
	}
	if ratio := width / reference; used > .05*all || !(math.Abs(ratio-1) < .002) {
		t.Errorf("%.3f of the profiles are used, widths %.4f of those without", used/all, ratio)
	}
}

// Intervals of a series without cycles have the bits of intervals without profiles, and a cycle that
// ends takes its profile with it.
func TestProfilesNeedCycles(t *testing.T) {
	size := func(phase int) float64 { return 1 + 4*float64(phase/8%2) }
	with, without := newPeriodic(t, 2, 3, 24, false, size), newPeriodic(t, 2, 3, 24, false, size)
	for range 100 {
		with.intervals.SetPhases(eval.Phases{})
		with.Next()
		without.Next()
		if err := sameNumbers(with.upper(), without.upper()); err != nil {
			t.Fatal(err)
		}
	}
	if with.intervals.profiles != nil {
		t.Error("profiles of a series without cycles take memory")
	}
	with.phases = true
	for range 2000 {
		with.Next()
	}
	if n := testing.AllocsPerRun(10, func() { with.intervals.SetPhases(with.intervals.profiles.now) }); n != 0 {
		t.Errorf("%v allocations for the same cycles", n)
	}
	half := func() []float64 {
		v := []float64{1, 1, 1, 1, 1, 1}
		with.intervals.scaleTo(v)
		return v
	}
	both, used := half(), with.intervals.profiles.cycles[0].anchors[0].used
	if used[0] = false; both[0] == 1 || both[1] == 1 || half()[0] != 1 || half()[1] != both[1] {
		t.Fatalf("widths %v with profiles, %v without that of the first variable", both, half())
	}
	with.intervals.SetPhases(eval.Phases{})
	if n := len(with.intervals.profiles.cycles); n != 0 {
		t.Errorf("%d profiles without cycles", n)
	}
}

func sameNumbers(a, b []float64) error {
	if len(a) != len(b) {
		return fmt.Errorf("%d and %d numbers", len(a), len(b))
	}
	for i := range a {
		if math.Float64bits(a[i]) != math.Float64bits(b[i]) {
			return fmt.Errorf("number %d: %v and %v", i, a[i], b[i])
		}
	}
	return nil
}

// Profiles are part of the state: intervals that are restored at any sample go on as those that
// never were.
func TestProfilesAreRestored(t *testing.T) {
	size := func(phase int) float64 { return 1 + 4*float64(phase/8%2) }
	never, again := newPeriodic(t, 3, 5, 24, true, size), newPeriodic(t, 3, 5, 24, true, size)
	used := false
	for i := range 1500 {
		if i%97 == 0 || i == 300 {
			c := snapshot.NewEncoder(nil)
			again.intervals.State(c)
			again.intervals = newPeriodic(t, 3, 5, 24, true, size).intervals
			c = snapshot.NewDecoder(c.Bytes())
			again.intervals.State(c)
			if err := c.Finish(); err != nil {
				t.Fatal(err)
			}
		}
		never.Next()
		again.Next()
		if err := sameNumbers(never.upper(), again.upper()); err != nil {
			t.Fatalf("after %d samples: %v", i, err)
		}
		used = used || never.intervals.profiles.cycles[0].anchors[0].inUse
	}
	if !used {
		t.Error("no profile was used")
	}
}

// A horizon has the profile of its anchor, whether or not that is among the horizons with intervals.
func TestProfilesOfSomeHorizons(t *testing.T) {
	const d, horizon, h = 2, 6, 4
	size := func(phase int) float64 { return 1 + 4*float64(phase/8%2) }
	all, few := newPeriodic(t, d, horizon, 24, true, size), newPeriodic(t, d, horizon, 24, true, size)
	var err error
	if few.intervals, err = NewIntervals(Config{Dim: d, Horizon: horizon, Levels: []float64{.9}, Horizons: []int{h}}); err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		all.Next()
		few.Next()
		want, got := all.upper(), few.upper()
		if want == nil || want[(h-1)*d] != want[(h-1)*d] {
			continue
		}
		if err := sameNumbers(want[(h-1)*d:h*d], got[(h-1)*d:h*d]); err != nil {
			t.Fatalf("after %d samples: %v", all.t, err)
		}
	}
	if !few.intervals.profiles.cycles[0].anchors[anchorAt(h)].inUse {
		t.Error("the profile was not used")
	}
}

// A job at every full hour: the default model knows the hour by its clock.
func TestIntervalsOfAnHourlyJob(t *testing.T) {
	const n, h, hour = 2600, 2, 12
	f := withBounds(t, autoModel(t, auto.Config{Dim: 1, Horizon: h, Tier: auto.TierLight}), 1, h, []float64{.9}).NewSeries()
	job, rng := modeltest.HourlyJob(hour), rand.New(rand.NewPCG(1, 2))
	lower, upper := make([]float64, h), make([]float64, h)
	var inside, outcomes [h]float64
	var issued [n][2][h]float64
	for i := range n {
		y := job(rng, i, nil)
		for k := range h {
			if from := i - k - 1; i > n/3 && i%hour == 0 {
				outcomes[k]++
				if v := issued[from]; v[0][k] <= y && y <= v[1][k] {
					inside[k]++
				}
			}
		}
		modeltest.As[eval.Clocked](t, f).SetTime(modeltest.FirstOf2026 + int64(i)*300e9)
		if err := f.Observe([]float64{y}); err != nil {
			t.Fatal(err)
		}
		modeltest.As[eval.Bounder](t, f).BoundsTo(lower, upper)
		issued[i] = [2][h]float64{[h]float64(lower), [h]float64(upper)}
	}
	for k := range h {
		// 144 outcomes: the share inside has a standard deviation of .025. Without profiles it is .1.
		if c := inside[k] / outcomes[k]; c < .8 || c > .98 {
			t.Errorf("%d steps: %.2f inside at the full hour", k+1, c)
		}
	}
}
