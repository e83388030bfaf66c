package auto

import (
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/varmodel"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// A week of minutes is the longest natural period: a series that uses it can be saved and restored,
// and the simple forecast with it exists.
func TestSeasonOfAWeekOfMinutes(t *testing.T) {
	const week = 7 * 24 * 60
	for _, c := range []struct{ configured, samples int }{{0, 5 * week}, {week, 2*week + 100}} {
		m, err := New(Config{Dim: 1, Horizon: 2, Season: c.configured})
		if err != nil {
			t.Fatal(err)
		}
		f := m.NewSeries()
		clock, _ := eval.As[eval.Clocked](f)
		seasons, _ := eval.As[eval.Seasonal](f)
		r := rand.New(rand.NewPCG(1, 2))
		for i := range c.samples {
			v := r.NormFloat64()
			if i%week >= 5*24*60 {
				v += 20
			}
			clock.SetTime(modeltest.FirstOf2026 + int64(i)*60e9)
			if err := f.Observe([]float64{v}); err != nil {
				t.Fatal(err)
			}
		}
		if got := seasons.AppendSeasons(nil); len(got) == 0 || got[0] != week {
			t.Errorf("%+v: seasons %v", c, got)
		}
		state := snapshot.NewDecoder(modeltest.SaveState(m, f))
		m.State(state)
		m.NewSeries().State(state)
		if err := state.Finish(); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if _, err := varmodel.NewSeasonal(varmodel.SeasonalConfig{Dim: 1, Horizon: 1, Period: week}); err != nil {
		t.Error(err)
	}
}
