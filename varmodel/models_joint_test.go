package varmodel

import (
	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel/interval"
)

func init() {
	models["joint"] = func(d, h int) (eval.Model, error) {
		m, err := NewVAR(VARConfig{Dim: d, Horizon: h, Order: 2})
		levels := []float64{.8, .5}
		if err == nil {
			m, err = interval.WithIntervals(m, interval.Config{Dim: d, Horizon: h, Levels: levels})
		}
		if err == nil {
			m, err = interval.WithJoint(m, interval.JointConfig{Dim: d, Horizon: h, Levels: levels})
		}
		return m, err
	}
}
