package auto

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// Blocks of one sample say 0, 1, 0, 2, 0 and see 0, 1, 0, 1, 0: changes x = 1, -1, 2, -2 and
// y = 1, -1, 1, -1. So b = 6/10, the rest is 4 - 3.6 = .4, its standard error sqrt(.4/10/3), and
// 10^2/34 equal changes. The products of samples sum to 3. The shape that says 2 for 1 is of three periods, so the noise is
// 3*2*(2-1) = 6, which counts a third for a shape of three periods.
func TestEvidenceOfBlocks(t *testing.T) {
	var e evidence
	for i, said := range []float64{0, 1, 0, 2, 0} {
		e.add(said, []float64{0, 1, 0, 1, 0}[i], []float64{1, 1, 1, 3, 3}[i])
		e.end()
	}
	se := math.Sqrt(.4 / 10 / 3)
	ratio := e.ratio()
	modeltest.Near(t, "the ratio", ratio, .6/((evidenceErrors+evidenceFew*.34)*se), 1e-12)
	modeltest.Near(t, "the share", e.share(0, 3), 3./(3+6/3), 1e-12)
	modeltest.Near(t, "the share with a prior of 1", e.share(1, 1), (3.+1)/(3+1+6), 1e-12)
	e.interrupt()
	e.add(5, 0, 1)
	e.end()
	if after := e.ratio(); after != ratio {
		t.Errorf("a change over a break counts: %v, not %v", after, ratio)
	}
}

// The first blocks are white beside the season: the rest of y is 2 - 3^2/5 = .2 with x and 2 without. The second ones walk:
// the changes 1, 1, -1, 1 of y have the squares 4, and 4 - 2^2/2 = 2 with the changes 1, 0, -1, 0 of x; all other memories
// leave more in both cases. The third ones are a trend, which needs no season.
func TestOddsOfBlocks(t *testing.T) {
	for _, c := range []struct {
		said, happened []float64
		want           float64
	}{
		{[]float64{0, 1, 0, 2, 0}, []float64{0, 1, 0, 1, 0}, 2 * math.Log(2/.2)},
		{[]float64{0, 1, 1, 0, 0}, []float64{0, 1, 2, 1, 2}, 2 * math.Log(4./2)},
		{[]float64{0, 1, 2, 3, 4}, []float64{0, 1, 2, 3, 4}, 0},
		{[]float64{0, 0, 0}, []float64{0, 0, 0}, 0},
		{[]float64{0, -1, 0}, []float64{0, 1, 0}, 0},
	} {
		var e evidence
		for i, said := range c.said {
			e.add(said, c.happened[i], 1)
			e.end()
		}
		modeltest.Near(t, "the odds", e.odds(), c.want, 1e-12)
	}
}

// Changes x = 1, -1, 2, -2, 1 and y = 1, 0, .5, -.5, 0 explain each other in part: their odds are between the limits. A
// season that has a share keeps it, one that has none gets none.
func TestShareIsKeptByLessEvidence(t *testing.T) {
	for _, before := range []float64{0, .5} {
		s := share{value: before}
		s.slope.every = 2 * evidenceBlocks // no term ends, so the evidence alone decides
		for i, said := range []float64{0, 1, 0, 2, 0, 1} {
			s.value = before
			for range 2 { // samples per block
				s.evidence.add(said, []float64{0, 1, 1, 1.5, 1, 1}[i], 1)
				if block, term := s.passes(); block {
					s.end(block, term, 2, false, true)
				}
			}
		}
		odds := s.evidence.odds()
		if odds <= evidenceKept || odds >= evidenceOdds {
			t.Fatalf("the odds are %v, outside of the limits", odds)
		}
		if (s.value > 0) != (before > 0) {
			t.Errorf("a share of %v becomes %v", before, s.value)
		}
	}
}

// A single step that repeats is no season yet: its rise and its fall are.
func TestEvidenceOfOneStep(t *testing.T) {
	var e evidence
	for i := range 12 {
		level := 0.
		if i >= 6 {
			level = 1
		}
		e.add(level, level, 1)
		e.end()
	}
	if ratio := e.ratio(); ratio != 0 {
		t.Errorf("evidence %v of one step", ratio)
	}
	e.add(0, 0, 1)
	e.end()
	if ratio := e.ratio(); !(ratio > 1) {
		t.Errorf("evidence %v of a rise and a fall", ratio)
	}
}

// After two days a forecast of half a day is nearly as good as the mean of the same hours, told the day; after
// four days it is as good. The geometric mean over 12 series of the ratio of errors is 1.3 and 1.1 over seeds,
// its logarithm has a standard error of .13 and .06; by the slope of whole days alone it is 3.0 after two.
func TestADayIsKnownAfterTwo(t *testing.T) {
	const period, half, days = 48, 24, 6
	shapes := map[string]func(u float64) float64{
		"waves": func(u float64) float64 { return math.Sin(2*math.Pi*u) + .4*math.Sin(4*math.Pi*u+1) },
		"office": func(u float64) float64 {
			if u > 1./3 && u < .75 {
				return 1.5
			}
			return -.5
		},
		"peaks": func(u float64) float64 {
			return 3*math.Exp(-math.Pow((u-.35)/.04, 2)) + 2*math.Exp(-math.Pow((u-.8)/.06, 2))
		},
	}
	logs, n := [2]float64{}, 0.
	for _, name := range []string{"waves", "office", "peaks"} {
		for _, memory := range []float64{0, .9} {
			for seed := range uint64(2) {
				rng := rand.New(rand.NewPCG(seed, 4801))
				ours, told := [2]float64{}, [2]float64{}
				f := newAuto(t, Config{Dim: 1, Horizon: half, Tier: TierLight}).NewSeries()
				clock, _ := eval.As[eval.Clocked](f)
				noise, x, dst := 0., []float64(nil), make([]float64, half)
				from, said, mean := map[int]int{}, map[int]float64{}, map[int]float64{}
				for i := range days * period {
					noise = memory*noise + math.Sqrt(1-memory*memory)*rng.NormFloat64()
					x = append(x, 10+shapes[name](float64(i%period)/period)+.3*noise)
					if k, known := from[i]; known {
						ours[k] += (said[i] - x[i]) * (said[i] - x[i])
						told[k] += (mean[i] - x[i]) * (mean[i] - x[i])
					}
					clock.SetTime(modeltest.FirstOf2026 + int64(i)*86400e9/period)
					if err := f.Observe(x[i:]); err != nil {
						t.Fatal(err)
					}
					day := (i + 1) / period
					if (day != 2 && day != 4) || i%4 != 0 || !f.ForecastTo(dst) {
						continue
					}
					to := i + half
					from[to], said[to] = day/2-1, dst[half-1]
					var sum, count float64
					for same := to % period; same <= i; same += period {
						sum, count = sum+x[same], count+1
					}
					mean[to] = sum / count
				}
				for k := range logs {
					logs[k] += math.Log(ours[k]/told[k]) / 2
				}
				n++
			}
		}
	}
	two, four := math.Exp(logs[0]/n), math.Exp(logs[1]/n)
	t.Logf("errors over those of the mean of the same hours: %.3f after two days, %.3f after four", two, four)
	if !(two < 1.8 && four < 1.25) {
		t.Errorf("errors over those of the mean of the same hours: %.3f after two days, %.3f after four", two, four)
	}
}

// A sine of 288 a day with noise of .3, 1,500 rows: the forecast of the next 96 steps is within .2 of the truth in
// the median of five seeds. The mean of the same hours is within .13 to .15, half of the noise; a season that began
// with the mean of an incomplete day, and with the shrinkage from before it, had .23.
func TestForecastsOfAStrongDayAreNearTheTruth(t *testing.T) {
	const period, ahead = 288, 96
	truth := func(i int) float64 { return 20 + 5*math.Sin(2*math.Pi*float64(i)/period) }
	var errors []float64
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 4803))
		f := newAuto(t, Config{Dim: 1, Horizon: ahead}).NewSeries()
		clock, _ := eval.As[eval.Clocked](f)
		const n = 1500
		for i := range n {
			clock.SetTime(modeltest.FirstOf2026 + int64(i)*86400e9/period)
			if err := f.Observe([]float64{truth(i) + .3*rng.NormFloat64()}); err != nil {
				t.Fatal(err)
			}
		}
		dst, sum := make([]float64, ahead), 0.
		f.ForecastTo(dst)
		for h, v := range dst {
			sum += (v - truth(n+h)) * (v - truth(n+h))
		}
		errors = append(errors, math.Sqrt(sum/ahead))
	}
	slices.Sort(errors)
	if t.Logf("RMSE %.3f", errors); !(errors[2] <= .2) {
		t.Errorf("RMSE %.3f, the median above .2", errors)
	}
}

// Of 200 walks and 200 noises with time stamps of hours and quarters of hours, at most 1 % report a season.
func TestSeasonsOfNoisesAreNotReported(t *testing.T) {
	for _, walk := range []bool{false, true} {
		reported := 0
		for seed := range uint64(200) {
			rng := rand.New(rand.NewPCG(seed, 4802))
			step := 3600e9 / (1 + 3*float64(seed%2))
			f := newAuto(t, Config{Dim: 1, Horizon: 1, Tier: TierTiny}).NewSeries()
			clock, _ := eval.As[eval.Clocked](f)
			seasons, _ := eval.As[eval.Seasonal](f)
			x, ever := 0., false
			for i := range 500 {
				if !walk {
					x = 0
				}
				x += rng.NormFloat64()
				clock.SetTime(modeltest.FirstOf2026 + int64(i)*int64(step))
				if err := f.Observe([]float64{x}); err != nil {
					t.Fatal(err)
				}
				ever = ever || i%24 == 0 && len(seasons.AppendSeasons(nil)) > 0
			}
			if ever {
				reported++
			}
		}
		if t.Logf("walk %v: %d of 200 with a season", walk, reported); reported > 2 {
			t.Errorf("walk %v: %d of 200 report a season", walk, reported)
		}
	}
}

// A disk that fills by .1 a row is cleaned up once, near the end of the first week or day. Nothing repeats a period
// later: the forecasts stay within the noise of .1 and the trend of 24 rows.
func TestOneDropIsNoSeason(t *testing.T) {
	const H = 24
	for _, c := range []struct {
		spacing     int64
		first, last int
	}{{3600e9, 140, 170}, {600e9, 115, 144}} {
		for at := c.first; at <= c.last; at += 5 {
			rng := rand.New(rand.NewPCG(97, uint64(at)))
			f, out := newAuto(t, Config{Dim: 1, Horizon: H}).NewSeries(), make([]float64, H)
			clock, y := modeltest.As[eval.Clocked](t, f), 0.
			for i := range 2 * c.last {
				y = 50 + .1*float64(i) + .1*rng.NormFloat64()
				if i >= at {
					y -= 25
				}
				clock.SetTime(modeltest.FirstOf2026 + int64(i)*c.spacing)
				if err := f.Observe([]float64{y}); err != nil {
					t.Fatal(err)
				}
				if i < at+20 || !f.ForecastTo(out) {
					continue
				}
				for h, v := range out {
					if !(math.Abs(v-y) < 5) {
						t.Fatalf("spacing %v, a drop at row %d: after row %d, %v, the forecast of %d steps is %v", time.Duration(c.spacing), at, i, y, h+1, v)
					}
				}
			}
		}
	}
}
