package soak

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/varmodel"
)

var samples = flag.Int("samples", 12_000, "samples of TestGuards for each model; 1e7 takes hours")

// period is the length of a disturbance with the calm after it, and disturbed
// that of the disturbance.
const (
	period    = 1000
	disturbed = 100
	recovery  = 500 // samples after which a model must be as good as before
)

// disturbances are what sensors do. Each changes a sample in place; i counts
// from the beginning of the disturbance.
var disturbances = []struct {
	name string
	do   func(rng *rand.Rand, i int, y []float64)
}{
	{"stuck sensor", func(_ *rand.Rand, _ int, y []float64) { y[0] = 1 }},
	{"all stuck", func(_ *rand.Rand, _ int, y []float64) {
		for j := range y {
			y[j] = 2
		}
	}},
	{"outliers of 1e6", func(rng *rand.Rand, i int, y []float64) {
		if i%10 == 0 {
			y[rng.IntN(len(y))] = 1e6
		}
	}},
	{"silence", func(_ *rand.Rand, _ int, y []float64) {
		for j := range y {
			y[j] = math.NaN()
		}
	}},
	{"one outlier of 1e45", func(_ *rand.Rand, i int, y []float64) {
		if i == 50 {
			y[1] = 1e45
		}
	}},
	{"beyond the limit", func(_ *rand.Rand, _ int, y []float64) { y[2] = 1e300 }},
	{"denormals", func(_ *rand.Rand, _ int, y []float64) { y[0], y[1] = 5e-324, -5e-324 }},
	{"another level", func(_ *rand.Rand, _ int, y []float64) { y[0] += 1e4 }},
}

// TestGuards: no disturbance makes a forecast that is not finite, and some time
// after it the model is again better than repeating the last value.
func TestGuards(t *testing.T) {
	const dim, horizon = 3, 2
	levels := []float64{.9}
	models := map[string]func(dim int) (eval.Model, error){
		"var": func(dim int) (eval.Model, error) {
			return varmodel.NewVAR(varmodel.VARConfig{Dim: dim, Order: 2, Horizon: horizon})
		},
		"orffvar": func(dim int) (eval.Model, error) {
			return varmodel.NewORFFVAR(varmodel.ORFFVARConfig{Dim: dim, Order: 2, Horizon: horizon, Frequencies: 20, Seed: 1})
		},
		"auto": func(dim int) (eval.Model, error) {
			return varmodel.NewAuto(varmodel.AutoConfig{Dim: dim, Horizon: horizon, Seed: 1})
		},
	}
	for _, name := range []string{"var", "orffvar", "auto"} {
		t.Run(name, func(t *testing.T) {
			engine, err := stream.NewEngine(stream.EngineConfig{
				Model: name, Horizon: horizon, Levels: levels, Interval: time.Second, MaxGap: 1000, GoodCopy: 500,
				NewModel: func(dim int) (eval.Model, error) {
					m, err := models[name](dim)
					if err == nil {
						m, err = varmodel.NewIntervals(m, varmodel.IntervalConfig{Dim: dim, Horizon: horizon, Levels: levels})
					}
					return m, err
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(1, 2))
			events := make(map[string]int)
			var b stream.Batch
			var model, naive float64 // squared errors after the recovery
			last := make([]float64, dim)
			x, v := 1., 0.
			for i := range *samples {
				// A damped oscillation that noise keeps going, and two copies of it.
				x, v = x+.3*v, .8*v-.3*x+.1*rng.NormFloat64()
				clean := []float64{x, v, x * v}
				y := append([]float64(nil), clean...)
				d := disturbances[i/period%len(disturbances)]
				in := i % period
				if in < disturbed && i >= period {
					d.do(rng, in, y)
				}
				m := stream.Message{Topic: "in", Offset: int64(i)}
				if err := engine.Apply(&b, &stream.Record{Message: &m, Series: "s", Time: int64(i+1) * 1e9, Values: y}); err != nil {
					t.Fatalf("%s, sample %d: %v", d.name, i, err)
				}
				for _, o := range b.Observations {
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
					events[e.Kind]++
				}
				copy(last, clean)
				b.Reset()
				if in == period-1 {
					if i > period && !(model < naive) {
						t.Errorf("%s, up to sample %d: skill %.3f", d.name, i, 1-model/naive)
					}
					model, naive = 0, 0
				}
			}
			t.Log(fmt.Sprint(events))
		})
	}
}
