package engine_test

import (
	"math"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/streamtest"
	"github.com/orffvar/forecaster/varmodel"
	"github.com/orffvar/forecaster/varmodel/interval"
)

// A variable without any value has no forecast, no bounds and no region, also after a restart. It has forecasts from its
// first value on, and bounds at h steps after 20 + h values: each of 20 values has then been compared with a forecast.
func TestVariableWithoutValues(t *testing.T) {
	const first, horizon = 30, 2
	levels := []float64{.5, .9}
	open := func() *engine.Engine {
		return streamtest.NewEngine(t, engine.Config{
			Model: "var1", Horizon: horizon, Emit: []int{1, 2}, Levels: levels, Joint: true,
			NewModel: func(dim int) (eval.Model, error) {
				m, err := varmodel.NewVAR(varmodel.VARConfig{Dim: dim, Order: 1, Horizon: horizon})
				if err == nil {
					m, err = interval.WithIntervals(m, interval.Config{Dim: dim, Horizon: horizon, Levels: levels})
				}
				if err != nil {
					return nil, err
				}
				return interval.WithJoint(m, interval.JointConfig{Dim: dim, Horizon: horizon, Levels: levels})
			},
		})
	}
	e := open()
	known := func(v []float64, j int) bool { return !math.IsNaN(v[j]) }
	for i := range 100 {
		late := math.NaN()
		if i >= first {
			late = 60 + math.Sin(float64(i*i))
		}
		if i == first/2 || i == first+10 {
			state := streamtest.Snapshot(e)
			e = open()
			if err := streamtest.Restore(e, state); err != nil {
				t.Fatal(err)
			}
		}
		var b engine.Results
		r := stream.Record{Message: &stream.Message{Offset: int64(i)}, Series: "s", Time: int64(i+1) * 1e9, Names: []string{"late", "x"}, Values: []float64{late, math.Sin(float64(i))}}
		if err := streamtest.Apply(e, &b, &r); err != nil {
			t.Fatal(err)
		}
		for _, f := range b.Forecasts {
			for l := range levels {
				bounded := known(f.Lower, 2*l) && known(f.Upper, 2*l)
				if want := i >= first+20+f.Horizon-1; bounded != want {
					t.Errorf("sample %d, %d steps: bounds %v", i, f.Horizon, f.Lower)
				}
			}
			if seen := i >= first; known(f.Yhat, 0) != seen || !known(f.Yhat, 1) || !seen && known(f.JointLower, 0) {
				t.Errorf("sample %d: forecasts %v, region from %v", i, f.Yhat, f.JointLower)
			}
		}
		if i > 3 && len(b.Forecasts) != horizon {
			t.Fatalf("sample %d: %d forecasts", i, len(b.Forecasts))
		}
	}
}
