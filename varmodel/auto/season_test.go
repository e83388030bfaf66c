package auto

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
	"github.com/orffvar/forecaster/varmodel/series"
)

const (
	quarter  = int64(900e9)
	quarters = 96 // in a day
)

// dayAndWeek is a series of two variables at 15 minutes: the day is strong in both, the
// weekend is low in the first, and what remains is an autoregression.
func dayAndWeek(n int) [][]float64 {
	rng := rand.New(rand.NewPCG(3, 4))
	x, a, b := make([][]float64, n), 0., 0.
	for t := range x {
		a, b = .7*a+.2*rng.NormFloat64(), .5*b+.2*rng.NormFloat64()
		day := 2 * math.Pi * float64(t%quarters) / quarters
		week := 0.
		if t/quarters%7 >= 5 {
			week = -1
		}
		x[t] = []float64{math.Sin(day) + .5*math.Cos(2*day) + week + a, math.Cos(day) + b}
	}
	return x
}

// runClocked shows x to f, with times from start on unless that is 0, and returns the
// forecasts.
func runClocked(t *testing.T, f eval.Forecaster, x [][]float64, start int64, horizon int) [][]float64 {
	t.Helper()
	return runSpaced(t, f, x, start, quarter, horizon)
}

// runSpaced is runClocked with another time between two rows.
func runSpaced(t *testing.T, f eval.Forecaster, x [][]float64, start, spacing int64, horizon int) [][]float64 {
	t.Helper()
	var out [][]float64
	for i, y := range x {
		if start != 0 {
			c, ok := eval.As[eval.Clocked](f)
			if !ok {
				t.Fatal("no clock")
			}
			c.SetTime(start + int64(i)*spacing)
		}
		if err := f.Observe(y); err != nil {
			t.Fatal(err)
		}
		dst := make([]float64, horizon*len(y))
		f.ForecastTo(dst)
		out = append(out, dst)
	}
	return out
}

// With the clock the day and the week are found, without it the day; the forecasts of a
// day ahead are then nearly as good as the noise allows, in every tier.
func TestSeasonsOfDayAndWeek(t *testing.T) {
	const n, H = 8 * 7 * quarters, quarters
	x := dayAndWeek(n)
	for _, tier := range Tiers {
		f := newAuto(t, Config{Dim: 2, Horizon: H, Tier: tier}).NewSeries()
		got := runClocked(t, f, x, modeltest.FirstOf2026, H)
		seasonal, _ := eval.As[eval.Seasonal](f)
		if p := seasonal.AppendSeasons(nil); !slices.Contains(p, quarters) || !slices.Contains(p, 7*quarters) {
			t.Errorf("%s: seasons %v", tier, p)
		}
		var sum, count float64
		for i := n - 2*7*quarters; i+H < n; i++ {
			e := got[i][(H-1)*2] - x[i+H][0]
			sum += e * e
			count++
		}
		noise := .2 * .2 / (1 - .7*.7)
		if mse := sum / count; !(mse <= 1.5*noise) {
			t.Errorf("%s: a day ahead %.4f, noise %.4f", tier, mse, noise)
		}
	}
	f := newAuto(t, Config{Dim: 2, Horizon: 1}).NewSeries()
	runClocked(t, f, x[:4*7*quarters], 0, 1)
	if seasonal, _ := eval.As[eval.Seasonal](f); !slices.Contains(seasonal.AppendSeasons(nil), quarters) {
		t.Errorf("without a clock: %v", seasonal.AppendSeasons(nil))
	}
}

// Row numbers, read as seconds, are no clock: they would make a minute of 60 samples.
func TestSeasonsWithoutAClock(t *testing.T) {
	f := newAuto(t, Config{Dim: 1, Horizon: 1}).NewSeries()
	clock := modeltest.As[eval.Clocked](t, f)
	for i := range 300 {
		clock.SetTime(int64(i+1) * 1e9)
		if err := f.Observe([]float64{float64(i % 60)}); err != nil {
			t.Fatal(err)
		}
	}
	if s := f.(*autoSeries).seasons; s.spacing != 0 || slices.ContainsFunc(s.cycles, func(c *cycle) bool { return c.span > 0 }) {
		t.Errorf("a spacing of %d ns and cycles of the clock", s.spacing)
	}
}

// A random walk with a clock has no season worth a name, and its forecasts stay as good
// as persistence.
func TestSeasonsOfRandomWalk(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	x, v := make([][]float64, 5000), 0.
	for i := range x {
		v += rng.NormFloat64()
		x[i] = []float64{v}
	}
	got := runClocked(t, newAuto(t, Config{Dim: 1, Horizon: quarters}).NewSeries(), x, modeltest.FirstOf2026, quarters)
	for _, h := range []int{1, 24, quarters} {
		var ours, naive float64
		for i := 500; i+h < len(x); i++ {
			e, p := got[i][h-1]-x[i+h][0], x[i][0]-x[i+h][0]
			ours, naive = ours+e*e, naive+p*p
		}
		if !(ours <= 1.02*naive) {
			t.Errorf("h=%d: %.4f of persistence", h, ours/naive)
		}
	}
}

// The forecasts up to a row are the same whether or not there are rows after it.
func TestSeasonsDoNotLookAhead(t *testing.T) {
	const n, cut, H = 8 * quarters, 6*quarters + 17, 12
	for _, start := range []int64{0, modeltest.FirstOf2026} {
		x := dayAndWeek(n)
		model := func() eval.Forecaster { return newAuto(t, Config{Dim: 2, Horizon: H}).NewSeries() }
		want := runClocked(t, model(), x[:cut], start, H)
		for i := cut; i < n; i++ {
			x[i] = []float64{1000, -1000}
		}
		got := runClocked(t, model(), x, start, H)
		for i := range want {
			if !slices.Equal(got[i], want[i]) {
				t.Fatalf("start %d: row %d depends on rows from %d on", start, i, cut)
			}
		}
	}
}

// A series that is saved and restored at any phase goes on with the same forecasts:
// before the spacing is known, before the first season, after the remainder, and while
// a search and the experts learn its past again.
func TestSeasonsState(t *testing.T) {
	const n, H = 10 * quarters, 6
	x := dayAndWeek(n)
	for _, start := range []int64{0, modeltest.FirstOf2026} {
		for _, at := range []int{5, quarters + 3, 5*quarters + 1, 7*quarters + 50, 803, 820, 860} {
			m := newAuto(t, Config{Dim: 2, Horizon: H})
			f := m.NewSeries()
			runClocked(t, f, x[:at], start, H)
			c := snapshot.NewEncoder(nil)
			m.State(c)
			f.State(c)
			m2 := newAuto(t, Config{Dim: 2, Horizon: H})
			g := m2.NewSeries()
			d := snapshot.NewDecoder(c.Bytes())
			m2.State(d)
			g.State(d)
			if err := d.Finish(); err != nil {
				t.Fatalf("start %d, row %d: %v", start, at, err)
			}
			later := start
			if start != 0 {
				later += int64(at) * quarter
			}
			want, got := runClocked(t, f, x[at:], later, H), runClocked(t, g, x[at:], later, H)
			for i := range want {
				if !slices.Equal(got[i], want[i]) {
					t.Fatalf("start %d, restored at %d: row %d differs", start, at, at+i)
				}
			}
		}
	}
}

// After a break the clock still tells the phase: the shape of the day is used at once.
func TestSeasonsSurviveABreak(t *testing.T) {
	const n = 12 * quarters
	x := dayAndWeek(n)
	f := newAuto(t, Config{Dim: 2, Horizon: quarters / 2}).NewSeries()
	runClocked(t, f, x[:8*quarters], modeltest.FirstOf2026, quarters/2)
	r, _ := eval.As[eval.LagResetter](f)
	r.ResetLags()
	first := 8*quarters + 37
	got := runClocked(t, f, x[first:], modeltest.FirstOf2026+int64(first)*quarter, quarters/2)
	var ours, naive float64
	h := quarters / 2
	for i := 4; i < quarters; i++ {
		e, p := got[i][(h-1)*2+1]-x[first+i+h][1], x[first+i][1]-x[first+i+h][1]
		ours, naive = ours+e*e, naive+p*p
	}
	if !(ours <= .3*naive) {
		t.Errorf("half a day ahead after the break: %.3f of persistence", ours/naive)
	}
}

// The spacing is found from the times, months included, and again when it changes.
func TestSeasonsClock(t *testing.T) {
	month := int64(2629746e9)
	for _, c := range []struct {
		name    string
		spacing func(i int) int64
		want    []int
	}{
		{"minutes", func(int) int64 { return 60e9 }, []int{60, 1440, 10080}},
		{"five minutes", func(int) int64 { return 300e9 }, []int{12, 288, 2016}},
		{"hours", func(int) int64 { return 3600e9 }, []int{24, 168}},
		{"days", func(int) int64 { return 86400e9 }, []int{7, 31, 365}},
		{"months", func(i int) int64 { return month + []int64{-86400e9, 43200e9, 0, 43200e9}[i%4] }, []int{12}},
		{"quarters", func(int) int64 { return 3 * month }, []int{4}},
		{"minutes, then hours", func(i int) int64 {
			if i < 30 {
				return 60e9
			}
			return 3600e9
		}, []int{24, 168}},
		{"irregular", func(i int) int64 { return int64(1+i%3) * 60e9 }, nil},
	} {
		past := series.NewHistory(1, 100)
		s, at := newSeasons(past, 20160, 0), modeltest.FirstOf2026
		for i := range 60 {
			s.time = at
			past.Push([]float64{float64(i)}, nil)
			s.Observe([]float64{1})
			at += c.spacing(i)
		}
		var got []int
		for _, o := range s.cycles {
			got = append(got, o.period)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// A series that goes on from before 1970 has the same forecasts as one fifty years later: phases come from the times
// before 1970, and times that would be numbers of rows at the beginning of a series are times in one that had times.
// Half of the samples are half-way between two phases, and thirty are left out.
func TestSeasonsOfTimesAround1970(t *testing.T) {
	const hour = int64(3600e9)
	for _, c := range []struct {
		name           string
		spacing, later int64
		rows           int
		period         float64
	}{
		{"weeks", weekSpan, 50 * yearSpan, 600, 52},
		{"half hours", hour / 2, 2600 * weekSpan, 500, 30},
	} {
		forecasts := make([][]float64, 2)
		for k, later := range []int64{0, c.later} {
			f := newAuto(t, Config{Dim: 1, Horizon: 4, Tier: TierTiny}).NewSeries()
			clock := modeltest.As[eval.Clocked](t, f)
			rng, dst := rand.New(rand.NewPCG(19, 70)), make([]float64, 4)
			first := -c.spacing * int64(c.rows) * 2 / 3 / hour * hour
			for i := range c.rows {
				if i >= 110 && i < 140 {
					continue
				}
				at := first + c.spacing*int64(i) + hour/4
				clock.SetTime(at + later)
				if err := f.Observe([]float64{math.Sin(2*math.Pi*float64(i)/c.period) + .1*rng.NormFloat64()}); err != nil {
					t.Fatal(err)
				}
				f.ForecastTo(dst)
				forecasts[k] = append(forecasts[k], dst...)
			}
		}
		if !slices.Equal(forecasts[0], forecasts[1]) {
			t.Errorf("%s: other forecasts than later", c.name)
		}
	}
}

// A variable that begins late has had its first value before: the seasons are those of a series
// in which it has.
func TestSeasonsOfALateVariable(t *testing.T) {
	for _, begins := range []int{5, 24, 40, 100} {
		forecasts := make([][]float64, 2)
		for k, before := range []float64{math.NaN(), 7} {
			past := series.NewHistory(2, 30)
			s := newSeasons(past, 2016, 24)
			rng := rand.New(rand.NewPCG(7, 9))
			for i := range 200 {
				y := []float64{rng.NormFloat64(), 7 + math.Sin(2*math.Pi*float64(i-begins)/24)}
				if i < begins {
					y[1] = before
				}
				if i == begins && past.Unseen > 0 {
					s.begin(1, y[1])
				}
				past.Push(y, y)
				s.Observe([]float64{1, 1})
			}
			forecasts[k] = make([]float64, 2*24)
			s.AheadTo(forecasts[k])
		}
		for i, v := range forecasts[1] {
			// Sums of a period of samples, in another order.
			if got := forecasts[0][i]; !(math.Abs(got-v) <= 1e-12) {
				t.Fatalf("a variable begins at %d: season %v, want %v", begins, got, v)
			}
		}
	}
}

// An on-and-off profile of a day at 15 minutes: the mean deviation of the last hours, which
// jumps when the profile does, must not get into the shape of the day. After ten days a day
// ahead is forecast nearly as well as by the true profile, whose error is the noise; with
// 20 days in a mean the shape costs 5 %, and 15 days of half-independent squares are known to 4 %.
func TestSeasonsOfOnAndOff(t *testing.T) {
	const n, H, noise = 25 * quarters, 24, .5
	rng := rand.New(rand.NewPCG(8, 9))
	x := make([][]float64, n)
	for i := range x {
		x[i] = []float64{noise * rng.NormFloat64()}
		if q := i % quarters; q >= 32 && q < 72 {
			x[i][0] += 10
		}
	}
	for _, tier := range Tiers {
		got := runClocked(t, newAuto(t, Config{Dim: 1, Horizon: H, Tier: tier}).NewSeries(), x, modeltest.FirstOf2026, H)
		var sum float64
		for i := 10 * quarters; i+H < n; i++ {
			e := got[i][H-1] - x[i+H][0]
			sum += e * e / (15*quarters - H)
		}
		t.Logf("%s: %.3f of the noise", tier, sum/(noise*noise))
		if !(sum <= 1.3*noise*noise) {
			t.Errorf("%s: 24 steps ahead %.4f, noise %.4f", tier, sum, noise*noise)
		}
	}
}

// A day of five minutes with noise has no hour: within an hour the day is a trend, which differs
// from its running mean by the same at all phases.
func TestDayHasNoHour(t *testing.T) {
	const day = 288
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 1))
		f := newAuto(t, Config{Dim: 1, Horizon: 1, Tier: TierTiny}).NewSeries()
		clock, seasonal := modeltest.As[eval.Clocked](t, f), modeltest.As[eval.Seasonal](t, f)
		for i := range 21 * day {
			clock.SetTime(modeltest.FirstOf2026 + int64(i)*300e9)
			if err := f.Observe([]float64{10*wave(i, day) + rng.NormFloat64()}); err != nil {
				t.Fatal(err)
			}
			if got := seasonal.AppendSeasons(nil); i >= 7*day && !slices.Equal(got, []int{day}) {
				t.Fatalf("seed %d: seasons %v after %d rows", seed, got, i+1)
			}
		}
	}
}

// A walk of hours has no season that is worth a name: of 40, at most one has one after 1,000 rows. The
// day had a share above .1 in 15 of them, for a share may be no larger than its standard error.
func TestSeasonsOfAWalkAreNotReported(t *testing.T) {
	reported := 0
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 3))
		f := newAuto(t, Config{Dim: 1, Horizon: 1, Tier: TierTiny}).NewSeries()
		clock, v := modeltest.As[eval.Clocked](t, f), 0.
		for i := range 1000 {
			v += rng.NormFloat64()
			clock.SetTime(modeltest.FirstOf2026 + int64(i)*3600e9)
			if err := f.Observe([]float64{v}); err != nil {
				t.Fatal(err)
			}
		}
		if len(modeltest.As[eval.Seasonal](t, f).AppendSeasons(nil)) > 0 {
			reported++
		}
	}
	if reported > 1 {
		t.Errorf("%d of 40 walks have a season", reported)
	}
}

// A season is reported from a share of .1 on until it is below .02.
func TestSeasonsDoNotComeAndGo(t *testing.T) {
	c := newCycle(1, 24)
	c.given = true // needs no proof
	for _, step := range []struct {
		share float64
		said  bool
	}{{.05, false}, {.2, true}, {.05, true}, {.01, false}, {.05, false}} {
		c.share[0].value = step.share
		if c.check(); c.said != step.said {
			t.Errorf("share %v: said %v", step.share, c.said)
		}
	}
}

// A season that is given is repeated as soon as it was seen once, at all horizons but
// the first, which is that of the experts. So it is in any unit: shapes have 32 bits.
func TestGivenSeasonIsRepeated(t *testing.T) {
	for _, unit := range []float64{1e-9, 1, 1e60} {
		testGivenSeason(t, unit)
	}
}

func testGivenSeason(t *testing.T, unit float64) {
	const season, H = 8, 12
	rng := rand.New(rand.NewPCG(3, 4))
	pattern := make([]float64, season)
	for i := range pattern {
		pattern[i] = unit * rng.NormFloat64()
	}
	f := newAuto(t, Config{Dim: 1, Horizon: H, Season: season}).NewSeries()
	forecast := make([]float64, H)
	for i := range 3 * season {
		if err := f.Observe([]float64{pattern[i%season]}); err != nil {
			t.Fatal(err)
		}
		f.ForecastTo(forecast)
		for h := 2; h <= H && i >= season; h++ {
			if want := pattern[(i+h)%season]; math.Abs(forecast[h-1]-want) > 1e-7*unit { // rounding to 32 bits
				t.Errorf("%d steps after sample %d: %g, not %g", h, i, forecast[h-1], want)
			}
		}
	}
}

// Twelve weeks of days: from the seventh week on, the squared error of one step is 2.4 times the
// noise. It was 26 times the noise while all weeks without a season spoke against the forecasts, and
// 5 times while they spoke against experts that know the season.
func TestYoungSeriesLearnsItsWeek(t *testing.T) {
	const noise = 4
	week := []float64{120, 130, 128, 125, 118, 60, 45}
	var sum, n float64
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 3))
		f := newAuto(t, Config{Dim: 1, Horizon: 1}).NewSeries()
		clock, out := modeltest.As[eval.Clocked](t, f), make([]float64, 1)
		for i := range 12 * 7 {
			y := week[i%7] + noise*rng.NormFloat64()
			if i >= 6*7 {
				sum, n = sum+(y-out[0])*(y-out[0]), n+1
			}
			clock.SetTime(modeltest.FirstOf2026 + int64(i)*86400e9)
			if err := f.Observe([]float64{y}); err != nil {
				t.Fatal(err)
			}
			f.ForecastTo(out)
		}
	}
	t.Logf("%.2f of the noise", sum/n/(noise*noise))
	if sum/n > 4*noise*noise {
		t.Errorf("squared error %.4g, of noise %d", sum/n, noise*noise)
	}
}
