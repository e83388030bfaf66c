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
	evidenceDoubt  = .5  // part of them, below which there is no share at all
	evidenceMinus  = .3  // standard errors that are subtracted from a share by evidence
)

// share is the part of a cycle's shape that is worth taking, for one variable: by the slope, or earlier by
// evidence. Without half of the evidence there is none.
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
	switch ratio, early := s.evidence.share(); {
	case given:
	case ratio > 1 && soon && s.slope.every >= evidenceBlocks:
		s.value = max(s.value, early)
	case !(ratio > evidenceDoubt):
		s.value = 0
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
	count           float64 // changes, with forgetting like all sums
	xx, xy, yy, x4  float64
	product, square float64 // sums over the samples: said happened, said^2
}

// change is what was said and what happened.
type change struct{ said, happened float64 }

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
	x, y := mean.said-e.before.said, mean.happened-e.before.happened
	if e.changes && e.seen > 0 {
		e.count++
		e.xx, e.xy, e.yy, e.x4 = e.xx+x*x, e.xy+x*y, e.yy+y*y, e.x4+x*x*x*x
	}
	e.before, e.changes = mean, e.seen > 0
	e.said, e.happened, e.seen, e.outcomes = 0, 0, 0, 0
	return true
}

// share returns the slope in standard errors over those that are no chance, and the share at this slope.
func (e *evidence) share() (ratio, share float64) {
	if e.x4 <= 0 || e.count <= 1 || e.xx*e.xx < evidenceLeast*e.x4 {
		return 0, 0
	}
	b := e.xy / e.xx
	se := math.Sqrt(max(e.yy-b*e.xy, 0) / e.xx / (e.count - 1))
	ratio = b / ((evidenceErrors + evidenceFew*e.x4/(e.xx*e.xx)) * se)
	return ratio, series.ClipTo(e.product/e.square-evidenceMinus*se, 0, 1)
}

// forget multiplies all sums by keep, in (0, 1].
func (e *evidence) forget(keep float64) {
	for _, v := range []*float64{&e.count, &e.xx, &e.xy, &e.yy, &e.x4, &e.product, &e.square} {
		*v *= keep
	}
}

// interrupt is for a break: the next block does not follow the last one.
func (e *evidence) interrupt() { e.changes = false }

func (e *evidence) State(c *snapshot.Codec) {
	for _, v := range []*float64{
		&e.said, &e.happened, &e.before.said, &e.before.happened, &e.count, &e.xx, &e.xy, &e.yy, &e.x4, &e.product, &e.square,
	} {
		c.Float64(v)
	}
	c.Index(&e.seen, math.MaxInt)
	c.Int(&e.outcomes)
	c.Bool(&e.changes)
}
