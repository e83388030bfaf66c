package auto

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// A house of 200 days of hours: its load follows the hour, more so on workdays, and the cold in the evening alone.
// The other variable is the temperature. Noise and temperature remember.
func house(seed uint64, coupled bool) [][]float64 {
	rng := rand.New(rand.NewPCG(seed, 5101))
	rows := make([][]float64, 200*24)
	noise, cold := 0., 0.
	for i := range rows {
		hour, day := float64(i%24), i/24%7
		noise = .7*noise + .2*rng.NormFloat64()
		cold = .97*cold + .3*rng.NormFloat64()
		morning := 2 * math.Exp(-math.Pow((hour-8)/2, 2))
		evening := 3 * math.Exp(-math.Pow((hour-19)/2.5, 2))
		load := 5 + evening + noise
		if day < 5 {
			load += morning
		}
		if coupled {
			load += .8 * cold * evening / 3
		}
		rows[i] = []float64{load, 10 - 2*cold + 3*math.Sin(2*math.Pi*(hour-9)/24)}
	}
	return rows
}

// meanSquares returns the mean squared errors of the load one and six steps ahead, over the last half.
func meanSquares(t *testing.T, rows [][]float64, without ...Ingredient) (mse [2]float64) {
	const far = 6
	f := newAuto(t, Config{Dim: 2, Horizon: far, Without: without}).NewSeries()
	clock, _ := eval.As[eval.Clocked](f)
	out := make([][]float64, len(rows))
	for i, y := range rows {
		for k, h := range []int{1, far} {
			if i >= len(rows)/2 {
				e := out[i-h][2*(h-1)] - y[0]
				mse[k] += e * e / float64(len(rows)-len(rows)/2)
			}
		}
		clock.SetTime(modeltest.FirstOf2026 + int64(i)*3600e9)
		if err := f.Observe(y); err != nil {
			t.Fatal(err)
		}
		out[i] = make([]float64, 2*far)
		f.ForecastTo(out[i])
	}
	return mse
}

// Where the cold counts in the evening alone, the calendar takes 3 % off the mean squared error of one step; where
// hours and temperature add up, workdays are left, and it costs nothing. Over ten seeds the means are .942 and .990
// for one and six steps, and .983 and .993; they differ by .01 from pair to pair of seeds.
func TestCalendarKnowsWhenTheColdCounts(t *testing.T) {
	for _, c := range []struct {
		coupled bool
		most    [2]float64
	}{{true, [2]float64{.97, 1.005}}, {false, [2]float64{1, 1.01}}} {
		var logs [2]float64
		const seeds = 2
		for seed := range uint64(seeds) {
			rows := house(seed, c.coupled)
			with, without := meanSquares(t, rows), meanSquares(t, rows, partCalendar)
			for k := range logs {
				logs[k] += math.Log(with[k]/without[k]) / seeds
			}
		}
		for k, h := range []int{1, 6} {
			ratio := math.Exp(logs[k])
			if t.Logf("coupled %v, %d steps: %.3f", c.coupled, h, ratio); !(ratio <= c.most[k]) {
				t.Errorf("coupled %v, %d steps: the mean squared error is %.3f of that without the calendar", c.coupled, h, ratio)
			}
		}
	}
}

// On a circle of 24 with a second one of 168: the first harmonics at the target, and products of both circles.
func TestCalendarWaves(t *testing.T) {
	s := &seasons{cycles: []*cycle{{period: 3}, {period: 24, phase: 20}, {period: 168, phase: 41}}}
	c := &calendar{waves: make([]float64, wavesOf(2))}
	c.look(s, 10)
	day, week := 2*math.Pi*6/24, 2*math.Pi*51/168
	want := []float64{1}
	for k := 1.; k <= calendarShort; k++ {
		want = append(want, math.Cos(k*day), math.Sin(k*day))
	}
	for k := 1.; k <= calendarLong; k++ {
		want = append(want, math.Cos(k*week), math.Sin(k*week))
	}
	for _, v := range want[1 : 1+2*calendarBoth] {
		want = append(want, math.Cos(week)*v, math.Sin(week)*v)
	}
	if len(want) != wavesOf(2) {
		t.Fatalf("%d waves, not %d", wavesOf(2), len(want))
	}
	for i, v := range want {
		modeltest.Near(t, "a wave", c.waves[i], v, 1e-14) // some roundings of numbers up to 1
	}
}

// One sample in eight teaches, and each hour about as often: the golden ratio leaves gaps of three lengths.
func TestAllHoursTeach(t *testing.T) {
	var of [24]int
	for i := range 24 * 8 * 100 {
		if teaches(i, 8) {
			of[i%24]++
		}
	}
	for hour, n := range of {
		if n < 90 || n > 110 {
			t.Errorf("hour %d teaches %d times of 800, not about 100", hour, n)
		}
	}
}
