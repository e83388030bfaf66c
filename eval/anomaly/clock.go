package anomaly

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
)

const clockMemory = 100 // number of samples in the mean time between samples

// anomalyClock estimates the usual time between samples. A forecast from before a gap was made for one step. Its
// error over k usual steps is divided by sqrt(k), as in a random walk.
type anomalyClock struct {
	n, last int64   // number of samples; time of the last one, ns
	step    float64 // mean time between samples, ns; a gap counts as two
}

// enter sets the time of the next sample. It returns the factor for its error, which is 1 if less than two usual
// steps have passed.
func (c *anomalyClock) enter(time int64) (factor float64) {
	d := float64(time) - float64(c.last)
	c.last = time
	if c.n++; c.n == 1 || !(d > 0) {
		return 1
	}
	if factor = 1; c.step > 0 && d >= 2*c.step {
		factor = math.Sqrt(c.step / d)
		d = 2 * c.step
	}
	c.step += lanes.Weight(float64(c.n-1), 1./clockMemory) * (d - c.step)
	return factor
}

func (c *anomalyClock) state(s *snapshot.Codec) {
	s.Int64(&c.n)
	s.Int64(&c.last)
	s.Float64(&c.step)
}
