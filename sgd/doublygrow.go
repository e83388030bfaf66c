package sgd

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/sgd/internal/numeric"
)

// Grow replaces the blocks by more blocks. The first new blocks are the present
// blocks, with the factor 1/sqrt(D) of the new D. The weights are multiplied by
// sqrt(D_new/D_old), so that no prediction changes; the next steps visit the new
// blocks. It allocates. An average starts again when all blocks are in use.
func (l *DoublyStochastic) Grow(blocks []Map) error {
	if len(blocks) <= len(l.blocks) {
		return fmt.Errorf("sgd: Grow needs more than the present %d blocks, got %d", len(l.blocks), len(blocks))
	}
	d := l.dims
	if !alike(blocks, d) {
		return fmt.Errorf("sgd: Grow needs blocks of the sizes %+v", d)
	}
	f := math.Sqrt(float64(len(blocks)) / float64(len(l.blocks)))
	avg := l.mean != nil && l.mean.Count() > 0
	theta := make([]float64, len(blocks)*d.Params)
	if avg { // continue from the better weights
		l.WeightsTo(theta[:len(l.theta)])
		l.s = 1
	} else {
		copy(theta, l.theta)
	}
	vec.Scale(f, theta)
	l.theta = theta
	l.next, l.capped = l.touched, false
	l.blocks = append([]Map(nil), blocks...)
	if l.mean != nil {
		l.mean = numeric.NewMean(len(theta))
	}
	if l.pre != nil {
		l.pre.grow(len(blocks), f)
	}
	return nil
}

// Start replaces the weights, in the order of WeightsTo, such as by the weights of a batch
// fit. All blocks are in use from then on, and an average starts again.
func (l *DoublyStochastic) Start(theta []float64) {
	if len(theta) != len(l.theta) {
		panic(numeric.BadLength)
	}
	copy(l.theta, theta)
	l.s = 1
	l.touched, l.capped = len(l.blocks), true
	l.t = max(l.t, l.touched)
	if l.mean != nil {
		l.mean.Restart()
	}
}

// Redrawn is called when block i has new features. Its weights become zero, as they
// belong to the old ones (Brault 2017, Algorithm 4, after the cap). An average starts
// again.
func (l *DoublyStochastic) Redrawn(i int) {
	clear(l.block(i))
	if l.mean != nil {
		l.mean.Restart()
	}
	if l.pre != nil {
		l.pre.forget(i)
	}
}

// State saves or restores the weights, the clock and the pairs that wait for
// the next step. The blocks are not part of it.
func (l *DoublyStochastic) State(c *snapshot.Codec) {
	c.Section("doubly")
	c.Int(&l.t)
	c.Index(&l.next, len(l.blocks))
	c.Index(&l.touched, len(l.blocks)+1)
	c.Index(&l.pending, l.cfg.Batch)
	c.Bool(&l.capped)
	if c.Decoding() && (l.t < l.touched || l.next > l.touched) {
		c.Fail("step %d, %d blocks in use, block %d next", l.t, l.touched, l.next)
	}
	c.Uint64(&l.dropped)
	c.Float64(&l.s)
	c.Float64s(l.theta)
	c.Float64s(l.x)
	c.Float64s(l.y)
	if k := l.cfg.ManifoldBatches; k > 1 {
		c.Index(&l.earlier, k)
	}
	if l.mean != nil {
		l.mean.State(c)
	}
	if l.pre != nil {
		l.pre.state(c)
	}
}
