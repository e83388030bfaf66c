package auto

import (
	"math"
	"slices"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/varmodel/series"
)

// smoother describes exponential smoothing of a level, a line, or a damped trend (Hyndman and others 2008).
type smoother struct {
	gain  float64 // smallest gain of the level
	slope float64 // smallest gain of the slope, in gains of the level; 0: no trend
	keep  float64 // factor of the slope per step; < 1: damped
	prior float64 // logarithm of the prior weight
}

const (
	walkPrior  = 1.5      // prior of persistence, the simplest smoother
	trendPrior = -4       // prior of a trend, low because a small error of a slope is a large error at a long horizon
	slow       = .005     // gain of the mean of the past
	lasting    = 1. / 200 // smallest gain of the slope of a line
	passing    = 1. / 30  // smallest gain of the slope of a damped trend
	dampedKeep = .985     // factor of a damped slope per step
)

var smoothers = [...]smoother{
	{1, 0, 0, walkPrior}, {.6, 0, 0, 0}, {.35, 0, 0, 0}, {.18, 0, 0, 0}, {.08, 0, 0, 0}, {slow, 0, 0, 0},
	{1, lasting, 1, trendPrior}, {.35, lasting, 1, trendPrior}, {.08, lasting, 1, trendPrior}, {slow, lasting, 1, trendPrior},
	{.35, passing, dampedKeep, trendPrior}, {.18, passing, dampedKeep, trendPrior}, {.08, passing, dampedKeep, trendPrior},
}

const (
	weighEverySample = 100 // number of samples with a computation of the weights at each sample;
	weighEvery       = 8   // later the weights are computed once in weighEvery samples

	smoothRetained = .99 // weight of a squared error after the next squared error
	trendGain      = 2   // after n samples, gain of the level of a trend >= trendGain / (n + 1)
	slopeGain      = 1.5 // after n samples, gain of its slope >= slopeGain / (n + slopeAfter)
	slopeAfter     = 1   // weight of the initial slope 0, in samples
	lineGoesOn     = .5  // a line of n samples continues for lineGoesOn * n steps, because a morning is not a day
)

// smoothing is the stage of forecasts by exponential smoothing of the remainder, for each variable alone. These
// forecasts need the fewest samples, so the one-step forecasts of a young series are shrunk towards them. For more than
// one step their weight depends on their outcomes; see preference. The weight of a smoother with the errors e in the
// last n steps follows from Bayes' rule for Gaussian errors:
//
//	weight ~ prior (sum e^2)^(-n/2).
type smoothing struct {
	dim       int
	deviation []float64 // smoothers x dim: level minus the last value
	slope     []float64 // smoothers x dim: slope per step
	errors    []float64 // smoothers x dim: sum of squared errors, with forgetting
	weights   []float64 // smoothers x dim: normalised weights
	known     []float64 // dim: n, the sum of the weights of the squared errors
	count     []float64 // dim: number of samples
	lines     []line    // dim
	morning   bool      // true: the series is shorter than a day of the clock, so a line may be a morning

	// Weighted means over the smoothers, dim each: deviation, undamped slope, damped slope.
	level, ramp, damped []float64
}

func newSmoothing(d int) *smoothing {
	b := &smoothing{dim: d, lines: make([]line, d)}
	for _, v := range append(b.learnt(), &b.weights) {
		*v = make([]float64, len(smoothers)*d)
	}
	for _, v := range []*[]float64{&b.known, &b.count, &b.level, &b.ramp, &b.damped} {
		*v = make([]float64, d)
	}
	return b
}

func (b *smoothing) learnt() []*[]float64 { return []*[]float64{&b.deviation, &b.slope, &b.errors} }

// rests reports whether smoothing is unused. One-step forecasts use it only in young series.
func (b *smoothing) rests(s *autoSeries) bool { return s.multihorizon == nil && s.total >= earlyEnd }

// follow updates the smoothers with the last increments where they were observed. After a new computation of the
// remainder, the smoothers first learn all its increments again.
func (b *smoothing) follow(s *autoSeries) {
	if b.rests(s) {
		return
	}
	f := s.rest()
	b.morning = s.seasons.spacing*int64(s.total) < daySpan && s.seasons.spacing > 0
	if s.remainder != nil && s.remainder.age == 0 {
		b.begin(f, s.past.Count, 1)
	}
	seen := s.past.ObservedAt(0)
	for j, step := range f.recent.rows(0)[:b.dim] {
		if seen[j] {
			b.learn(j, step, f.scaler)
		} else {
			for i := j; i < len(b.deviation); i += b.dim {
				b.deviation[i] -= step
			}
		}
		b.combine(j, f.scaler)
	}
}

// begin resets the smoothers, and learns the increments of f again without the given number of newest increments.
func (b *smoothing) begin(f *frame, samples, newest int) {
	for _, v := range b.learnt() {
		clear(*v)
	}
	clear(b.known)
	clear(b.lines)
	before := slices.Clone(b.count)
	clear(b.count)
	rows, stride := f.recent.rows(0), f.recent.stride
	for l := min(f.recent.count, samples) - 1; l >= newest; l-- {
		for j := range b.dim {
			b.learn(j, rows[l*stride+j], f.scaler)
		}
	}
	for j, n := range before {
		b.count[j] = max(b.count[j], n-float64(newest)) // the gains depend on the age of the series
	}
}

// renew learns the increments again after a state with horizon 1 was restored for a longer horizon. A young series has
// already learnt them for its one-step forecasts.
func (b *smoothing) renew(s *autoSeries) {
	if s.total < earlyEnd {
		return
	}
	f := s.rest()
	b.begin(f, s.past.Count, 0)
	for j := range b.dim {
		b.weigh(j, f.scaler)
	}
}

// learn updates the smoothers with an increment of variable j. The increment is winsorised, so that a level shift does
// not change a slope.
func (b *smoothing) learn(j int, step float64, s *series.Scaler) {
	limit := series.WinsorLimit * s.Steps[j]
	usual := lanes.Clip(step, limit)
	b.count[j]++
	b.lines[j].learn(step, usual, limit)
	b.known[j] = smoothRetained*b.known[j] + 1
	n := b.count[j]
	mean, trend, slope := 1/(n+1), min(trendGain/(n+1), 1), slopeGain/(n+slopeAfter) // smallest gains at this age
	for k := range smoothers {
		m, i := &smoothers[k], k*b.dim+j
		b.slope[i] *= m.keep
		move, gain := b.deviation[i]+b.slope[i], max(m.gain, mean)
		if m.slope > 0 {
			gain = max(m.gain, trend)
		}
		e := usual - move
		b.errors[i] = smoothRetained*b.errors[i] + e*e
		b.deviation[i] = move - step + gain*e
		if m.slope > 0 {
			b.slope[i] += gain * max(slope, m.slope) * e
		}
	}
}

// combine computes the means over the smoothers of variable j. After weighEverySample samples it computes the weights
// less often, because they change slowly.
func (b *smoothing) combine(j int, s *series.Scaler) {
	if n := int(b.count[j]); n < weighEverySample || n%weighEvery == 0 {
		b.weigh(j, s)
	}
	var level, ramp, damped float64
	for k := range smoothers {
		i := k*b.dim + j
		w := b.weights[i]
		level += w * b.deviation[i]
		if smoothers[k].keep < 1 {
			damped += w * b.slope[i]
		} else {
			ramp += w * b.slope[i]
		}
	}
	b.level[j], b.ramp[j], b.damped[j] = level, ramp, damped
}

// weigh computes the weights of the smoothers of variable j.
func (b *smoothing) weigh(j int, s *series.Scaler) {
	least := math.Inf(1)
	for i := j; i < len(b.errors); i += b.dim {
		least = min(least, b.errors[i])
	}
	floor := series.Degenerate*s.Diff2[j]*b.known[j] + math.SmallestNonzeroFloat64 // > 0 if all errors are 0
	sum := 0.
	for k := range smoothers {
		i := k*b.dim + j
		b.weights[i] = math.Exp(smoothers[k].prior - b.known[j]/2*math.Log((b.errors[i]+floor)/(least+floor)))
		sum += b.weights[i]
	}
	for i := j; i < len(b.weights); i += b.dim {
		b.weights[i] /= sum
	}
}

// ahead returns the forecast increment of variable j over h steps. damped is dampedSteps(h).
func (b *smoothing) ahead(j, h int, damped float64) float64 {
	return b.level[j] + b.ramp[j]*max(min(float64(h), lineGoesOn*b.count[j]), b.steps(j, h)) + b.damped[j]*damped
}

// steps returns the number of steps that the line of variable j continues within the next h steps.
func (b *smoothing) steps(j, h int) float64 {
	if b.morning {
		return 0
	}
	return b.lines[j].steps(h)
}

// dampedSteps returns keep + keep^2 + … + keep^h for keep = dampedKeep.
func dampedSteps(h int) float64 {
	return dampedKeep * (1 - math.Pow(dampedKeep, float64(h))) / (1 - dampedKeep)
}

func (b *smoothing) stateOf(c *snapshot.Codec, _ *autoSeries) {
	c.Section("smoothing")
	for _, v := range [][]float64{b.deviation, b.slope, b.errors, b.weights, b.known, b.count, b.level, b.ramp, b.damped} {
		c.Float64s(v)
	}
	for j := range b.lines {
		b.lines[j].State(c)
	}
}

// youngOdds is the logarithm of the prior odds of smoothing before the first term.
const youngOdds = 1

// preference weighs smoothing against the shrunken mixture, for one variable at one horizon:
//
//	weight / (1 - weight) = exp(youngOdds + evidence) / (1 + terms).
//
// Terms are defined like those of shrinkage. A young series learns quickly, so later terms have larger weights. The
// mixture improves with the terms and smoothing does not, so the prior odds of smoothing fall with the number of terms.
type preference struct {
	outcomes        int     // outcomes in the current term
	ended           int     // number of terms so far
	mixture, smooth float64 // sums of squared errors, with forgetting
	terms           float64 // number of terms, with forgetting
	evidence        float64 // logarithm of the likelihood ratio of smoothing over the mixture
	weight          float64 // weight of smoothing, in (0, 1)
}

// learn updates the weight with the errors of both forecasts, in typical increments. every is the number of outcomes
// per term.
func (p *preference) learn(mixture, smooth float64, every int) {
	mixture, smooth = lanes.Clip(mixture, shrinkageLimit), lanes.Clip(smooth, shrinkageLimit)
	p.mixture += mixture * mixture
	p.smooth += smooth * smooth
	if p.outcomes++; p.outcomes < every {
		return
	}
	p.ended++
	f := min(retained(p.outcomes), 1-1/float64(p.ended+1))
	p.terms, p.mixture, p.smooth, p.outcomes = f*(p.terms+1), f*p.mixture, f*p.smooth, 0
	if p.mixture > 0 && p.smooth > 0 {
		p.evidence = p.terms / 2 * math.Log(p.mixture/p.smooth)
	}
	p.weigh()
}

// discount multiplies the weight of all outcomes so far by keep, in (0, 1].
func (p *preference) discount(keep float64) {
	for _, v := range []*float64{&p.mixture, &p.smooth, &p.terms} {
		*v *= keep
	}
	p.evidence *= keep
	p.weigh()
}

func (p *preference) weigh() {
	p.weight = 1 / (1 + (1+p.terms)*math.Exp(-youngOdds-p.evidence))
}

func (p *preference) State(c *snapshot.Codec) {
	c.Index(&p.outcomes, longestAnchor)
	c.Int(&p.ended)
	for _, v := range []*float64{&p.mixture, &p.smooth, &p.terms, &p.evidence} {
		c.Float64(v)
	}
	p.weigh()
}
