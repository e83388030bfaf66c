package engine_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/anomaly"
	"github.com/orffvar/forecaster/eval/drift"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/streamtest"
	"github.com/orffvar/forecaster/varmodel"
)

// alarming finds a drift at each sample above 100 and says how unusual it was.
type alarming struct{ *streamtest.Drift }

func (m alarming) NewSeries() eval.Forecaster {
	return &alarmingSeries{Forecaster: m.Drift.NewSeries()}
}

type alarmingSeries struct {
	eval.Forecaster
	last float64
}

func (s *alarmingSeries) Observe(y []float64) error {
	s.last = y[0]
	return s.Forecaster.Observe(y)
}

func (s *alarmingSeries) Drift() (drift.Change, bool) {
	return drift.Change{Since: 7, Variable: int(s.last) - 102, Bias: s.last == 102, Action: map[bool]drift.Adaptation{true: drift.Forget, false: drift.None}[s.last == 102]}, s.last > 100
}

func (s *alarmingSeries) Anomaly() (float64, bool) { return s.last / 1000, s.last > 2 }

// TestModelsAreAsked: findings of a model become events, and a field of the observation of the same sample.
func TestModelsAreAsked(t *testing.T) {
	e, err := engine.New(engine.Config{
		Model: "m", NewModel: func(dim int) (eval.Model, error) { return alarming{streamtest.NewDrift(dim, 1, 0)}, nil }, Horizon: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	var b engine.Results
	for i, x := range []float64{1, 2, 101, 102, 3} {
		r := stream.Record{Message: &stream.Message{Offset: int64(i)}, Series: "s", Time: int64(i+1) * 1e9, Names: []string{"x", "y"}, Values: []float64{x, 0}}
		if err := streamtest.Apply(e, &b, &r); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, ev := range b.Events[1:] {
		got = append(got, fmt.Sprint(ev.Time/1e9, " ", ev.Kind, ": ", ev.Text))
	}
	want := "3 drift: the errors have been larger than usual for about 7 samples\n" +
		"4 drift: the errors of x have been of one sign for about 7 samples; action: forget"
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	for i, o := range b.Observations {
		if want := []float64{math.NaN(), math.NaN(), .101, .102, .003}[i]; o.LevelSetScore != want && !(math.IsNaN(want) && math.IsNaN(o.LevelSetScore)) {
			t.Errorf("sample %d: unusual %v, want %v", i, o.LevelSetScore, want)
		}
	}
}

// TestAnomaliesHaveACause: a jump of one variable is found at that sample, with the
// variable to blame; before it there is no alarm.
func TestAnomaliesHaveACause(t *testing.T) {
	e, err := engine.New(engine.Config{
		Model: "var1", NewModel: func(dim int) (eval.Model, error) {
			return varmodel.NewVAR(varmodel.VARConfig{Dim: dim, Order: 1, Horizon: 1})
		}, Horizon: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	const at = 700
	for i := range at + 1 {
		var b engine.Results
		y := []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		if i == at {
			y[1] = 60
		}
		record := stream.Record{Message: &stream.Message{Offset: int64(i)}, Series: "s", Time: int64(i+1) * 1e9, Values: y}
		if err := streamtest.Apply(e, &b, &record); err != nil {
			t.Fatal(err)
		}
		o := b.Observations[0]
		switch {
		case i < 100:
			if o.Share != nil || !math.IsNaN(o.AnomalyScore) || !math.IsNaN(o.VariableScores[0]) {
				t.Fatalf("sample %d: a score before anything is known: %+v", i, o)
			}
		case i < at:
			if !(o.AnomalyScore <= 1) || !(o.VariableScores[1] <= 1) {
				t.Errorf("sample %d: %+v", i, o)
			}
		default:
			if !(o.AnomalyScore > 1) || o.Cause != anomaly.Jump || !(o.Share[1] >= .9) || !(o.VariableScores[1] > 1) || !(o.VariableScores[0] <= 1) {
				t.Errorf("the jump: %+v", o)
			}
		}
	}
}
