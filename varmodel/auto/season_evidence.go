package auto

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/varmodel/series"
)

const (
	evidenceBlocks = 12  // blocks per period
	evidenceLeast  = 1.5 // smallest effective number n of changes; a single jump has n = 1
	evidenceErrors = 3   // a slope is significant above evidenceErrors + evidenceFew / n standard errors
	evidenceFew    = 3
	evidenceDoubt  = .5  // smallest ratio of evidence.share for a share by the slope
	evidenceVaries = .15 // the forecast changes are steady if variance < evidenceVaries * mean square
	evidenceOdds   = 2   // smallest log likelihood ratio for a share by evidence,
	evidenceKept   = 1   // and for keeping it; the distance prevents frequent switching
)

// evidenceKeeps lists candidates for the autocorrelation of the remainder from block to block: 0 for white noise, 1
// for a random walk.
var evidenceKeeps = []float64{0, .25, .5, .75, 1}

// share is the factor of the shape of a cycle in the forecasts of one variable. The value is the slope if the
// evidence does not contradict it, or, earlier, a share by evidence.
type share struct {
	slope    slope
	evidence evidence
	prior    float64 // prior weight of a share of 1, as a sum of squares of forecasts; 0: none; see believeWeekends
	value    float64
}

// passes counts a sample, observed or not, and reports whether it ends a block of the evidence and a term of the slope.
func (s *share) passes() (block, term bool) {
	s.evidence.outcomes++
	s.slope.outcomes++
	return s.evidence.outcomes*evidenceBlocks >= s.slope.every, s.slope.outcomes >= s.slope.every
}

// end ends a block of the evidence, a term of the slope, or both. next is the number of periods in the shape at the next sample.
// soon: see cycle.soon.
func (s *share) end(block, term bool, next uint8, given, soon bool) {
	if block {
		s.evidence.end()
	}
	if term {
		s.slope.end(given)
		s.evidence.forget(s.slope.memory)
	}
	if term || !given {
		s.refresh(next, given, soon)
	}
}

// refresh computes the value from slope and evidence.
func (s *share) refresh(next uint8, given, soon bool) {
	had := s.value > 0
	s.value = s.slope.value
	if given {
		return
	}
	ratio := s.evidence.ratio()
	if !(ratio > evidenceDoubt) {
		s.value = 0
	}
	if soon && ratio != 0 {
		least := float64(evidenceOdds)
		if had {
			least = evidenceKept
		}
		if early := s.evidence.share(0, next); early > s.value && s.evidence.odds() > least {
			s.value = early
		}
	}
	if s.slope.n > s.slope.least {
		s.prior = 0
	}
	if s.prior > 0 {
		s.value = max(s.value, s.evidence.share(s.prior, next))
	}
}

// sure reports whether slope and evidence are statistically significant, with value > saidShare. A given cycle needs
// only value > saidShare.
func (s *share) sure(given bool) bool {
	if s.value <= saidShare || given {
		return s.value > saidShare
	}
	return s.evidence.ratio() > 1 && s.slope.sure()
}

func (s *share) State(c *snapshot.Codec) {
	s.slope.State(c)
	s.evidence.State(c)
	c.Float64(&s.prior)
	c.Float64(&s.value)
}

// slope estimates a factor for forecasts x ("said") from their outcomes y ("happened"):
//
//	value = b - (1 + 2/n) se, limited to [0, 1],
//
// where b is the coefficient of the regression of y on x without intercept, se its standard error, and n
// the number of terms. A term is one period of outcomes, because neighbouring outcomes are correlated.
// The value is near 0 if y does not depend on x.
type slope struct {
	every           int     // outcomes per term
	short           bool    // true: subtract the means of x and y within a term, because they come from longer seasons
	memory          float64 // weight of a term after the next term
	outcomes        int     // outcomes in the current term
	product, square float64 // sums of x y and x^2 in the current term
	said, happened  float64 // sums of x and y in the current term
	pp, ps, ss      float64 // sums over the terms of product^2, product * square and square^2,
	sum, n          float64 // and of square and 1; all with forgetting
	least           float64 // n above which value may exceed 0
	smallest        float64 // values below smallest become 0
	value           float64
}

// add updates the sums of the current term with a forecast and its outcome, in standard deviations.
func (t *slope) add(said, happened float64) {
	t.product += said * happened
	t.square += said * said
	t.said, t.happened = t.said+said, t.happened+happened
}

// end ends a term. While n <= least, value is b for a given cycle and 0 for other cycles.
func (t *slope) end(given bool) {
	p, s := t.product, t.square
	if t.short {
		k := float64(t.every)
		p, s = p-t.said*t.happened/k, s-t.said*t.said/k
	}
	t.said, t.happened = 0, 0
	m := t.memory
	t.pp, t.ps, t.ss, t.sum, t.n = m*t.pp+p*p, m*t.ps+p*s, m*t.ss+s*s, m*t.sum+s, m*t.n+1
	t.outcomes, t.product, t.square = 0, 0, 0
	t.value = 0
	n := t.n
	if t.short {
		n = t.equalTerms() // a few large terms would have a small standard error
	}
	switch {
	case t.ss <= 0:
	case n > t.least:
		b, se := t.regression(n)
		if t.value = series.ClipTo(b-(1+2/n)*se, 0, 1); t.value < t.smallest {
			t.value = 0
		}
	case given:
		t.value = series.ClipTo(t.ps/t.ss, 0, 1)
	}
}

// equalTerms returns the effective number of terms: (sum of square)^2 / sum of square^2.
func (t *slope) equalTerms() float64 { return t.sum * t.sum / t.ss }

// regression returns the coefficient b = ps / ss and its standard error, for n terms.
func (t *slope) regression(n float64) (b, se float64) {
	b = t.ps / t.ss
	return b, math.Sqrt(max(t.pp-b*t.ps, 0) / t.ss / (n - 1))
}

// sure reports whether the coefficient is statistically significant; see sureErrors.
func (t *slope) sure() bool {
	if t.ss <= 0 {
		return false
	}
	n := t.equalTerms()
	b, se := t.regression(n)
	return n > sureTerms && b > sureErrors*(1+2/n)*se
}

func (t *slope) State(c *snapshot.Codec) {
	c.Index(&t.outcomes, t.every)
	for _, v := range []*float64{&t.product, &t.square, &t.said, &t.happened, &t.pp, &t.ps, &t.ss, &t.sum, &t.n, &t.value} {
		c.Float64(v)
	}
}

// evidence tests the changes forecast by a cycle, earlier than a slope. A slope has one term per period, because
// neighbouring outcomes are correlated. Changes between blocks of 1/evidenceBlocks of a period are independent even
// on a random walk. A regression without intercept explains the observed changes y by the forecast changes x:
//
//	y = b x + e, with the effective number of changes n = (sum x^2)^2 / sum x^4.
type evidence struct {
	said, happened float64 // sums of forecasts and of outcomes over the current block
	seen, outcomes int     // number of observed samples and of all samples in the current block
	before         change  // means over the last complete block
	changes        bool    // true: before is known
	count, x4      float64 // number of changes and sum of x^4; these and all sums below have forgetting
	x, xThen       float64 // sums of the mean forecasts of the blocks, and of the blocks before them
	now, lag, then moments // sums of products: block by block, block by last block, last block by last block
	product, noise float64 // sums over observed samples, see share
}

// change holds the means of the forecasts and of the outcomes over a block.
type change struct{ said, happened float64 }

// moments holds sums of products of the forecasts x and outcomes y of two blocks.
type moments struct{ xx, xy, yx, yy float64 }

func (m *moments) add(a, b change) {
	m.xx, m.xy = m.xx+a.said*b.said, m.xy+a.said*b.happened
	m.yx, m.yy = m.yx+a.happened*b.said, m.yy+a.happened*b.happened
}

// sums returns the sums of x'x', x'y' and y'y' over the blocks t, where x' = x_t - keep x_{t-1} and
// y' = y_t - keep y_{t-1}.
func (e *evidence) sums(keep float64) (xx, xy, yy float64) {
	k := keep * keep
	return e.now.xx - 2*keep*e.lag.xx + k*e.then.xx,
		e.now.xy - keep*(e.lag.xy+e.lag.yx) + k*e.then.xy,
		e.now.yy - 2*keep*e.lag.yy + k*e.then.yy
}

// steady reports whether the forecast changes so far are nearly equal, as in a trend. For example, a shape with one
// drop per week has nearly equal changes before its first drop.
func (e *evidence) steady() bool {
	xx, _, _ := e.sums(1)
	x := e.x - e.xThen
	return xx-x*x/max(e.count, 1) < evidenceVaries*xx
}

// odds returns the log likelihood ratio of a model with a season over a model without a season. In both models the
// remainder of the blocks is an autoregression of order one, with the best coefficient of evidenceKeeps. A smooth
// season resembles a random walk, but the remainder without the season does not.
func (e *evidence) odds() float64 {
	season, none := math.Inf(1), math.Inf(1)
	for _, keep := range evidenceKeeps {
		xx, xy, yy := e.sums(keep)
		none = min(none, yy)
		if xy > 0 && xx > 0 {
			yy -= xy * xy / xx
		}
		season = min(season, yy)
	}
	if !(none > 0) || e.steady() {
		return 0
	}
	return e.count / 2 * logRatio(none, season)
}

// logRatio returns the logarithm of a / b, which is limited where b is near 0.
func logRatio(a, b float64) float64 { return math.Log(a / max(b, series.Degenerate*a)) }

// add updates the sums of the current block with an observed outcome and its forecast by a shape of the given number of
// periods.
func (e *evidence) add(said, happened, periods float64) {
	e.said, e.happened = e.said+said, e.happened+happened
	e.product, e.noise = e.product+said*happened, e.noise+periods*said*(said-happened)
	e.seen++
}

// end ends a block.
func (e *evidence) end() {
	mean := change{e.said / float64(e.seen), e.happened / float64(e.seen)}
	if e.changes && e.seen > 0 {
		x := mean.said - e.before.said
		e.count, e.x4 = e.count+1, e.x4+x*x*x*x
		e.x, e.xThen = e.x+mean.said, e.xThen+e.before.said
		e.now.add(mean, mean)
		e.lag.add(mean, e.before)
		e.then.add(e.before, e.before)
	}
	e.before, e.changes = mean, e.seen > 0
	e.said, e.happened, e.seen, e.outcomes = 0, 0, 0, 0
}

// ratio returns the ratio of the slope b to the smallest significant slope; 0: there are too few changes.
func (e *evidence) ratio() float64 {
	xx, xy, yy := e.sums(1)
	if e.x4 <= 0 || e.count <= 1 || xx*xx < evidenceLeast*e.x4 {
		return 0
	}
	b := xy / xx
	se := math.Sqrt(max(yy-b*xy, 0) / xx / (e.count - 1))
	return b / ((evidenceErrors + evidenceFew*e.x4/(xx*xx)) * se)
}

// share returns the factor in [0, 1] of a shape of n periods with the smallest expected error. The mean of n periods is the
// season s and noise of variance v / n, so the factor is s^2 / (s^2 + v/n). The outcomes of earlier shapes, of fewer
// periods, estimate s^2 as the mean of
//
//	said happened,
//
// and v as the mean of periods said (said - happened). prior is added to the sum of the first.
func (e *evidence) share(prior float64, n uint8) float64 {
	if season := e.product + prior; season > 0 {
		return season / (season + max(e.noise, 0)/float64(max(n, 1)))
	}
	return 0
}

// forget multiplies all sums by keep, in (0, 1].
func (e *evidence) forget(keep float64) {
	for _, v := range e.forgetting() {
		*v *= keep
	}
}

// forgetting returns pointers to the sums with forgetting.
func (e *evidence) forgetting() [18]*float64 {
	return [...]*float64{
		&e.count, &e.x4, &e.product, &e.noise,
		&e.x, &e.xThen,
		&e.now.xx, &e.now.xy, &e.now.yx, &e.now.yy,
		&e.lag.xx, &e.lag.xy, &e.lag.yx, &e.lag.yy,
		&e.then.xx, &e.then.xy, &e.then.yx, &e.then.yy,
	}
}

// interrupt handles a break: the next block does not follow the last one.
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
