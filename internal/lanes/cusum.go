package lanes

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
)

// Cusum has two cumulative sums (Page 1954) for each of n sequences: one of deviations above the running mean, one of
// deviations below. With the value x_t,
//
//	d    = x_t - Mean_{t-1},   z = d/sqrt(max(Variance, Square_{t-1}))
//	Up   = max(Up + z - shift, 0)
//	Down = max(Down - z - shift, 0)
//	Mean_t   = Mean_{t-1} + a_t d
//	Square_t = Square_{t-1} + a_t (d^2 - Square_{t-1})
//
// The sums stay as they are until t > after, and while Variance is zero.
type Cusum struct {
	Count, Mean, Square []float64 // t, mean and variance
	Sum, Length         []float64 // sum of d and number of its terms; the caller resets them
	Variance            []float64 // least variance; the caller sets it
	Up, Down            []float64
	SinceUp, SinceDown  []float64 // number of values since Up and Down were zero

	all    []float64
	n      int
	limits [cusLimits]float64
}

// NewCusum returns sums without values. The rate of a_t is 1/memory.
func NewCusum(n int, after, shift, memory float64) *Cusum {
	c := &Cusum{n: n, limits: [cusLimits]float64{cusAfter: after, cusShift: shift, cusRate: 1 / memory, cusOne: 1}}
	c.all = statistics(n, c.fields())
	return c
}

// Add learns the next value of each sequence. It returns the largest cumulative sum, and the largest Length. x has
// vec.Stride(n) elements; those beyond n are NaN.
func (c *Cusum) Add(x []float64) (sum, length float64) {
	if len(x) != len(c.Count) {
		panic("lanes: Cusum.Add: lengths differ")
	}
	return cusum(c, x)
}

// Clear drops all values.
func (c *Cusum) Clear() { clear(c.all) }

// State saves or restores the sequences.
func (c *Cusum) State(k *snapshot.Codec) {
	for i := range c.fields() {
		k.Float64s(c.all[i*len(c.Count):][:c.n])
	}
}

func cusumPortable(c *Cusum, x []float64) (sum, length float64) {
	after, shift, least := c.limits[cusAfter], c.limits[cusShift], c.limits[cusRate]
	for j, v := range x {
		if v == v {
			c.Count[j]++
			dev := v - c.Mean[j]
			if c.Variance[j] > 0 && c.Count[j] > after {
				z := dev / math.Sqrt(max(c.Variance[j], c.Square[j]))
				c.Up[j] = max(c.Up[j]+z-shift, 0)
				c.Down[j] = max(c.Down[j]-z-shift, 0)
				c.SinceUp[j]++
				if c.Up[j] == 0 {
					c.SinceUp[j] = 0
				}
				c.SinceDown[j]++
				if c.Down[j] == 0 {
					c.SinceDown[j] = 0
				}
			}
			rate := max(1/c.Count[j], least)
			c.Sum[j] += dev
			c.Length[j]++
			c.Mean[j] += float64(rate * dev)
			c.Square[j] += float64(rate * (float64(dev*dev) - c.Square[j]))
		}
		sum, length = max(sum, c.Up[j], c.Down[j]), max(length, c.Length[j])
	}
	return sum, length
}
