package auto

import (
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/internal/snapshot"
)

const (
	huberLimit  = 5   // limit of an error, in mean absolute errors
	huberMemory = 200 // memory of the mean absolute error, in errors
	huberAfter  = 30  // errors before the first one is limited
	huberRun    = 3   // consecutive errors that are limited; a longer run means that the series has changed
)

// errorLimiter limits the errors that an expert learns from, in each coordinate, as the
// loss of Huber (1964) does: one outlier must not undo what hundreds of samples taught.
type errorLimiter struct {
	*lanes.Huber
	dim int
}

func newErrorLimiter(dim int) *errorLimiter {
	return &errorLimiter{lanes.NewHuber(dim, huberLimit, huberAfter, huberRun, 1.0/huberMemory), dim}
}

func (u *errorLimiter) State(c *snapshot.Codec) {
	c.Float64s(u.Mean[:u.dim])
	c.Float64s(u.Count[:u.dim])
	c.Float64s(u.Run[:u.dim])
}
