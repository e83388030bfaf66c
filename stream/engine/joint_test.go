package engine_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/streamtest"
	"github.com/orffvar/forecaster/varmodel"
	"github.com/orffvar/forecaster/varmodel/interval"
)

// TestJointRegion: forecasts have it, NaN at first, and it is scored: of 2000
// samples 90 % are inside, give or take three standard deviations of a share (0.02)
// of a process whose variables are independent, so that intervals of 90 % would hold
// three of them in 73 %.
func TestJointRegion(t *testing.T) {
	levels := []float64{.9, .5}
	e, err := engine.New(engine.Config{
		Model: "var1", Horizon: 2, Emit: []int{2}, Levels: levels, Joint: true, MetricsEvery: 2000, Config: assemble.Config{Interval: 1e9},
		NewModel: func(dim int) (eval.Model, error) {
			m, err := varmodel.NewVAR(varmodel.VARConfig{Dim: dim, Order: 1, Horizon: 2})
			if err == nil {
				m, err = interval.WithIntervals(m, interval.Config{Dim: dim, Horizon: 2, Levels: levels})
			}
			if err != nil {
				return nil, err
			}
			return interval.WithJoint(m, interval.JointConfig{Dim: dim, Horizon: 2, Levels: levels})
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(7, 7))
	for i := range int64(2000) {
		var b engine.Results
		record := stream.Record{
			Message: &stream.Message{Offset: i}, Series: "s", Time: (i + 1) * 1e9,
			Values: []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()},
		}
		if err := streamtest.Apply(e, &b, &record); err != nil {
			t.Fatal(err)
		}
		if len(b.Forecasts) == 0 {
			continue
		}
		f := &b.Forecasts[0]
		if len(f.JointLower) != 3 || len(f.JointUpper) != 3 {
			t.Fatalf("sample %d: %+v", i, f)
		}
		for j := range f.JointLower {
			switch known := !math.IsNaN(f.JointLower[j]); {
			case known != (i > 100) && (i < 20 || i > 200):
				t.Fatalf("sample %d: region %v to %v", i, f.JointLower, f.JointUpper)
			case i > 1000 && (f.JointLower[j] > f.Lower[j] || f.JointUpper[j] < f.Upper[j]):
				t.Fatalf("sample %d: the region %v to %v is inside the interval %v to %v", i, f.JointLower[j], f.JointUpper[j], f.Lower[j], f.Upper[j])
			}
		}
		for _, m := range b.Metrics {
			if m.Target != stream.AllTargets {
				if !math.IsNaN(m.Score.Joint) {
					t.Errorf("%s has a joint coverage", m.Target)
				}
			} else if !(math.Abs(m.Score.Joint-.9) <= .02) {
				t.Errorf("%.3f inside", m.Score.Joint)
			}
		}
	}
}
