package regression

import "github.com/orffvar/forecaster/eval/snapshot"

// PerCoordinate holds one learner with a single output per coordinate. phi is the concatenation of the inputs of all
// learners, which have equal lengths.
type PerCoordinate []CoordinateLearner

// CoordinateLearner is a learner with one output.
type CoordinateLearner interface {
	Resettable
	Weights() []float64
}

func NewPerCoordinate(dim int, newLearner func() (CoordinateLearner, error)) (PerCoordinate, error) {
	l := make(PerCoordinate, dim)
	for j := range l {
		var err error
		if l[j], err = newLearner(); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func (l PerCoordinate) PredictTo(y, phi []float64) {
	m := len(phi) / len(l)
	for j, r := range l {
		r.PredictTo(y[j:j+1], phi[j*m:(j+1)*m])
	}
}

// Update skips coordinates whose error is exactly 0, because they are missing or constant.
func (l PerCoordinate) Update(phi, e []float64) {
	m := len(phi) / len(l)
	for j, r := range l {
		if e[j] != 0 {
			r.Update(phi[j*m:(j+1)*m], e[j:j+1])
		}
	}
}

// Reset makes the learners of all coordinates forget everything.
func (l PerCoordinate) Reset() {
	for _, r := range l {
		r.Reset()
	}
}

// Discount multiplies the weight of all samples learnt so far by factor, in (0, 1].
func (l PerCoordinate) Discount(factor float64) {
	for _, r := range l {
		r.Discount(factor)
	}
}

func (l PerCoordinate) State(c *snapshot.Codec) {
	for _, r := range l {
		r.State(c)
	}
}
