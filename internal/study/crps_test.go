package study

import (
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/eval/simulate"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
)

// The errors of persistence on a random walk of steps of deviation 2 have the deviation 2 sqrt(h), and the best score is
// that over sqrt(pi). Half widths and quantiles that are learnt cost 1 %, chance is .9 % at one step and 1.8 % at four.
func TestCRPSOfPersistence(t *testing.T) {
	data := simulate.Collect("walk", newUnchanging("random walk", 5), 8000)
	rows := data.Series[0].Rows
	for _, row := range rows {
		row[0] *= 2
	}
	records := recordsOf(data)
	c := config.Default()
	c.Model.Type, c.Model.Horizon = "persistence", 4
	samples, err := records.Samples(t.Context(), c, 0)
	if err != nil {
		t.Fatal(err)
	}
	for scaled, unit := range map[int]float64{0: 1, len(rows): scoring.Scale(rows, len(rows), 0, 0)[0]} {
		o := Options{Horizons: []int{1, 4}, From: 2000, ScaleRows: scaled, Seeds: 1}
		out, err := EvaluateModel(t.Context(), c, records, samples, o, new(atomic.Int64))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range out.Results {
			want := unit * 2 * math.Sqrt(float64(r.Horizon)/math.Pi)
			if math.Abs(float64(r.CRPS)/want-1) > .01+.009*float64(r.Horizon) {
				t.Errorf("horizon %d in units of %v: %v, not %v", r.Horizon, unit, r.CRPS, want)
			}
		}
	}
	c.Model.Levels = nil
	out, err := EvaluateModel(t.Context(), c, records, samples, Options{Horizons: []int{1}, Seeds: 1}, new(atomic.Int64))
	if err != nil {
		t.Fatal(err)
	}
	if v := float64(out.Results[0].CRPS); v == v {
		t.Errorf("%v without intervals", v)
	}
}

// A constant is forecast without an error: its score is 0, and no skill is known.
func TestScoresOfAConstant(t *testing.T) {
	data := simulate.Collect("constant", newUnchanging("random walk", 5), 300)
	for _, row := range data.Series[0].Rows {
		row[0] = 5.1
	}
	records := recordsOf(data)
	c := config.Default()
	c.Model.Type = wire.Reference
	samples, err := records.Samples(t.Context(), c, 0)
	if err != nil {
		t.Fatal(err)
	}
	out, err := EvaluateModel(t.Context(), c, records, samples, Options{Horizons: []int{1}, Seeds: 1}, new(atomic.Int64))
	if err != nil {
		t.Fatal(err)
	}
	if r := out.Results[0]; r.CRPS != 0 || r.SkillVsVAR1 == r.SkillVsVAR1 {
		t.Errorf("CRPS %v, want 0; skill %v, want none", r.CRPS, r.SkillVsVAR1)
	}
}

// A forecast is scored by the quantiles that were issued with it: each origin has forecasts 1,000 from those of the next, and a
// wrong one would show. Samples that are not scored are learnt from, and a break drops what waits.
func TestCRPSScoresTheIssuedQuantiles(t *testing.T) {
	c := &crpsScores{horizons: []int{1, 3}, level: .9, sum: make([]float64, 2), n: make([]float64, 2)}
	f, err := c.follow(&stream.Series{Name: "s", Variables: []string{"x"}})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	at := func(i int) float64 { return 1000 * float64(i) }
	const rows, from, broken = 600, 200, 400
	for i := range rows {
		if i == broken {
			f.ResetLags()
		}
		f.Observe([]float64{at(i) + r.NormFloat64()}, i >= from)
		yhat, lower, upper := make([]float64, 3), make([]float64, 3), make([]float64, 3)
		for h := range yhat {
			yhat[h] = at(i + h + 1)
			lower[h], upper[h] = yhat[h]-1.645, yhat[h]+1.645
		}
		f.Issue(yhat, lower, upper)
	}
	for k, h := range c.horizons {
		if n := float64(rows - from - h); c.n[k] != n {
			t.Errorf("horizon %d: %v scores, not %v", h, c.n[k], n)
		}
		// Chance: 400 scores with a deviation of .7 of the mean.
		if mean := c.sum[k] / c.n[k] * math.Sqrt(math.Pi); math.Abs(mean-1) > .1 {
			t.Errorf("horizon %d: %v of the best score", h, mean)
		}
	}
}
