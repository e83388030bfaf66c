package anomaly

import (
	"math"
	"slices"

	"github.com/orffvar/forecaster/eval/snapshot"
)

const (
	sentinelRatio = 10  // least distance of a lone value from the range so far and from its forecast, in usual errors
	sentinelWidth = .25 // least distance of a lone value from the range, in ranges, for one variable
	sentinelsWide = 1   // sentinelWidth for several variables, some of which rarely move
	lessonsPer    = 1.5 // alarms of Jump that may be learnt per expected alarm
	lessonsMost   = 3   // largest number of such alarms that is saved up
	lessonsFrom   = 400 // number of samples up to which all alarms are learnt
	sentinelQuiet = 1   // a lone value more than this number of samples after the last alarm begins another event
)

// loneValues are values far outside of its range that a variable took for single samples. A broken sensor repeats
// the same value, which stays as odd as at first. A value that recurs exactly is therefore not learnt. Jump learns
// a lone value if it lasts, or once two others have replaced it, because the series then has spikes of many sizes.
type loneValues struct {
	waits bool       // the last sample was a new lone value
	value [2]float64 // last two lone values, the newest first; NaN = none
	jump  [2]float64 // statistic of Jump for each
}

func newLoneValues(dim int) []loneValues {
	all := make([]loneValues, dim)
	for j := range all {
		all[j] = loneValues{value: [2]float64{math.NaN(), math.NaN()}, jump: [2]float64{math.NaN(), math.NaN()}}
	}
	return all
}

// excludeLone copies the sample y into dst with NaN for the lone values that recur, and reports whether there are
// any.
func (s *Scorer) excludeLone(dst, y, yhat []float64, factor float64) (any bool) {
	s.waits = false
	width := float64(sentinelWidth)
	if len(y) > 1 {
		width = sentinelsWide
	}
	copy(dst, y)
	if !s.lonesWait && s.within(y) {
		return false
	}
	for j, v := range y {
		if v != v {
			continue
		}
		l := &s.lone[j]
		least := sentinelRatio * s.errors.Scale[j]
		low, high := s.low[j], s.high[j]
		beyond := max(least, width*(high-low))
		outside := s.n > anomalyWarmup && least > 0 && (v < low-beyond || v > high+beyond)
		far := outside && yhat != nil && math.Abs(v-yhat[j])*factor > least
		switch {
		case far && (v == l.value[0] && !l.waits || v == l.value[1]):
		case far && !l.waits:
			if l.jump[1] == l.jump[1] {
				s.jump.learn(l.jump[1])
			}
			l.value, l.jump, l.waits = [2]float64{v, l.value[0]}, [2]float64{math.NaN(), l.jump[0]}, true
			s.waits = len(y) == 1 // with several variables, the others also contribute to the statistic
			continue
		default:
			if l.waits && outside { // the lone value lasts
				if l.jump[0] == l.jump[0] {
					s.jump.learn(l.jump[0])
				}
				l.value[0], l.jump[0] = math.NaN(), math.NaN()
			}
			l.waits = false
			s.low[j], s.high[j] = min(low, v), max(high, v)
			continue
		}
		dst[j], any = math.NaN(), true
	}
	s.lonesWait = slices.ContainsFunc(s.lone, func(l loneValues) bool { return l.waits })
	return any
}

// within reports whether all values are within their ranges so far.
func (s *Scorer) within(y []float64) bool {
	low, high := s.low[:len(y)], s.high[:len(y)]
	for j, v := range y {
		if !(v >= low[j] && v <= high[j]) {
			return false
		}
	}
	return true
}

// scoreLone includes the lone values of y in the statistic of Jump.
func (s *Scorer) scoreLone(y, yhat, left []float64, factor float64, jump evidence) evidence {
	e, squares := &s.errors, s.squares[Jump]
	for j, v := range y {
		if v != v || left[j] == left[j] {
			continue
		}
		e.Error[j] = v - yhat[j]
		ratio := math.Abs(e.Error[j]) * factor / e.Scale[j]
		surprisal := 2 * math.Log(1+ratio)
		if len(y) > 1 {
			surprisal = errorTailSurprisal + math.Log(ratio/e.Quantile[j])/e.Excess[j]
		}
		squares[j] = surprisal * surprisal
		jump.all += squares[j]
		jump.last += squares[j]
	}
	return jump
}

// learnJump learns the statistic of Jump, unless the sample has a lone value; loneValues keeps the statistic of a
// new one. For one variable it learns about as many alarms as there are expected false alarms, because a week of
// incidents must not make the next one usual. For several variables it learns all alarms, because the sum of their
// errors grows while their scales are learnt.
func (s *Scorer) learnJump(jump float64, alarm bool) {
	s.lessons = min(s.lessons+lessonsPer*s.rate*viewRates[Jump], lessonsMost)
	learns := !s.lonely && !s.waits
	if learns && alarm && s.c.Dim == 1 && s.n > lessonsFrom {
		if learns = s.lessons >= 1; learns {
			s.lessons--
		}
	}
	if learns {
		s.jump.learn(jump)
	}
	if !s.waits {
		return
	}
	for j := range s.lone {
		if l := &s.lone[j]; l.waits && l.jump[0] != l.jump[0] {
			l.jump[0] = jump
		}
	}
}

func (s *Scorer) loneState(c *snapshot.Codec, j int) {
	l := &s.lone[j]
	c.Bool(&l.waits)
	s.lonesWait = s.lonesWait || l.waits
	c.Float64(&s.low[j])
	c.Float64(&s.high[j])
	c.Float64s(l.value[:])
	c.Float64s(l.jump[:])
}
