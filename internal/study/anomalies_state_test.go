package study

import (
	"fmt"
	"testing"

	"github.com/orffvar/forecaster/eval/simulate"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/streamtest"
)

// measureState compares the saved state of a series with that of one without anomaly scores.
func measureState(t *testing.T, m *measurement) {
	for _, tier := range []string{"full", "light", "tiny"} {
		text := ""
		for _, dim := range []int{1, 7, 38} {
			with, without := stateSize(t, tier, dim, false), stateSize(t, tier, dim, true)
			text += fmt.Sprintf("%.1f %% of %d kB  ", 100*(float64(with)/float64(without)-1), without/1000)
		}
		m.add("part of the state, 1, 7, 38 variables, tier "+tier, "<= 5 %", "%s", text)
	}
}

// stateSize returns the size of a checkpoint of one series of dim variables.
func stateSize(t *testing.T, tier string, dim int, without bool) int {
	t.Helper()
	const rows = 3000
	c := config.Default()
	c.Model.Tier = tier
	ec := wire.EngineConfig(c, stream.AllSeries)
	ec.Evaluation.NoAnomalies = without
	e, err := engine.New(ec)
	if err != nil {
		t.Fatal(err)
	}
	if err := recordsOf(simulate.Collect("noise", simulate.NewWhiteNoise(dim, 1), rows)).teach(t.Context(), &learner{engine: e, see: func(*stream.Batch, int) {}}); err != nil {
		t.Fatal(err)
	}
	return len(streamtest.Snapshot(e))
}
