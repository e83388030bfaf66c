package varmodel

import (
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/internal/snapshot"
)

const (
	huberLimit  = 5   // mean absolute errors that an error counts for at most
	huberMemory = 200 // errors that the mean is of
	huberAfter  = 30  // errors before the first one is limited
	huberRun    = 3   // errors that are limited one after the other; with more, something has changed
)

// usualError limits the errors that an expert learns from, coordinate by
// coordinate, as the loss of Huber (1964) does: one sample out of the ordinary
// should not undo what hundreds have taught.
type usualError struct {
	*lanes.Huber
	dim int
}

func newUsualError(dim int) *usualError {
	return &usualError{lanes.NewHuber(dim, huberLimit, huberAfter, huberRun, 1.0/huberMemory), dim}
}

func (u *usualError) State(c *snapshot.Codec) {
	c.Float64s(u.Mean[:u.dim])
	c.Float64s(u.Count[:u.dim])
	c.Float64s(u.Run[:u.dim])
}
