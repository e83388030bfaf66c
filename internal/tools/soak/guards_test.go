package soak

import (
	"flag"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/drift"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/event"
	"github.com/orffvar/forecaster/stream/streamtest"
	"github.com/orffvar/forecaster/varmodel"
	"github.com/orffvar/forecaster/varmodel/auto"
	"github.com/orffvar/forecaster/varmodel/interval"
)

var samples = flag.Int("samples", 12_000, "samples of TestGuards for each model; 1e7 takes minutes")

// period is the length of a disturbance with the calm after it, and disturbed
// that of the disturbance.
const (
	period    = 1000
	disturbed = 100
	recovery  = 500 // samples after which a model must be as good as before
)

// disturbances are what sensors do. Each changes a sample in place; i counts
// from the beginning of the disturbance. What is loud cannot be overlooked: an event
// of the series, dead letters or anomaly scores above 1 must say that something happened.
var disturbances = []struct {
	name string
	loud bool
	do   func(rng *rand.Rand, i int, y []float64)
}{
	{"stuck sensor", false, func(_ *rand.Rand, _ int, y []float64) { y[0] = 1 }},
	{"all stuck", true, func(_ *rand.Rand, _ int, y []float64) {
		for j := range y {
			y[j] = 2
		}
	}},
	{"outliers of 1e6", true, func(rng *rand.Rand, i int, y []float64) {
		if i%10 == 0 {
			y[rng.IntN(len(y))] = 1e6
		}
	}},
	{"silence", false, func(_ *rand.Rand, _ int, y []float64) {
		for j := range y {
			y[j] = math.NaN()
		}
	}},
	{"one outlier of 1e45", true, func(_ *rand.Rand, i int, y []float64) {
		if i == 50 {
			y[1] = 1e45
		}
	}},
	{"beyond the limit", true, func(_ *rand.Rand, _ int, y []float64) { y[2] = 1e300 }},
	{"denormals", false, func(_ *rand.Rand, _ int, y []float64) { y[0], y[1] = 5e-324, -5e-324 }},
	{"another level", true, func(_ *rand.Rand, _ int, y []float64) { y[0] += 1e4 }},
}

// outcome is what came of a kind of disturbance.
type outcome struct {
	times, silent int            // how often, and without any word about it
	events        map[string]int // by kind, of dead letters by reason, and anomalies
	worst         float64        // skill against repeating the last value, recovered
}

// TestGuards: no disturbance leads to a forecast that is not finite, or to the reset of a model. 500 samples after a
// disturbance the model is better than persistence again, and large disturbances have an event.
//
//	go test ./internal/tools/soak -v -timeout 0 -run Guards -samples 10000000
func TestGuards(t *testing.T) {
	const dim, horizon = 3, 2
	levels := []float64{.9}
	models := map[string]func(dim int) (eval.Model, error){
		"var": func(dim int) (eval.Model, error) {
			return varmodel.NewVAR(varmodel.VARConfig{Dim: dim, Order: 2, Horizon: horizon})
		},
		"orffvar": func(dim int) (eval.Model, error) {
			return auto.NewORFFVAR(auto.ORFFVARConfig{Dim: dim, Order: 2, Horizon: horizon, Frequencies: 20, Seed: 1})
		},
		"auto": func(dim int) (eval.Model, error) {
			return auto.New(auto.Config{Dim: dim, Horizon: horizon, Seed: 1})
		},
	}
	for _, name := range []string{"var", "orffvar", "auto"} {
		t.Run(name, func(t *testing.T) {
			e, err := engine.New(engine.Config{
				Model: name, Horizon: horizon, Levels: levels, Config: assemble.Config{Interval: time.Second, MaxGap: 1000},
				NewModel: func(dim int) (eval.Model, error) {
					m, err := models[name](dim)
					if err == nil {
						m, err = interval.WithDrift(m, interval.DriftConfig{Dim: dim, Horizon: horizon, Action: drift.None, FalseAlarms: 1e-4})
					}
					if err == nil {
						m, err = interval.WithIntervals(m, interval.Config{Dim: dim, Horizon: horizon, Levels: levels})
					}
					return m, err
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(1, 2))
			outcomes := make([]outcome, len(disturbances))
			for i := range outcomes {
				outcomes[i] = outcome{events: make(map[string]int), worst: 1}
			}
			said := 0
			var b engine.Results
			var model, naive float64 // squared errors after the recovery
			last := make([]float64, dim)
			x, v := 1., 0.
			for i := range *samples {
				// A damped oscillation that noise keeps going, and two copies of it.
				x, v = x+.3*v, .8*v-.3*x+.1*rng.NormFloat64()
				clean := []float64{x, v, x * v}
				y := append([]float64(nil), clean...)
				d, out := disturbances[i/period%len(disturbances)], &outcomes[i/period%len(disturbances)]
				in := i % period
				if in == 0 {
					said = 0
				}
				if in < disturbed && i >= period {
					d.do(rng, in, y)
				}
				m := stream.Message{Topic: "in", Offset: int64(i)}
				if err := streamtest.Apply(e, &b, &stream.Record{Message: &m, Series: "s", Time: int64(i+1) * 1e9, Values: y}); err != nil {
					t.Fatalf("%s, sample %d: %v", d.name, i, err)
				}
				for _, o := range b.Observations {
					if in < disturbed && o.AnomalyScore > 1 {
						out.events["anomaly"]++
						said++
					}
					for j, r := range o.Residual {
						if math.IsInf(r, 0) {
							t.Fatalf("%s, sample %d: a residual of %v", d.name, i, r)
						}
						if in > disturbed+recovery && !math.IsNaN(r) && i > period {
							model += r * r / 1e4
							naive += (clean[j] - last[j]) * (clean[j] - last[j]) / 1e4
						}
					}
				}
				for _, f := range b.Forecasts {
					for _, s := range f.Yhat {
						if math.IsNaN(s) || math.IsInf(s, 0) {
							t.Fatalf("%s, sample %d: a forecast of %v", d.name, i, s)
						}
					}
				}
				for _, e := range b.Events {
					out.events[e.Kind]++
					said++
				}
				for _, l := range b.DeadLetters {
					out.events[string(l.Reason)]++
					said++
				}
				copy(last, clean)
				b.Reset()
				if in == period-1 {
					if i > period {
						skill := 1 - model/naive
						if out.worst = min(out.worst, skill); !(skill > 0) {
							t.Errorf("%s, up to sample %d: skill %.3f", d.name, i, skill)
						}
						out.times++
						if said == 0 {
							out.silent++
						}
					}
					model, naive = 0, 0
				}
			}
			for i, d := range disturbances {
				o := outcomes[i]
				t.Logf("%-20s %5d times, worst skill after 500 samples %.3f, without a word %d times, said: %v", d.name, o.times, o.worst, o.silent, o.events)
				if n := o.events[event.Reset]; n > 0 {
					t.Errorf("%s: %d times the forecasts were not finite and the model began again", d.name, n)
				}
				if d.loud && o.silent > 0 {
					t.Errorf("%s: %d of %d times there was neither an event nor a dead letter nor an anomaly", d.name, o.silent, o.times)
				}
			}
		})
	}
}
