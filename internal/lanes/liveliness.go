package lanes

import (
	"math"

	"github.com/orffvar/forecaster/internal/vec"
)

// Liveliness has the recent and the usual size of the steps of n variables. With the value x_t and
// s_t = log(|x_t - x_{t-1}| + floor SD),
//
//	Lately_t = Lately_{t-1} + b_t (s_t - Lately_{t-1})
//	Usual_t  = Usual_{t-1} + a_t (s_t - Usual_{t-1})
//
// where t is the number of values. A value that is not finite is missing.
type Liveliness struct {
	Before, Lately, Usual []float64

	// Fields of the last sample.
	Square []float64 // min(Lately - Usual, 0)², with Usual before this sample; 0: none
	Last   []float64 // min(s_t - Usual, 0)² if Square > 0, otherwise 0; NaN: no step

	Learns bool // whether Add learns Usual

	all    []float64
	n      int
	limits [livLimits]float64
}

// NewLiveliness returns statistics without values. floor is a share of the standard deviation, start the number of values
// before the first statistic, and span and rate the least weights b and a.
func NewLiveliness(n int, floor, start, span, rate float64) *Liveliness {
	l := &Liveliness{
		Learns: true, n: n, limits: [livLimits]float64{
			livOne: 1, livFloor: floor, livStart: start - 1, livSpan: span, livRate: rate, livLeast: 1e-300,
			livLearns: 1,
		},
	}
	l.all = compact(n, l.fields())
	return l
}

// Add learns the sample x. count has the number of values per variable, and variance their variances.
func (l *Liveliness) Add(x, count, variance []float64) {
	if len(x) != l.n || len(count) < l.n || len(variance) < l.n {
		panic("lanes: Liveliness.Add: lengths differ")
	}
	l.limits[livLearns] = 0
	if l.Learns {
		l.limits[livLearns] = 1
	}
	if l.n < few {
		livelinessPortable(l, x, count, variance)
		return
	}
	liveliness(l, x, count, variance)
}

func livelinessPortable(l *Liveliness, x, count, variance []float64) {
	p, steps := &l.limits, l.Last[:l.n]
	for j, v := range x {
		steps[j] = math.NaN()
		if v-v != 0 {
			continue
		}
		if step := math.Abs(v-l.Before[j]) + float64(p[livFloor]*math.Sqrt(variance[j])); count[j] > 1 && step > p[livLeast] {
			steps[j] = step
		}
		l.Before[j] = v
	}
	vec.LogTo(steps, steps)
	for j, step := range steps {
		l.Square[j] = 0
		if step != step {
			continue
		}
		l.Lately[j] += float64(Weight(count[j], p[livSpan]) * (step - l.Lately[j]))
		d, last := l.Lately[j]-l.Usual[j], step-l.Usual[j]
		l.Usual[j] += float64(float64(Weight(count[j], p[livRate])*p[livLearns]) * last)
		l.Last[j] = 0
		if d < 0 && count[j] > p[livStart] {
			if l.Square[j] = d * d; last < 0 {
				l.Last[j] = last * last
			}
		}
	}
}
