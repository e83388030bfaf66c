package auto

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// The first days of each month have the phases 0, 1, …, the last ones …, 29, 30, and phases ascend.
func TestMonthPhase(t *testing.T) {
	before := MonthPhases - 1
	for d := time.Date(1960, 1, 1, 0, 0, 0, 0, time.UTC); d.Year() < 2030; d = d.AddDate(0, 0, 1) {
		got := MonthPhase(d.Unix() / 86400)
		switch next := d.AddDate(0, 0, 1); {
		case d.Day() <= monthBegin && got != d.Day()-1,
			next.Day() == 1 && got != MonthPhases-1,
			d.Day() > 1 && got <= before:
			t.Fatalf("%s: phase %d after %d", d.Format(time.DateOnly), got, before)
		}
		before = got
	}
}

// lastDays feeds n days with noise of .5, and 5 more on the last day of each month. It returns the root mean squared
// errors of one step and of 31 steps on the last days after the given day. The state is saved and restored on the way.
func lastDays(t *testing.T, r *rand.Rand, n, after int) (one, far float64) {
	t.Helper()
	const H = 31
	m := newAuto(t, Config{Dim: 1, Horizon: H})
	f, out := m.NewSeries(), make([]float64, H)
	pending, days := make([]float64, n+H), 0. // forecasts of 31 steps
	for i := range n {
		date := time.Date(2025, 1, 10+i, 0, 0, 0, 0, time.UTC)
		y := 20 + .5*r.NormFloat64()
		if date.AddDate(0, 0, 1).Day() == 1 {
			if y += 5; i > after {
				one, far, days = one+(out[0]-y)*(out[0]-y), far+(pending[i]-y)*(pending[i]-y), days+1
			}
		}
		if i == n/2 {
			saved := modeltest.SaveState(m, f)
			m = newAuto(t, Config{Dim: 1, Horizon: H})
			f = m.NewSeries()
			c := snapshot.NewDecoder(saved)
			m.State(c)
			f.State(c)
			if err := c.Finish(); err != nil {
				t.Fatal(err)
			}
		}
		modeltest.As[eval.Clocked](t, f).SetTime(date.UnixNano())
		if err := f.Observe([]float64{y}); err != nil {
			t.Fatal(err)
		}
		f.ForecastTo(out)
		pending[i+H] = out[H-1]
	}
	return math.Sqrt(one / days), math.Sqrt(far / days)
}

// From the sixth month on the error of the last days is a quarter of the 4.8 of a forecast of the mean, or less. The
// noise and the mean of five such days have .55; the rest is the share of the month, which is below 1 by its
// standard error.
func TestMonthEnd(t *testing.T) {
	r := rand.New(rand.NewPCG(91, 92))
	for range 5 {
		if one, far := lastDays(t, r, 520, 150); !(one < 1.2 && far < 1.2) {
			t.Errorf("errors of the last days: one step %.2f, 31 steps %.2f", one, far)
		}
	}
}

// The forecasts up to a day are the same whether or not there are days after it, before and after the month is known.
func TestMonthsDoNotLookAhead(t *testing.T) {
	const n, H = 420, 40
	r := rand.New(rand.NewPCG(95, 96))
	x, other := make([][]float64, n), make([][]float64, n)
	for i := range x {
		date := time.Unix(0, modeltest.FirstOf2026+int64(i)*daySpan).UTC()
		y := 20 + .5*r.NormFloat64()
		if date.AddDate(0, 0, 1).Day() == 1 {
			y += 5
		}
		x[i], other[i] = []float64{y}, []float64{1000 * r.NormFloat64()}
	}
	for _, tier := range Tiers {
		run := func(x [][]float64) ([][]float64, []int) {
			f := newAuto(t, Config{Dim: 1, Horizon: H, Tier: tier}).NewSeries()
			return runSpaced(t, f, x, modeltest.FirstOf2026, daySpan, H), modeltest.As[eval.Seasonal](t, f).AppendSeasons(nil)
		}
		whole, _ := run(x)
		for _, cut := range []int{65, 100, 380} {
			want, seasons := run(x[:cut])
			if cut == 380 && !slices.Contains(seasons, MonthPhases) {
				t.Errorf("%s: seasons %v after a year of months", tier, seasons)
			}
			got, _ := run(slices.Concat(x[:cut], other[cut:]))
			if err := modeltest.Same(want, whole[:cut]); err != nil {
				t.Errorf("%s: days from %d on change a forecast before: %v", tier, cut, err)
			}
			if err := modeltest.Same(want, got[:cut]); err != nil {
				t.Errorf("%s: other days from %d on change a forecast before: %v", tier, cut, err)
			}
		}
	}
}

// Of 200 daily walks and 200 noises at most 1 % have a month that is reported after a year.
func TestMonthsOfNoisesAreNotReported(t *testing.T) {
	r := rand.New(rand.NewPCG(93, 94))
	found := 0
	for k := range 400 {
		f := newAuto(t, Config{Dim: 1, Horizon: 1, Tier: TierTiny}).NewSeries()
		x := 0.
		for i := range 370 {
			e := r.NormFloat64()
			if x += e; k%2 == 1 {
				x = e
			}
			modeltest.As[eval.Clocked](t, f).SetTime(modeltest.FirstOf2026 + int64(i)*daySpan)
			if err := f.Observe([]float64{x}); err != nil {
				t.Fatal(err)
			}
		}
		for _, p := range modeltest.As[eval.Seasonal](t, f).AppendSeasons(nil) {
			if p == MonthPhases {
				found++
			}
		}
	}
	if found > 4 {
		t.Errorf("%d of 400 series without a season have a month", found)
	}
}
