package numeric

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
)

// Mean is the average of the iterates theta_1, theta_2, ... over at least the
// last half and at most the last three quarters of the steps (Polyak and
// Ruppert; suffix averaging, Rakhlin et al. 2012). A step that changes one block
// costs only that block.
//
// The iterates are s_j t_j. Over a window of k steps with S_j = s_1 + ... + s_j,
//
//	sum_j s_j t_j = S_k t_k - sum_j S_(j-1) (t_j - t_(j-1)),
//
// where the difference of a step is zero outside its block.
type Mean struct {
	prev []float64 // sum over the previous window
	cur  []float64 // sum over this window - sum * t
	sum  float64   // S_k since the last settle

	prevN, curN, window int
}

func NewMean(n int) *Mean {
	return &Mean{prev: make([]float64, n), cur: make([]float64, n), window: 1}
}

// Count returns the number of iterates averaged.
func (m *Mean) Count() int { return m.prevN + m.curN }

// Add takes the iterate s*t, where t has just changed by delta from offset on.
func (m *Mean) Add(t []float64, s float64, offset int, delta []float64) {
	vec.Axpy(-m.sum, delta, m.cur[offset:offset+len(delta)])
	m.sum += s
	m.curN++
	if m.curN == m.window {
		m.Settle(t)
		m.prev, m.cur = m.cur, m.prev
		clear(m.cur)
		m.prevN, m.curN = m.curN, 0
		m.window *= 2
	}
}

// Restart forgets all iterates.
func (m *Mean) Restart() {
	clear(m.prev)
	clear(m.cur)
	m.sum, m.prevN, m.curN, m.window = 0, 0, 0, 1
}

// Settle makes the sums independent of t, which is about to be rescaled.
func (m *Mean) Settle(t []float64) {
	vec.Axpy(m.sum, t, m.cur)
	m.sum = 0
}

// To sets dst to the mean of the weights from offset on.
func (m *Mean) To(dst, t []float64, offset int) {
	f := 1 / float64(m.Count())
	for k := range dst {
		j := offset + k
		dst[k] = f * (m.prev[j] + m.cur[j] + m.sum*t[j])
	}
}

func (m *Mean) State(c *snapshot.Codec) {
	const limit = math.MaxInt / 4
	c.Index(&m.prevN, limit)
	c.Index(&m.window, limit)
	c.Index(&m.curN, max(1, m.window))
	c.Float64(&m.sum)
	c.Float64s(m.prev)
	c.Float64s(m.cur)
}
