package lanes

import (
	"math"

	"github.com/orffvar/forecaster/internal/vec"
)

// Huber limits the errors of n variables to a multiple of their usual size, as the
// loss of Huber (1964) does, unless too many of them are limited one after the other.
// The vectors have vec.Stride(n) elements, of which the first n count.
type Huber struct {
	Mean, Count []float64 // mean of the absolute errors, as far as they count, and their number
	Run         []float64 // limited ones at the end

	all    []float64
	n      int
	limits [5]float64
}

// The limits of Huber.
const (
	hubOne   = iota
	hubLimit // mean absolute errors that an error counts for at most
	hubAfter // errors before the first one is limited
	hubRun   // errors that are limited one after the other
	hubRate  // least weight of an error in the mean
)

const huberRows = 3

// NewHuber returns what is known before the first error: after so many errors they
// are limited to limit times the mean, at most run of them one after the other. An
// error has at least the weight rate in the mean.
func NewHuber(n int, limit, after, run, rate float64) *Huber {
	all, row := statistics(huberRows, n)
	return &Huber{Mean: row(0), Count: row(1), Run: row(2), all: all, n: n, limits: [...]float64{1, limit, after, run, rate}}
}

// ErrorsTo writes y less forecast, limited, and 0 where that is NaN. All have one
// length; dst needs room behind it: see Rows.
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
		h.Mean[j] += float64(Falling(h.Count[j], p[hubRate]) * (size - h.Mean[j]))
		dst[j] = e
	}
}
