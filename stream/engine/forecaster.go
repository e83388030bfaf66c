package engine

import (
	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/drift"
)

// forecaster is an eval.Forecaster with its optional interfaces, nil where it lacks one. They
// are looked up once, because a lookup per sample takes as long as a small model.
type forecaster struct {
	eval.Forecaster
	inputs   eval.InputTaker
	clocked  eval.Clocked
	lags     eval.LagResetter
	seasonal eval.Seasonal
	limited  eval.Limited
	detector eval.Detector
	drift    drift.Detector
	bounder  eval.Bounder
	joint    eval.JointBounder
	heir     eval.Heir
}

// newForecaster returns a forecaster of m for a new series.
func newForecaster(m eval.Model) forecaster {
	f := forecaster{Forecaster: m.NewSeries()}
	f.inputs, _ = eval.As[eval.InputTaker](f.Forecaster)
	f.clocked, _ = eval.As[eval.Clocked](f.Forecaster)
	f.lags, _ = eval.As[eval.LagResetter](f.Forecaster)
	f.seasonal, _ = eval.As[eval.Seasonal](f.Forecaster)
	f.limited, _ = eval.As[eval.Limited](f.Forecaster)
	f.detector, _ = eval.As[eval.Detector](f.Forecaster)
	f.drift, _ = eval.As[drift.Detector](f.Forecaster)
	f.bounder, _ = eval.As[eval.Bounder](f.Forecaster)
	f.joint, _ = eval.As[eval.JointBounder](f.Forecaster)
	f.heir, _ = eval.As[eval.Heir](f.Forecaster)
	return f
}

// show lets f learn from a sample.
func (f *forecaster) show(time int64, y, inputs []float64) error {
	if len(inputs) > 0 && f.inputs != nil {
		f.inputs.SetInputs(inputs)
	}
	if f.clocked != nil {
		f.clocked.SetTime(time)
	}
	return f.Observe(y)
}

// phases returns the phases of the last sample in the seasons of the model.
func (f *forecaster) phases() eval.Phases {
	if f.seasonal == nil {
		return eval.Phases{}
	}
	return f.seasonal.Phases()
}

// resetLags drops the lags: the next sample does not follow the last one.
func (f *forecaster) resetLags() {
	if f.lags != nil {
		f.lags.ResetLags()
	}
}
