package study

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/orffvar/forecaster/eval/simulate"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
)

// An evaluation that is stopped within its last block says so, and has no outcome of a part of the rows.
func TestEvaluationStopsWithinABlock(t *testing.T) {
	records := recordsOf(simulate.Collect("noise", simulate.NewWhiteNoise(1, 1), 100))
	c := config.Default()
	c.Model.Type = "var1"
	samples, err := records.Outline(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	models := []Candidate{{Config: c, Observers: []func(*stream.Batch){func(*stream.Batch) { stop() }}}}
	if out, err := EvaluateModels(ctx, models, records, samples, Options{Horizons: []int{1}, Seeds: 1}, new(atomic.Int64)); !errors.Is(err, context.Canceled) {
		t.Errorf("%+v, error %v", out, err)
	}
}

// Models that share their passes over the records have the outcome of each on its own.
func TestModelsShareAPass(t *testing.T) {
	records := recordsOf(simulate.Collect("noise", simulate.NewWhiteNoise(2, 1), 700))
	c := config.Default()
	samples, err := records.Outline(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Horizons: []int{1}, From: 50, Seeds: 2, Pooled: true}
	var models []Candidate
	var alone []*Outcome
	for _, name := range []string{"orffvar", "var1", "kernelvar"} {
		one := *c
		one.Model.Type = name
		models = append(models, Candidate{Config: &one})
		begun := time.Now()
		out, err := EvaluateModel(t.Context(), &one, records, samples, o, new(atomic.Int64))
		if err != nil {
			t.Fatal(err)
		}
		if speed, least := float64(out.Results[0].SamplesPerSecond), 700/time.Since(begun).Seconds(); !(speed >= least && speed < 1e9) {
			t.Errorf("%s: %v samples per second, the whole run has %v", name, speed, least)
		}
		alone = append(alone, out)
	}
	var steps atomic.Int64
	together, err := EvaluateModels(t.Context(), models, records, samples, o, &steps)
	if err != nil {
		t.Fatal(err)
	}
	if steps.Load() != 5*700 { // two seeds of two models, one of var1
		t.Errorf("%d steps, want %d", steps.Load(), 5*700)
	}
	for i := range alone {
		for _, out := range []*Outcome{alone[i], together[i]} {
			for k := range out.Results {
				out.Results[k].SamplesPerSecond = 0
			}
		}
		if got, want := fmt.Sprintf("%+v", *together[i]), fmt.Sprintf("%+v", *alone[i]); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", models[i].Config.Model.Type, got, want)
		}
	}
}
