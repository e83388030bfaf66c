package job

import (
	"math"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/stream"
)

// forecaster_skill has the definition of evaluate over all series, 1 - NMSE / NMSE of persistence: not the
// mean of the skills of series, which one series with a small error of persistence would decide.
func TestSkillOfAllSeries(t *testing.T) {
	l := &Live{}
	var b stream.Batch
	for name, s := range map[string]struct{ nmse, persistence float64 }{"a": {.5, 1}, "b": {.3, .1}, "still": {math.NaN(), math.NaN()}} {
		score := scoring.NoScore()
		score.NMSE, score.SCVMSE, score.SkillVsNaive = s.nmse, 2, scoring.Skill(s.nmse, s.persistence)
		b.Metrics = append(b.Metrics, stream.Metric{
			Series: &stream.Series{Name: name, Variables: []string{"x"}}, Target: stream.AllTargets, Model: "auto", Horizon: 1, Score: score,
		})
	}
	if err := l.Board.Write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	got := make(map[*prometheus.Desc]float64)
	(&metrics{l: l}).collectScores(func(d *prometheus.Desc, v float64, _ ...string) { got[d] = v })
	if want := 1 - .8/1.1; math.Abs(got[descSkill]-want) > 1e-12 || got[descMSE] != 2 {
		t.Errorf("skill %v, want %v; mse %v", got[descSkill], want, got[descMSE])
	}
}
