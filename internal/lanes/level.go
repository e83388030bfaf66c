package lanes

import "math"

// Level follows the levels of n variables: exponentially weighted means, and the
// standard deviations of the samples around them, which have a longer memory. The
// vectors have vec.Stride(n) elements, of which the first n count.
type Level struct {
	Count, Mean, Variance []float64

	// What follows from them.
	SD            []float64 // root of Variance; 0 for a constant
	Unit, Inverse []float64 // SD and 1/SD; 1 and 0 for a constant

	all    []float64
	n      int
	limits [6]float64
}

// The limits of Level.
const (
	levOne        = iota
	levRate       // least weight of a sample in the mean
	levSlow       // that in the variance
	levAfter      // samples before deviations are limited …
	levWinsor     // … to so many standard deviations
	levDegenerate // a scale below this times the magnitude of the data counts as zero
)

const levelRows = 6

// NewLevel returns the levels of no samples. A sample has at least the weight rate in
// a mean and slow in a variance. After so many samples a deviation counts for at most
// winsor standard deviations; one of less than degenerate times the magnitude of the
// data is nothing but rounding.
func NewLevel(n int, rate, slow, after, winsor, degenerate float64) *Level {
	all, row := statistics(levelRows, n)
	l := &Level{
		Count: row(0), Mean: row(1), Variance: row(2), SD: row(3), Unit: row(4), Inverse: row(5),
		all: all, n: n, limits: [...]float64{1, rate, slow, after, winsor, degenerate},
	}
	l.Derive()
	return l
}

// Add takes the sample x, NaN where the level stays.
func (l *Level) Add(x []float64) {
	if len(x) != l.n {
		panic("lanes: Level.Add: lengths differ")
	}
	level(l, x)
}

// Derive sets what follows from SD.
func (l *Level) Derive() {
	for j := range l.n {
		l.derive(j)
	}
}

func (l *Level) derive(j int) {
	l.Unit[j], l.Inverse[j] = 1, 0
	if sd := l.SD[j]; sd != 0 {
		l.Unit[j], l.Inverse[j] = sd, 1/sd
	}
}

func levelPortable(l *Level, x []float64) {
	p := &l.limits
	for j, v := range x {
		if v == v {
			before := l.Count[j]
			l.Count[j]++
			if before == 0 {
				l.Mean[j] = v
			} else {
				dev := v - l.Mean[j]
				l.Mean[j] += float64(Falling(l.Count[j], p[levRate]) * dev)
				if before > p[levAfter] && l.SD[j] > 0 {
					dev = Clip(dev, p[levWinsor]*l.SD[j])
				}
				l.Variance[j] += float64(Falling(before, p[levSlow]) * (float64(dev*dev) - l.Variance[j]))
			}
		}
		l.SD[j] = 0
		if s := math.Sqrt(l.Variance[j]); s > p[levDegenerate]*(1+math.Abs(l.Mean[j])) {
			l.SD[j] = s
		}
		l.derive(j)
	}
}
