package wire

import (
	"math"
	"testing"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/streamtest"
)

// TestAutoSaysBoth: the default model says at once which experts it mixes and which
// variable drives which, with everything around it that can be configured.
func TestAutoSaysBoth(t *testing.T) {
	c := config.Default()
	c.Model.Influence, c.Model.Anomaly.LevelSets, c.Model.Joint = true, true, true
	c.Model.Calendar = []string{"hour"}
	e, err := NewEngine(c, stream.AllSeries)
	if err != nil {
		t.Fatal(err)
	}
	var b engine.Results
	x, y := 0.0, 0.0
	for i := range int64(400) {
		x, y = .5*x+math.Sin(float64(7*i%31)), .3*y+.8*x // x drives y
		r := stream.Record{Message: &stream.Message{Offset: i}, Series: "s", Time: i * 3600e9, Names: []string{"x", "y"}, Values: []float64{x, y}}
		if err := streamtest.Apply(e, &b, &r); err != nil {
			t.Fatal(err)
		}
	}
	if len(b.Insights) == 0 {
		t.Fatal("no insight")
	}
	in := b.Insights[len(b.Insights)-1]
	if len(in.Experts) < 5 || len(in.Weights) != 2*len(in.Experts) || len(in.Influence) != 4 {
		t.Fatalf("%+v", in)
	}
	if !(math.Abs(in.Influence[2]) > math.Abs(in.Influence[1])) {
		t.Errorf("influence %v: x drives y, not the other way round", in.Influence)
	}
	if o := b.Observations[len(b.Observations)-1]; math.IsNaN(o.LevelSetScore) || math.IsNaN(o.VariableScores[0]) {
		t.Errorf("%+v", o)
	}
}
