package auto

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// As white noise, the squares around the mean are 38/7, and 4/5 within the weekend 2, 2 and the other days 0, 0, 0, 0, 1; as
// a walk, 9 and 1. In the second week, the changes 2, -2, 6, 2, -6, -2 have the squares 88, and 16 beside two jumps of 6; as
// white noise, 432/7 and 6.8. The last weekend is the last day and the first one.
func TestOddsOfWeekend(t *testing.T) {
	modeltest.Near(t, "the odds", oddsOfWeekend([weekDays]float64{0, 0, 0, 2, 2, 0, 1}, 3), 3*math.Log(38./7/.8), 1e-12)
	modeltest.Near(t, "the odds of a walk", oddsOfWeekend([weekDays]float64{0, 2, 0, 6, 8, 2, 0}, 3), 3*math.Log(88./16), 1e-12)
	modeltest.Near(t, "the odds of equal days", oddsOfWeekend([weekDays]float64{4, 4, 4, 4, 4, 4, 4}, 3), 0, 0)
	if odds := oddsOfWeekend([weekDays]float64{2, 0, 0, 0, 0, .1, 2}, 6); !(odds > weekendOdds) {
		t.Errorf("odds %v of a weekend in two parts", odds)
	}
}

// A weekend is found at each of its hours around the world and on each day after it, unless the last seven days lack
// one of its jumps: on the morning of its first and of its third day.
func TestFindWeekend(t *testing.T) {
	for start := saturday + firstWeekend - 1; start <= saturday+lastWeekend+1; start++ {
		for since := range weekDays {
			days := [weekDays]float64{10, 10.1, 9.9, 10, 10.2, 9.8, 10}
			if since > 0 {
				days[weekDays-since] -= 6
				days[(weekDays-since+1)%weekDays] -= 6
			}
			begin, found := findWeekend(days, (start+4*since)%weekQuarters)
			want := since != 0 && since != 2 && start >= saturday+firstWeekend && start <= saturday+lastWeekend
			if found != want || found && begin != start {
				t.Errorf("a weekend from quarter %d, %d days after its beginning: %v at %d", start, since, found, begin)
			}
		}
	}
	for name, days := range map[string][weekDays]float64{
		"one jump":       {10, 10.1, 9.9, 4, 4.2, 3.8, 4},
		"one day":        {10, 10.1, 9.9, 4, 10.2, 9.8, 10},
		"days that rise": {1, 2, 3, 4, 5, 6, 7},
	} {
		for next := range weekQuarters {
			if begin, found := findWeekend(days, next); found {
				t.Errorf("%s: a weekend from quarter %d", name, begin)
			}
		}
	}
}

// The shape of a week of 7 x 3 samples, where the weekend begins in the last sample: half of the way to the two mean days.
func TestShrinkToWeekend(t *testing.T) {
	c := newCycle(1, 21)
	c.open()
	for i := range c.mean {
		c.mean[i] = float32(i)
	}
	c.shrinkToWeekend(0, 20)
	for i, v := range c.mean {
		since := (i + 1) % 21 // the weekend has the samples 20, 0, 1 and 2, 3, 4; its days have 20 and 2, 0 and 3, 1 and 4
		mean := []float64{11, 1.5, 2.5}[since%3]
		if since >= 6 {
			mean = float64(5+8+11+14+17)/5 + float64(since%3)
		}
		modeltest.Near(t, fmt.Sprintf("phase %d", i), float64(v), (float64(i)+mean)/2, 1e-6)
	}
}

// The last seven days count only if no break is among them: the days before it would have other places in the week.
func TestNoWeekendAcrossABreak(t *testing.T) {
	c := newCycle(1, 3*weekQuarters)
	c.span, c.learnt, c.unit[0] = weekSpan, c.period, 1
	c.open()
	c.phase = 3*saturday - 1 - c.period/weekDays // the next sample begins a Friday, so the weekend was five to six days ago
	lag := func(i int) []float64 {
		if day := i * weekDays / c.period; day == 4 || day == 5 {
			return []float64{4}
		}
		return []float64{10 + float64(i%2)}
	}
	for _, c.run = range []int{c.period - 1, c.period} {
		if found := c.believeWeekends(lag, []float64{1}); found != (c.run == c.period) {
			t.Errorf("%d samples after a break, of %d per week: %v", c.run, c.period, found)
		}
	}
}

// weekendErrors runs sixteen days of a series with the day of an office, which begins on the given day of the week and in
// one of four time zones. It returns the mean absolute error one day ahead, over the second weekend and over what
// follows it, and whether the week had a prior before the second weekend.
func weekendErrors(t *testing.T, tier Tier, day func(i int) float64, begins int, seed uint64) (errors [2]float64, believed bool) {
	const period = 48
	f := newAuto(t, Config{Dim: 1, Horizon: period, Tier: tier}).NewSeries()
	s, clock := f.(*autoSeries), modeltest.As[eval.Clocked](t, f)
	zone := []int64{-10, -2, 0, 7}[seed%4] * 2
	monday := modeltest.FirstOf2026 + 4*daySpan + zone*hour/2
	dst, said := make([]float64, period), map[int]float64{}
	counts := [2]float64{}
	for i := begins * period; i < (begins+16)*period; i++ {
		y := day(i)
		clock.SetTime(monday + int64(i)*hour/2)
		if err := f.Observe([]float64{y}); err != nil {
			t.Fatal(err)
		}
		at := 1
		if i < 14*period {
			at = 0
		}
		if v, known := said[i]; known && i >= 12*period {
			errors[at] += math.Abs(v - y)
			counts[at]++
		}
		if f.ForecastTo(dst) {
			said[i+period] = dst[period-1]
		}
		for _, c := range s.seasons.cycles {
			believed = believed || i < 12*period && c.share[0].prior > 0
		}
	}
	return [2]float64{errors[0] / counts[0], errors[1] / counts[1]}, believed
}

// A week of work and weekend is known on Friday of its second week in each time zone, if the series begins before Friday.
// The level of the weekend is lower by 3, beside noise of standard deviation .3 and a day of amplitude 2: without the week,
// the mean error of the second weekend is 1.63, with it .43.
func TestSecondWeekendIsForecast(t *testing.T) {
	sum, n := 0., 0.
	for begins := range 4 {
		for seed := range uint64(4) {
			r := rand.New(rand.NewPCG(seed, 5201))
			office := youngDay("office", 48, .3, .5)(r)
			errors, believed := weekendErrors(t, TierLight, func(i int) float64 {
				if i/48%7 >= 5 {
					return office(i) - 3
				}
				return office(i)
			}, begins, seed)
			if !believed {
				t.Errorf("begin on day %d, seed %d: no prior of the week before the second weekend", begins, seed)
			}
			sum, n = sum+errors[0], n+1
		}
	}
	if t.Logf("mean absolute error of the second weekend, a day ahead: %.3f", sum/n); !(sum/n < .75) {
		t.Errorf("mean absolute error of the second weekend, a day ahead: %.3f", sum/n)
	}
}

// Noises, walks and days without a weekend seldom get one by chance, in their first twelve days: 5, 4 and 2 of 1,000 series.
func TestNoiseHasNoWeekend(t *testing.T) {
	for name, kind := range map[string]func(r *rand.Rand) func(i int) float64{
		"noise": func(r *rand.Rand) func(int) float64 { return func(int) float64 { return r.NormFloat64() } },
		"walk": func(r *rand.Rand) func(int) float64 {
			v := 0.
			return func(int) float64 { v += r.NormFloat64(); return v }
		},
		"day": youngDay("waves", 48, .3, .6),
	} {
		false := 0
		for seed := range uint64(50) {
			if _, believed := weekendErrors(t, TierTiny, kind(rand.New(rand.NewPCG(seed, 5202))), int(seed%5), seed); believed {
				false++
			}
		}
		if t.Logf("%s: %d of 50", name, false); false > 2 {
			t.Errorf("%s: %d of 50 have a prior of the week before the second weekend", name, false)
		}
	}
}
