package eval

import (
	"math"

	"github.com/orffvar/forecaster/internal/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
)

const (
	flatSpan  = 50   // samples that Flat averages over
	flatFloor = .002 // standard deviations of the values, added to every step: it has a logarithm
	flatStart = 100  // values of a variable before the first statistic
)

// anomalyFlat is what the view Flat knows of a variable.
type anomalyFlat struct {
	before        float64 // last value
	lively, often float64 // mean logarithm of the steps between values, of the last samples and usually
}

// observeFlat compares the steps from sample to sample with the usual ones, and returns the statistic
// of Flat: the root mean square over the variables of the logarithm by which they are smaller.
func (s *AnomalyScorer) observeFlat(y []float64) (flat evidence) {
	steps := s.steps
	for j, value := range y {
		v := &s.vars[j]
		steps[j] = math.NaN()
		if !finite(value) {
			continue
		}
		if step := math.Abs(value-v.before) + flatFloor*math.Sqrt(v.variance); v.n > 1 && step > 1e-300 {
			steps[j] = step
		}
		v.before = value
	}
	vec.LogTo(steps, steps)
	learns := s.slow[Flat].learns(s.c.NormalAfter)
	var lately, usual weight
	squares := s.squares[Flat][:len(steps)]
	clear(squares)
	count := 0.
	for j, step := range steps {
		if step != step {
			continue
		}
		v := &s.vars[j]
		v.lively += lately.of(v.n, 1./flatSpan) * (step - v.lively)
		d := v.lively - v.often
		last := step - v.often
		if learns {
			v.often += usual.of(v.n, 1./anomalyMemory) * last
		}
		count++
		if v.n < flatStart {
			continue
		}
		d = min(d, 0)
		squares[j] = d * d
		flat.all += d * d
		flat.last += onSide(d*d, last, d)
	}
	count = max(count, 1)
	return evidence{flat.all / count, flat.last / count}.root()
}

func (v *anomalyFlat) state(c *snapshot.Codec) {
	c.Float64(&v.before)
	c.Float64(&v.lively)
	c.Float64(&v.often)
}
