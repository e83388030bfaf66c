package lanes

import (
	"math"

	"github.com/orffvar/forecaster/internal/vec"
)

// Huber clips the errors e of n variables to a multiple of their mean absolute size, as
// the loss of Huber (1964) does, unless too many in a row are clipped, for then the
// series has changed. With t counting the errors and m the mean,
//
//	c_t = clip(e_t, limit m_{t-1}) if t > after and fewer than run errors before it were clipped in a row
//	c_t = e_t                      otherwise
//	m_t = m_{t-1} + a_t (|c_t| - m_{t-1})
type Huber struct {
	Mean, Count []float64 // m and t
	Run         []float64 // errors in a row whose size was above limit m, at most run

	all    []float64
	n      int
	limits [5]float64
}

// Indices of Huber.limits.
const (
	hubOne = iota
	hubLimit
	hubAfter
	hubRun
	hubRate
)

const huberRows = 3

// NewHuber returns the statistics of no errors; rate is that of a_t.
func NewHuber(n int, limit, after, run, rate float64) *Huber {
	all, row := statistics(huberRows, n)
	return &Huber{Mean: row(0), Count: row(1), Run: row(2), all: all, n: n, limits: [...]float64{1, limit, after, run, rate}}
}

// ErrorsTo learns the errors e = y - forecast and writes c, or 0 for a missing error. dst
// needs the capacity that Rows gives.
func (h *Huber) ErrorsTo(dst, y, forecast []float64) {
	if len(dst) != h.n || len(y) != h.n || len(forecast) != h.n {
		panic("lanes: Huber.ErrorsTo: lengths differ")
	}
	huber(h, dst[:vec.Stride(h.n)], y, forecast)
}

func huberPortable(h *Huber, dst, y, forecast []float64) {
	p := &h.limits
	for j, v := range y {
		e := v - forecast[j]
		if e != e {
			dst[j] = 0
			continue
		}
		size, most := math.Abs(e), p[hubLimit]*h.Mean[j]
		h.Count[j]++
		switch {
		case h.Count[j] <= p[hubAfter] || !(size > most):
			h.Run[j] = 0
		case h.Run[j] < p[hubRun]:
			h.Run[j]++
			e, size = Clip(e, most), most
		}
		h.Mean[j] += float64(Weight(h.Count[j], p[hubRate]) * (size - h.Mean[j]))
		dst[j] = e
	}
}
