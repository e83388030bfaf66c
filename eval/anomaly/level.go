package anomaly

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
)

const (
	levelSpan  = 20  // samples over which Level averages
	levelStart = 50  // number of deviations before the first statistic
	levelClip  = 8   // largest deviation in the mean, in standard deviations; single samples are left to Jump
	levelFar   = 30  // largest value in the references, in standard deviations
	levelDaily = .75 // longest excursion that may recur daily, in days
	levelMost  = 900 // largest square of one variable in the mean over the variables
)

func newLevels(dim int) *lanes.Levels {
	r := lanes.LevelRules{
		Most: anomalyMemory, Rate: 1. / anomalyMemory, Span: 1. / levelSpan, Start: levelStart, Clip: levelClip,
		Least: 1e-4,                     // keeps the share of variables that hardly move small
		ClipZ: 10, Better: .7, Good: .8, // margins against choices by chance
		MostSquare: 1e12, MostLast: levelMost, Winsor: 25, FarVariance: levelFar * levelFar,
	}
	if dim == 1 {
		r.MostLast = r.MostSquare
	}
	return lanes.NewLevels(dim, r)
}

// observeLevels compares the values y with their references, and returns the statistic
// of Level: the root mean square over the variables.
func (s *Scorer) observeLevels(y []float64) (level evidence, ok bool) {
	l := s.levels
	l.Known = s.day.rowTo(s.profile)
	l.Pace = s.pace(Level)
	l.Compare(y, s.profile, s.errors.Scale)
	count, most := 0., float64(levelMost)
	if len(y) == 1 {
		most = 1e12
	}
	squares := l.Square[:len(y)]
	for j, last := range l.Last[:len(y)] {
		if last != last {
			continue
		}
		square := squares[j]
		if square > most {
			square = most
		}
		level.all += square
		level.last += last
		count++
	}
	ok = count > 0
	count = max(count, 1)
	return evidence{level.all / count, level.last / count}.root(), ok
}

// lesson returns the largest squared statistic with which a variable still changes the references of a view: the
// square of the threshold of the tail, or no limit while the view learns.
func (s *Scorer) lesson(v View) float64 {
	w := &s.slow[v]
	if w.learns(s.c.NormalAfter) {
		return math.Inf(1)
	}
	return w.tail.threshold * w.tail.threshold
}

// learnLevels learns the values y in the references, except variables that Level or Correlation finds anomalous.
func (s *Scorer) learnLevels(y []float64) {
	limit := s.lesson(Level)
	if w := &s.slow[Level]; !math.IsInf(limit, 1) && float64(w.long)*s.clock.step < levelDaily*dayLen && s.day.repeats() {
		limit = math.Inf(1)
	}
	s.levels.Learn(y, s.profile, s.squares[Correlation], limit, s.lesson(Correlation))
	s.day.learn(s.levels.Step[:len(y)])
}

func levelState(c *snapshot.Codec, l *lanes.Levels, j int) {
	countState(c, &l.Count[j])
	countState(c, &l.Deviations[j])
	byDay := l.ByDay[j] > 0
	c.Bool(&byDay)
	if l.ByDay[j] = 0; byDay {
		l.ByDay[j] = 1
	}
	for _, x := range [...]*float64{
		&l.Origin[j], &l.Mean[j], &l.Variance[j], &l.DayError[j], &l.MeanError[j], &l.Deviation[j], &l.Spread[j],
	} {
		c.Float64(x)
	}
}
