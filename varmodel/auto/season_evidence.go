package auto

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/varmodel/series"
)

const (
	evidenceBlocks = 12  // blocks of a period
	evidenceLeast  = 1.5 // equal blocks at least: one step has one
	evidenceErrors = 3   // standard errors of the slope above 0, with many equal blocks, from which on it is no chance …
	evidenceFew    = 3   // … and so many more with a single one
	evidenceDoubt  = .5  // part of them, below which there is no share by the slope
	evidenceMinus  = .3  // standard errors that are subtracted from a share by evidence
	evidenceOdds   = 4   // logarithm of the likelihood ratio from which on there is a share by evidence
)

// evidenceKeeps are the parts of a rest that may be left after a block: none of white noise, all of a walk.
var evidenceKeeps = []float64{0, .25, .5, .75, 1}

// share is the part of a cycle's shape that is worth taking, for one variable: by the slope, if there is half of the
// evidence, or earlier by evidence.
type share struct {
	slope    slope
	evidence evidence
	value    float64
}

// add takes what was said and what happened, in standard deviations; 0 and 0 if nothing was observed. soon is
// for a cycle whose evidence counts before its slope does.
func (s *share) add(said, happened float64, given, soon, observed bool) {
	said = series.ClipTo(said, -shareDistance, shareDistance)
	happened = series.ClipTo(happened, -shareDistance, shareDistance)
	block := s.evidence.add(said, happened, s.slope.every, observed)
	term := s.slope.add(said, happened, given)
	if term {
		s.evidence.forget(s.slope.memory)
	}
	if !term && (given || !block) {
		return
	}
	s.value = s.slope.value
	if given {
		return
	}
	ratio, early := s.evidence.share()
	if !(ratio > evidenceDoubt) {
		s.value = 0
	}
	if soon && s.evidence.odds() > evidenceOdds {
		s.value = max(s.value, early)
	}
}

// sure reports whether the share is no chance.
func (s *share) sure(given bool) bool {
	ratio, _ := s.evidence.share()
	return s.value > saidShare && (given || ratio > 1 && s.slope.sure())
}

func (s *share) State(c *snapshot.Codec) {
	s.slope.State(c)
	s.evidence.State(c)
	c.Float64(&s.value)
}

// evidence tests early whether the changes that a cycle forecasts happen. A whole period is only one term of
// a slope, because neighbouring outcomes are alike. Changes from one twelfth of a period to the next are
// independent, even on a random walk. A regression without intercept explains observed changes y by forecast
// changes x:
//
//	y = b x + e, with n = (sum x^2)^2 / sum x^4 equal changes.
type evidence struct {
	said, happened  float64 // sums of the current block
	seen, outcomes  int     // samples of it that were observed, and all
	before          change  // of the block before: means
	changes         bool    // before is known
	count, x4       float64 // changes, and sum of x^4, with forgetting like all sums
	now, lag, then  moments // products of a block with itself, of it with the one before, of the one before with itself
	product, square float64 // sums over the samples: said happened, said^2
}

// change is what was said and what happened, in a block or from one to the next.
type change struct{ said, happened float64 }

// moments are sums of products of what was said, x, and what happened, y, in two blocks.
type moments struct{ xx, xy, yx, yy float64 }

func (m *moments) add(a, b change) {
	m.xx, m.xy = m.xx+a.said*b.said, m.xy+a.said*b.happened
	m.yx, m.yy = m.yx+a.happened*b.said, m.yy+a.happened*b.happened
}

// sums returns the sums of products of x_t - keep x_{t-1} and y_t - keep y_{t-1} over the blocks t.
func (e *evidence) sums(keep float64) (xx, xy, yy float64) {
	k := keep * keep
	return e.now.xx - 2*keep*e.lag.xx + k*e.then.xx,
		e.now.xy - keep*(e.lag.xy+e.lag.yx) + k*e.then.xy,
		e.now.yy - 2*keep*e.lag.yy + k*e.then.yy
}

// odds returns the logarithm of the likelihood ratio of a season over none, where the rest is an autoregression of
// order one on the blocks with the best of evidenceKeeps in either case: a season that is smooth looks like a walk, but
// the rest beside it does not.
func (e *evidence) odds() float64 {
	season, none := math.Inf(1), math.Inf(1)
	for _, keep := range evidenceKeeps {
		xx, xy, yy := e.sums(keep)
		none = min(none, yy)
		if xy > 0 {
			yy -= xy * xy / xx
		}
		season = min(season, yy)
	}
	if !(none > 0) {
		return 0
	}
	return e.count / 2 * math.Log(none/max(season, series.Degenerate*none))
}

// add takes an outcome and reports whether a block has ended; a period has the given number of samples.
func (e *evidence) add(said, happened float64, period int, observed bool) (ended bool) {
	if observed {
		e.said, e.happened = e.said+said, e.happened+happened
		e.product, e.square = e.product+said*happened, e.square+said*said
		e.seen++
	}
	if e.outcomes++; e.outcomes*evidenceBlocks < period {
		return false
	}
	mean := change{e.said / float64(e.seen), e.happened / float64(e.seen)}
	if e.changes && e.seen > 0 {
		x := mean.said - e.before.said
		e.count, e.x4 = e.count+1, e.x4+x*x*x*x
		e.now.add(mean, mean)
		e.lag.add(mean, e.before)
		e.then.add(e.before, e.before)
	}
	e.before, e.changes = mean, e.seen > 0
	e.said, e.happened, e.seen, e.outcomes = 0, 0, 0, 0
	return true
}

// share returns the slope in standard errors over those that are no chance, and the share at this slope.
func (e *evidence) share() (ratio, share float64) {
	xx, xy, yy := e.sums(1)
	if e.x4 <= 0 || e.count <= 1 || xx*xx < evidenceLeast*e.x4 {
		return 0, 0
	}
	b := xy / xx
	se := math.Sqrt(max(yy-b*xy, 0) / xx / (e.count - 1))
	ratio = b / ((evidenceErrors + evidenceFew*e.x4/(xx*xx)) * se)
	return ratio, series.ClipTo(e.product/e.square-evidenceMinus*se, 0, 1)
}

// forget multiplies all sums by keep, in (0, 1].
func (e *evidence) forget(keep float64) {
	for _, v := range e.forgetting() {
		*v *= keep
	}
}

// forgetting returns the sums with forgetting.
func (e *evidence) forgetting() [16]*float64 {
	return [...]*float64{
		&e.count, &e.x4, &e.product, &e.square,
		&e.now.xx, &e.now.xy, &e.now.yx, &e.now.yy,
		&e.lag.xx, &e.lag.xy, &e.lag.yx, &e.lag.yy,
		&e.then.xx, &e.then.xy, &e.then.yx, &e.then.yy,
	}
}

// interrupt is for a break: the next block does not follow the last one.
func (e *evidence) interrupt() { e.changes = false }

func (e *evidence) State(c *snapshot.Codec) {
	for _, v := range e.forgetting() {
		c.Float64(v)
	}
	for _, v := range []*float64{&e.said, &e.happened, &e.before.said, &e.before.happened} {
		c.Float64(v)
	}
	c.Index(&e.seen, math.MaxInt)
	c.Int(&e.outcomes)
	c.Bool(&e.changes)
}
