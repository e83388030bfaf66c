package interval

import (
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/drift"
	"github.com/orffvar/forecaster/varmodel"
	"github.com/orffvar/forecaster/varmodel/auto"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// What the actions at a drift are worth on the nine series: the default is to do
// nothing as long as none of them lowers the mean without a loss of .5 % anywhere. A
// smaller loss is chance: the spread of a series over seeds is .44 % in the mean, see gates.csv.
func TestProtocolDrift(t *testing.T) {
	modeltest.Measuring(t)
	sets := modeltest.LoadNine(t)
	persistence := func(d int) (eval.Model, error) {
		return varmodel.NewPersistence(varmodel.PersistenceConfig{Dim: d, Horizon: 1})
	}
	var nothing []float64
	var nothingMean float64
	for _, a := range []drift.Adaptation{drift.None, drift.Forget, drift.ResetScaler, drift.Restart} {
		var alarms []*int
		v, mean := modeltest.Relative(t, sets, persistence, func(d int) (eval.Model, error) {
			m, err := auto.New(auto.Config{Dim: d, Horizon: 1})
			if err == nil && a != drift.None {
				m, err = WithDrift(m, DriftConfig{Dim: d, Horizon: 1, Action: a})
			}
			if err == nil {
				n := new(int)
				alarms = append(alarms, n)
				m = counted{m, n}
			}
			return m, err
		})
		var n []int
		for _, p := range alarms {
			n = append(n, *p)
		}
		t.Logf("%-13s mean %.4f  %.4f  alarms %d", a, mean, v, n)
		if a == drift.None {
			nothing, nothingMean = v, mean
			continue
		}
		worst := 0.
		for i := range v {
			worst = max(worst, v[i]/nothing[i])
		}
		if !(mean >= nothingMean) && !(worst >= 1.005) {
			t.Errorf("%s lowers the mean from %.4f to %.4f, and no error by more than %.4f of it: it should be the default", a, nothingMean, mean, worst)
		}
	}
}

// counted counts the alarms of a model.
type counted struct {
	eval.Model
	n *int
}

func (m counted) NewSeries() eval.Forecaster { return countedSeries{wrapper{m.Model.NewSeries()}, m.n} }

type countedSeries struct {
	wrapper
	n *int
}

func (s countedSeries) Observe(y []float64) error {
	err := s.Forecaster.Observe(y)
	if w, ok := eval.As[drift.Detector](s.Forecaster); ok {
		if _, alarm := w.Drift(); alarm {
			*s.n++
		}
	}
	return err
}
