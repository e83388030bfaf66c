package lanes

import "math"

// LocalMean has the local means of n variables, and the variances around them with a longer memory. With the sample x_t
// and e = x_t - mean_{t-1},
//
//	mean_t     = mean_{t-1} + a_t e,   mean_1 = x_1
//	variance_t = variance_{t-1} + b_{t-1} (clip(e, winsor SD_{t-1})^2 - variance_{t-1})
//
// where a has the least weight rate, and b the least weight slow. Clipping begins after the given number of samples. If
// SD is at most degenerate |mean|, it is rounding, and the variable is constant.
type LocalMean struct {
	Count, Mean, Variance []float64

	// Fields that Derive and Add compute from those above.
	SD            []float64 // root of Variance; 0 for a constant
	Unit, Inverse []float64 // SD and 1/SD; 1 and 0 for a constant

	all    []float64
	n      int
	limits [locLimits]float64
}

// NewLocalMean returns statistics without samples. The parameters are those of the formulas of LocalMean.
func NewLocalMean(n int, rate, slow, after, winsor, degenerate float64) *LocalMean {
	l := &LocalMean{
		n: n, limits: [locLimits]float64{
			locOne: 1, locRate: rate, locSlow: slow, locAfter: after, locWinsor: winsor,
			locDegenerate: degenerate,
		},
	}
	l.all = statistics(n, l.fields())
	l.Derive()
	return l
}

// Add learns the sample x.
func (l *LocalMean) Add(x []float64) {
	if len(x) != l.n {
		panic("lanes: LocalMean.Add: lengths differ")
	}
	localMean(l, x)
}

// Derive recomputes Unit and Inverse from SD.
func (l *LocalMean) Derive() {
	for j := range l.n {
		l.derive(j)
	}
}

func (l *LocalMean) derive(j int) {
	l.Unit[j], l.Inverse[j] = 1, 0
	if sd := l.SD[j]; sd != 0 {
		l.Unit[j], l.Inverse[j] = sd, 1/sd
	}
}

func localMeanPortable(l *LocalMean, x []float64) {
	p := &l.limits
	for j, v := range x {
		if v == v {
			before := l.Count[j]
			l.Count[j]++
			if before == 0 {
				l.Mean[j] = v
			} else {
				dev := v - l.Mean[j]
				l.Mean[j] += float64(Weight(l.Count[j], p[locRate]) * dev)
				if before > p[locAfter] && l.SD[j] > 0 {
					dev = Clip(dev, p[locWinsor]*l.SD[j])
				}
				l.Variance[j] += float64(Weight(before, p[locSlow]) * (float64(dev*dev) - l.Variance[j]))
			}
		}
		l.SD[j] = 0
		if s := math.Sqrt(l.Variance[j]); s > p[locDegenerate]*math.Abs(l.Mean[j]) {
			l.SD[j] = s
		}
		l.derive(j)
	}
}
