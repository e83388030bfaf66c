package functional

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/sgd/batch"
	"github.com/orffvar/forecaster/sgd/internal/numeric"
	"github.com/orffvar/forecaster/sgd/rates"
)

// descent has the weights of a function-valued model. They are learnt online, by gradient steps with or without averaging,
// or in batch.
type descent struct {
	w    []float64
	t    int // online steps taken
	rate rates.Schedule
	mean *numeric.Mean // or nil

	g   []float64
	eff []float64 // weights of the prediction when there is a mean
}

// newDescent returns n zero weights. With rate nil, only fit can learn them.
func newDescent(n int, lambda float64, rate rates.Schedule, average bool) (descent, error) {
	d := descent{w: make([]float64, n), rate: rate}
	if rate == nil {
		return d, nil
	}
	if err := rate.Validate(lambda, rates.DecayBlock); err != nil {
		return descent{}, err
	}
	d.g = make([]float64, n)
	if average {
		d.mean = numeric.NewMean(n)
		d.eff = make([]float64, n)
	}
	return d, nil
}

// step moves the weights against the gradient g.
func (d *descent) step() {
	d.t++
	vec.Scale(-d.rate.Rate(d.t), d.g)
	vec.Axpy(1, d.g, d.w)
	if d.mean != nil {
		d.mean.Add(d.w, 1, 0, d.g)
	}
}

// fit minimises from the weights of the prediction, and resets the step counter.
func (d *descent) fit(options batch.LBFGS, gradientTo func(g, w []float64) float64) (batch.Result, error) {
	w := append([]float64(nil), d.weights()...)
	r, err := options.Minimise(w, gradientTo)
	if err != nil {
		return batch.Result{}, err
	}
	copy(d.w, w)
	d.t = 0
	if d.mean != nil {
		d.mean = numeric.NewMean(len(w))
	}
	return r, nil
}

// weights returns the weights of the prediction.
func (d *descent) weights() []float64 {
	if d.mean == nil || d.mean.Count() == 0 {
		return d.w
	}
	d.mean.To(d.eff, d.w, 0)
	return d.eff
}

func (d *descent) state(c *snapshot.Codec) {
	c.Index(&d.t, math.MaxInt)
	c.Float64s(d.w)
	if d.mean != nil {
		d.mean.State(c)
	}
}
