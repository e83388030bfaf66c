package varmodel

import (
	"math"

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
	mean, count, run []float64 // mean of the absolute errors, as far as they count; their number; limited ones at the end
}

func newUsualError(dim int) *usualError {
	return &usualError{mean: make([]float64, dim), count: make([]float64, dim), run: make([]float64, dim)}
}

// limit replaces the errors of the coordinates that were observed by what is
// learnt from them.
func (u *usualError) limit(errors []float64, observed []bool) {
	n := len(errors)
	means, counts, runs := u.mean[:n], u.count[:n], u.run[:n]
	observed = observed[:n]
	for j, e := range errors {
		if !observed[j] {
			continue
		}
		mean, count := means[j], counts[j]
		size, most := math.Abs(e), huberLimit*mean
		switch {
		case count < huberAfter || size <= most:
			runs[j] = 0
		case runs[j] < huberRun:
			runs[j]++
			errors[j], size = math.Copysign(most, e), most
		}
		counts[j] = count + 1
		means[j] = mean + falling(count+1, 1.0/huberMemory)*(size-mean)
	}
}

func (u *usualError) State(c *snapshot.Codec) {
	c.Float64s(u.mean)
	c.Float64s(u.count)
	c.Float64s(u.run)
}
