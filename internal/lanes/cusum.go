package lanes

import (
	"math"

	"github.com/orffvar/forecaster/internal/snapshot"
)

// Cusum is n pairs of cumulative sums (Page 1954), each of a sequence of its own. A
// value counts by what it is above or below the mean of its sequence, in units of the
// larger of two deviations: that of a value, and the one in Variance, which is the
// caller's. The vectors have vec.Stride(n) elements; what is beyond n stays zero.
type Cusum struct {
	Count, Mean, Square []float64 // values; their mean and variance, of the last ones
	Sum, Length         []float64 // sum of the deviations of values from the mean, and their number: the caller's to clear
	Variance            []float64 // no sums while it is zero
	Up, Down            []float64 // the sums, of what is above the mean and of what is below
	SinceUp, SinceDown  []float64 // values since they were zero

	all    []float64
	n      int
	limits [4]float64 // after, shift, least weight of a value; see NewCusum
}

const cusumRows = 10

// NewCusum returns sums that begin after the given number of values and take shift
// off each. Means are over memory values.
func NewCusum(n int, after, shift, memory float64) *Cusum {
	all, row := statistics(cusumRows, n)
	return &Cusum{
		Count: row(0), Mean: row(1), Square: row(2), Sum: row(3), Length: row(4), Variance: row(5),
		Up: row(6), Down: row(7), SinceUp: row(8), SinceDown: row(9),
		all: all, n: n, limits: [4]float64{after, shift, 1 / memory, 1},
	}
}

// Add takes the next value of each sequence, NaN for none; what is beyond n is NaN.
// It returns the largest of all sums and of all lengths.
func (c *Cusum) Add(x []float64) (sum, length float64) {
	if len(x) != len(c.Count) {
		panic("lanes: Cusum.Add: lengths differ")
	}
	return cusum(c, x)
}

// Clear forgets all sequences.
func (c *Cusum) Clear() { clear(c.all) }

// State saves or restores the sequences.
func (c *Cusum) State(k *snapshot.Codec) {
	for i := range cusumRows {
		k.Float64s(c.all[i*len(c.Count):][:c.n])
	}
}

func cusumPortable(c *Cusum, x []float64) (sum, length float64) {
	after, shift, least := c.limits[0], c.limits[1], c.limits[2]
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
