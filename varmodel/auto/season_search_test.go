package auto

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
)

// TestSeasonOfOneVariable finds the season of one variable without a clock, whatever is beside it: white noise,
// or random walks. A season of variance 1.4 in noise of variance 1 has a score near 1/2, five times the
// standard error of a score of 100 samples.
func TestSeasonOfOneVariable(t *testing.T) {
	const rows, period = 2000, 24
	for _, kind := range []struct {
		name string
		keep float64 // of the last value of the other variables
		dim  int
	}{{"alone", 0, 1}, {"noise", 0, 2}, {"noise", 0, 16}, {"walks", 1, 4}} {
		for seed := range uint64(4) {
			rng := rand.New(rand.NewPCG(seed, 24))
			f := newAuto(t, Config{Dim: kind.dim, Horizon: 1, Tier: "light"}).NewSeries()
			y := make([]float64, kind.dim)
			for i := range rows {
				for j := range y {
					y[j] = kind.keep*y[j] + rng.NormFloat64()
				}
				turn := 2 * math.Pi * float64(i) / period
				y[0] = rng.NormFloat64() + 1.5*math.Sin(turn) + .75*math.Sin(2*turn+1)
				if err := f.Observe(y); err != nil {
					t.Fatal(err)
				}
			}
			seasonal, _ := eval.As[eval.Seasonal](f)
			if got := seasonal.AppendSeasons(nil); !slices.Equal(got, []int{period}) {
				t.Errorf("%s, %d variables, seed %d: seasons of %v samples, of %d in truth", kind.name, kind.dim, seed, got, period)
			}
		}
	}
}

// TestSeasonOfAYoungSeries finds the season of 98 samples without a clock in most series: a profile of random values of
// variance 1 in noise of variance 1/4, beside three variables of noise. Random walks and noise have no season.
func TestSeasonOfAYoungSeries(t *testing.T) {
	const rows, dim, seeds = 98, 4, 20
	for _, kind := range []struct {
		name   string
		period int
		keep   float64 // of the last value, without a period
	}{{"7 samples", 7, 0}, {"12 samples", 12, 0}, {"noise", 0, 0}, {"walks", 0, 1}} {
		found := 0
		for seed := range uint64(seeds) {
			rng := rand.New(rand.NewPCG(seed, 98))
			f := newAuto(t, Config{Dim: dim, Horizon: 1, Tier: "light"}).NewSeries()
			profile, y := make([]float64, kind.period), make([]float64, dim)
			for i := range profile {
				profile[i] = rng.NormFloat64()
			}
			for i := range rows {
				for j := range y {
					y[j] = kind.keep*y[j] + rng.NormFloat64()
				}
				if kind.period > 0 {
					y[0] = profile[i%kind.period] + rng.NormFloat64()/2
				}
				if err := f.Observe(y); err != nil {
					t.Fatal(err)
				}
			}
			seasonal, _ := eval.As[eval.Seasonal](f)
			got := seasonal.AppendSeasons(nil)
			if slices.Equal(got, []int{kind.period}) {
				found++
			} else if kind.period == 0 && len(got) > 0 {
				t.Errorf("%s, seed %d: seasons of %v samples", kind.name, seed, got)
			}
		}
		t.Logf("%s: %d of %d found", kind.name, found, seeds)
		if kind.period > 0 && found < seeds/2 {
			t.Errorf("%s: found in %d of %d series", kind.name, found, seeds)
		}
	}
}

// TestFoundSeasonsSurviveARestart saves and restores a series after each sample, through searches, a found season and a
// corrected one. Its forecasts are the same bits as those of a series that was never saved.
func TestFoundSeasonsSurviveARestart(t *testing.T) {
	const rows, period, dim, horizon = 460, 24, 3, 8
	for _, tier := range []Tier{TierFull, TierLight} {
		config := Config{Dim: dim, Horizon: horizon, Tier: tier}
		whole, m := newAuto(t, config).NewSeries(), newAuto(t, config)
		parts := m.NewSeries()
		rng := rand.New(rand.NewPCG(12, 24))
		found := map[int]bool{}
		y := make([]float64, dim)
		var want, got [dim * horizon]float64
		for i := range rows {
			for j := range y {
				y[j] = rng.NormFloat64()
			}
			y[0] += 1000 + 1.5*math.Sin(2*math.Pi*float64(i)/period)
			for _, f := range []eval.Forecaster{whole, parts} {
				if err := f.Observe(y); err != nil {
					t.Fatal(err)
				}
			}
			c := snapshot.NewEncoder(nil)
			m.State(c)
			parts.State(c)
			m = newAuto(t, config)
			parts = m.NewSeries()
			d := snapshot.NewDecoder(c.Bytes())
			m.State(d)
			parts.State(d)
			if err := d.Finish(); err != nil {
				t.Fatal(err)
			}
			whole.ForecastTo(want[:])
			if parts.ForecastTo(got[:]); got != want {
				t.Fatalf("%s: the forecasts after row %d are %v, without restarts %v", tier, i, got, want)
			}
			for _, c := range whole.(*autoSeries).seasons.cycles {
				found[c.period] = true
			}
		}
		if !found[period] || len(found) < 2 {
			t.Errorf("%s: cycles of %v samples, %d and another are wanted", tier, found, period)
		}
	}
}

// TestCyclesWithoutAShareAreNotFollowed searches autocorrelated noise of seven variables, in which most searches propose
// a period. Such a cycle learns no sample after its trial.
func TestCyclesWithoutAShareAreNotFollowed(t *testing.T) {
	const rows, dim = 6000, 7
	rng := rand.New(rand.NewPCG(9, 10))
	f := newAuto(t, Config{Dim: dim, Horizon: 1, Tier: "light"}).NewSeries().(*autoSeries)
	y := make([]float64, dim)
	proposed, stopped := 0, 0
	for range rows {
		for j := range y {
			y[j] = .9*y[j] + rng.NormFloat64()
		}
		learnt, failed := map[*cycle]int{}, map[*cycle]bool{}
		for _, c := range f.seasons.cycles {
			learnt[c] = c.learnt
			failed[c] = !c.active && c.learnt >= freeTrial*c.period
		}
		if err := f.Observe(y); err != nil {
			t.Fatal(err)
		}
		for _, c := range f.seasons.cycles {
			before, old := learnt[c]
			if !old {
				proposed++
				continue
			}
			if failed[c] {
				stopped++
			}
			if follows := c.learnt > before; follows == failed[c] {
				t.Fatalf("a cycle of %d samples has learnt %d samples; share: %t; followed: %t", c.period, before, c.active, follows)
			}
		}
	}
	if proposed == 0 || stopped == 0 {
		t.Errorf("%d cycles proposed, %d samples not learnt by a cycle: both must be more than 0", proposed, stopped)
	}
}
