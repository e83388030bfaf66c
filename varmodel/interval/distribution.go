package interval

import (
	"fmt"
	"math"
	"slices"

	"github.com/orffvar/forecaster/varmodel/internal/check"
)

// Quantiles is the number of quantiles of a Distribution, which have the orders .1, .2, … .9.
const Quantiles = 9

// pairs are the pairs of quantiles of the same distance from the median, outermost first, and the median.
const pairs = (Quantiles + 1) / 2

const (
	distributionMemory = 500 // memory of widths and shifts, in outcomes
	widthPrior         = 20  // weight of the prior, Gaussian widths, in outcomes
	shiftPrior         = 100 // weight of the prior, no shift, in outcomes
)

// Distribution makes predictive distributions from forecasts and their intervals of one level: the quantiles
//
//	forecast + half (shift ± width)
//
// half is the half width of the interval, which follows season and state. There is a shift and a width for each pair of
// orders q and 1-q, horizon and coordinate; both begin with the values of Gaussian errors. Let r be the error of a forecast
// in half widths, b = [r < shift - width] and a = [r > shift + width]. Then
//
//	width += c (a + b - 2 q), shift += c (a - b)
//
// are Robbins-Monro steps towards the quantiles (stochastic descent on the quantile loss). The step size c falls like
// 1 / outcomes. That of the shift starts lower, because most errors are symmetric.
type Distribution struct {
	dim, most int            // coordinates; longest horizon
	horizons  []int          // ascending
	gains     [pairs]float64 // gain of a step, in half widths
	width     []float64      // horizons x pairs x d
	shift     []float64      // horizons x pairs x d
	count     []float64      // horizons x d: outcomes
	ring      []float64      // most x 2 x horizons x d: forecasts of the last origins, and their half widths; NaN = none
	next      int            // index of the origin that Issue overwrites
}

// NewDistribution returns the distributions of a series without forecasts, at ascending horizons;
// level is the level of its intervals.
func NewDistribution(dim int, horizons []int, level float64) (*Distribution, error) {
	if len(horizons) == 0 || !slices.IsSorted(horizons) || horizons[0] < 1 {
		return nil, fmt.Errorf("varmodel: horizons must be ascending numbers from 1 on, got %v", horizons)
	}
	most := horizons[len(horizons)-1]
	if err := check.Shape(dim, most); err != nil {
		return nil, err
	}
	if !(level > 0 && level < 1) {
		return nil, fmt.Errorf("varmodel: level must be in (0, 1), got %g", level)
	}
	n := len(horizons) * dim
	d := &Distribution{
		dim: dim, most: most, horizons: slices.Clone(horizons),
		width: make([]float64, n*pairs), shift: make([]float64, n*pairs), count: make([]float64, n), ring: make([]float64, most*2*n),
	}
	sd := 1 / (math.Sqrt2 * math.Erfinv(level)) // standard deviation of Gaussian errors, in half widths
	for p := range pairs {
		z := math.Sqrt2 * math.Erfinv(1-2*Order(p))
		density := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) / sd
		d.gains[p] = 1 / (2 * density)
		for k := range horizons {
			at := d.width[(k*pairs+p)*dim:][:dim]
			for j := range at {
				at[j] = z * sd
			}
		}
	}
	d.ResetLags()
	return d, nil
}

// Order returns the order of the i-th of the Quantiles.
func Order(i int) float64 { return float64(i+1) / (Quantiles + 1) }

// orders are the orders of the lower quantile of each pair, and of the median.
var orders = [pairs]float64{Order(0), Order(1), Order(2), Order(3), Order(4)}

// Observe learns from the errors of the forecasts of y; NaN marks a missing coordinate.
func (d *Distribution) Observe(y []float64) {
	n := len(d.horizons) * d.dim
	for k, h := range d.horizons {
		row := d.ring[(d.next-h+d.most)%d.most*2*n:]
		forecast, half := row[k*d.dim:], row[n+k*d.dim:]
		for j, v := range y {
			if r := (v - forecast[j]) / half[j]; r == r && half[j] > 0 {
				d.learn(k, j, r)
			}
		}
	}
}

// learn learns the error r, in half widths, of coordinate j at the k-th horizon. Errors of overlapping forecasts are
// similar, so h of them count as one at horizon h.
func (d *Distribution) learn(k, j int, r float64) {
	h := float64(d.horizons[k])
	n := &d.count[k*d.dim+j]
	*n = min(*n+1, distributionMemory*h)
	wide, moved := 1/(*n+widthPrior*h), 1/(*n+shiftPrior*h)
	for p, gain := range &d.gains {
		i := (k*pairs+p)*d.dim + j
		w, m := &d.width[i], &d.shift[i]
		var above, below float64
		if r > *m+*w {
			above = 1
		} else if r < *m-*w {
			below = 1
		}
		if p < pairs-1 {
			*w = max(*w+gain*wide*(above+below-2*orders[p]), 0)
		}
		*m += gain * moved * (above - below)
	}
}

// Issue takes the forecasts of the steps from one to the longest horizon or beyond, and the bounds of their
// intervals, row-major horizon x d. NaN or nil stand for no bounds.
func (d *Distribution) Issue(forecast, lower, upper []float64) {
	n := len(d.horizons) * d.dim
	row := d.ring[d.next*2*n:][:2*n]
	for k, h := range d.horizons {
		from := (h - 1) * d.dim
		copy(row[k*d.dim:], forecast[from:from+d.dim])
		half := row[n+k*d.dim:][:d.dim]
		for j := range half {
			if half[j] = math.NaN(); lower != nil {
				half[j] = (upper[from+j] - lower[from+j]) / 2
			}
		}
	}
	d.next = (d.next + 1) % d.most
}

// ResetLags drops the forecasts whose targets were not observed yet.
func (d *Distribution) ResetLags() {
	for i := range d.ring {
		d.ring[i] = math.NaN()
	}
}

// QuantilesTo writes the quantiles of the forecasts issued last: Quantiles x horizons x d, ascending, NaN where there
// are no bounds.
func (d *Distribution) QuantilesTo(dst []float64) {
	n := len(d.horizons) * d.dim
	if len(dst) != Quantiles*n {
		panic("varmodel: QuantilesTo: wrong length")
	}
	row := d.ring[(d.next-1+d.most)%d.most*2*n:][:2*n]
	var q [Quantiles]float64
	for k := range d.horizons {
		for j := range d.dim {
			at := k*d.dim + j
			low, high, crossed := math.Inf(-1), math.Inf(1), false
			for p := range pairs {
				i := (k*pairs+p)*d.dim + j
				q[p], q[Quantiles-1-p] = d.shift[i]-d.width[i], d.shift[i]+d.width[i]
				crossed = crossed || q[p] < low || q[Quantiles-1-p] > high
				low, high = q[p], q[Quantiles-1-p]
			}
			if crossed { // possible, because each pair learns by itself
				slices.Sort(q[:])
			}
			for o, v := range q {
				dst[o*n+at] = row[at] + v*row[n+at]
			}
		}
	}
}
