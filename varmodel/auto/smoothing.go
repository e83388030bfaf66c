package auto

import (
	"math"
	"slices"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/varmodel/series"
)

// smoother describes exponential smoothing of a level or a line (Hyndman and others 2008).
type smoother struct {
	gain  float64 // smallest gain of the level
	slope float64 // smallest gain of the slope, in gains of the level; 0: no trend
	of    kind
}

const (
	slow    = .005     // gain of the mean of the past
	lasting = 1. / 200 // smallest gain of the slope
)

// Smoothers that are centres of laws.
const (
	meanOfAll  = 5
	walkOnLine = 6
	lineOfAll  = 9
)

var smoothers = [...]smoother{
	{1, 0, walkKind}, {.6, 0, levelKind}, {.35, 0, levelKind}, {.18, 0, levelKind}, {.08, 0, meanKind}, {slow, 0, meanKind},
	{1, lasting, driftKind}, {.35, lasting, lineKind}, {.08, lasting, lineKind}, {slow, lasting, lineKind},
}

const (
	weighOften = 32 // after n samples the weights are computed once in 1 + n / weighOften samples,
	weighEvery = 8  // and at least once in weighEvery samples
	negligible = 12 // a likelihood below exp(-negligible) of the largest one counts as 0
	outlying   = 16 // limit of a squared error, in mean squared errors of the best smoother or law
	outlierAge = 8  // number of squared errors before there is a limit

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
	dim        int
	deviation  []float64 // smoothers x dim: level minus the last value
	slope      []float64 // smoothers x dim: slope per step
	errors     []float64 // smoothers x dim: sum of squared errors, with forgetting
	weights    []float64 // smoothers x dim: normalised weights
	known      []float64 // dim: n, the sum of the weights of the squared errors
	count      []float64 // dim: number of samples
	step       []float64 // dim: last increment
	best       []float64 // dim: mean squared error of the best smoother or law; 0: not known
	lawErrors  []float64 // dim x laws: like errors
	lawWeights []float64 // dim x laws: like weights
	used       [][]uint8 // dim: indices of the laws with a weight
	lines      []line    // dim
	seasonal   []bool    // dim: true: the variable has a season, so restOdds count
	morning    bool      // true: the series is shorter than a day of the clock, so a line may be a morning

	level, ramp []float64 // dim: weighted means of deviation and slope over the smoothers; ramp also over the laws
}

func newSmoothing(d int) *smoothing {
	b := &smoothing{dim: d, seasonal: make([]bool, d), lines: make([]line, d), used: make([][]uint8, d)}
	for _, v := range []*[]float64{&b.deviation, &b.slope, &b.errors, &b.weights} {
		*v = make([]float64, len(smoothers)*d)
	}
	for _, v := range []*[]float64{&b.lawErrors, &b.lawWeights} {
		*v = make([]float64, len(laws)*d)
	}
	for _, v := range []*[]float64{&b.step, &b.best, &b.known, &b.count, &b.level, &b.ramp} {
		*v = make([]float64, d)
	}
	return b
}

// rests reports whether smoothing is unused. One-step forecasts use it only in young series.
func (b *smoothing) rests(s *autoSeries) bool { return s.multihorizon == nil && s.total >= earlyEnd }

// follow updates the smoothers with the last increments where they were observed. After the first computation of the
// remainder, the smoothers first learn all its increments again. After a later one they keep their levels.
func (b *smoothing) follow(s *autoSeries) {
	if b.rests(s) {
		return
	}
	f := s.rest()
	b.see(s)
	b.morning = s.seasons.spacing*int64(s.total) < daySpan && s.seasons.spacing > 0
	if r := s.remainder; r != nil && r.age == 0 {
		if r.moved == nil {
			b.begin(s, 1)
		}
		for j, by := range r.moved {
			for i := j; i < len(b.deviation); i += b.dim {
				b.deviation[i] -= by
			}
		}
	}
	seen := s.past.ObservedAt(0)
	for j, step := range f.recent.rows(0)[:b.dim] {
		if seen[j] {
			if b.learn(j, step, f.scaler) {
				b.weigh(j, f.scaler)
			}
		} else {
			for i := j; i < len(b.deviation); i += b.dim {
				b.deviation[i] -= step
			}
			b.step[j] = step
		}
		b.combine(j)
	}
}

// see sets seasonal.
func (b *smoothing) see(s *autoSeries) {
	for j := range b.seasonal {
		b.seasonal[j] = s.remainder != nil && s.seasons.hasOwn(j)
	}
}

// begin resets the smoothers, and learns the increments of the remainder again without the given number of newest
// increments.
func (b *smoothing) begin(s *autoSeries, newest int) {
	f := s.rest()
	b.see(s)
	for _, v := range [][]float64{b.deviation, b.slope, b.errors, b.lawErrors, b.step, b.best, b.known} {
		clear(v)
	}
	clear(b.lines)
	before := slices.Clone(b.count)
	clear(b.count)
	rows, stride := f.recent.rows(0), f.recent.stride
	for l := min(f.recent.count, s.past.Count) - 1; l >= newest; l-- {
		for j := range b.dim {
			b.learn(j, rows[l*stride+j], f.scaler)
		}
	}
	for j, n := range before {
		b.count[j] = max(b.count[j], n-float64(newest)) // the gains depend on the age of the series
		b.weigh(j, f.scaler)
		b.combine(j)
	}
}

// renew learns the increments again after a state with horizon 1 was restored for a longer horizon. A young series has
// already learnt them for its one-step forecasts.
func (b *smoothing) renew(s *autoSeries) {
	if s.total < earlyEnd {
		return
	}
	b.begin(s, 0)
}

// learn updates the smoothers and laws with an increment of variable j. The increment is winsorised, so that a level
// shift does not change a slope, and the squared errors are limited, so that a glitch does not choose the law. The
// result is true if the weights are due: they change less and less, so they are computed less and less often, but
// always after a winsorised increment.
func (b *smoothing) learn(j int, step float64, s *series.Scaler) (due bool) {
	limit := series.WinsorLimit * s.Steps[j]
	usual := lanes.Clip(step, limit)
	b.count[j]++
	b.lines[j].learn(step, usual, limit)
	b.known[j] = smoothRetained*b.known[j] + 1
	n := b.count[j]
	mean, trend, slope := 1/(n+1), min(trendGain/(n+1), 1), slopeGain/(n+slopeAfter) // smallest gains at this age
	most := math.Inf(1)
	if b.best[j] > 0 {
		most = outlying * b.best[j]
	}
	b.learnLaws(j, usual, most)
	for k := range smoothers {
		m, i := &smoothers[k], k*b.dim+j
		move, gain := b.deviation[i]+b.slope[i], max(m.gain, mean)
		if m.slope > 0 {
			gain = max(m.gain, trend)
		}
		e := usual - move
		b.errors[i] = smoothRetained*b.errors[i] + min(e*e, most)
		b.deviation[i] = move - step + gain*e
		if m.slope > 0 {
			b.slope[i] += gain * max(slope, m.slope) * e
		}
	}
	return int(n)%min(1+int(n)/weighOften, weighEvery) == 0 || usual != step
}

// learnLaws updates the errors of the laws with an increment of variable j, before the smoothers move.
func (b *smoothing) learnLaws(j int, usual, most float64) {
	var deviation, slope [len(smoothers)]float64
	for c := range smoothers {
		deviation[c], slope[c] = b.deviation[c*b.dim+j], b.slope[c*b.dim+j]
	}
	errors, last := b.lawErrors[j*len(laws):(j+1)*len(laws)], b.step[j]
	for k, r := range nextResponses[:len(errors)] {
		c := laws[k].centre
		e := usual - slope[c] - r.level*deviation[c] - r.step*(last-slope[c])
		errors[k] = smoothRetained*errors[k] + min(e*e, most)
	}
	b.step[j] = usual
}

// combine computes the means over the smoothers and laws of variable j.
func (b *smoothing) combine(j int) {
	var level, ramp float64
	for i := j; i < len(b.weights); i += b.dim {
		level += b.weights[i] * b.deviation[i]
		ramp += b.weights[i] * b.slope[i]
	}
	weights := b.lawWeights[j*len(laws) : (j+1)*len(laws)]
	for _, k := range b.used[j] {
		ramp += weights[k] * b.slope[laws[k].centre*b.dim+j]
	}
	b.level[j], b.ramp[j] = level, ramp
}

// weigh computes the weights of the smoothers and laws of variable j.
func (b *smoothing) weigh(j int, s *series.Scaler) {
	errors, weights := b.lawErrors[j*len(laws):(j+1)*len(laws)], b.lawWeights[j*len(laws):(j+1)*len(laws)]
	least := slices.Min(errors)
	for i := j; i < len(b.errors); i += b.dim {
		least = min(least, b.errors[i])
	}
	floor := series.Degenerate*s.Diff2[j]*b.known[j] + math.SmallestNonzeroFloat64 // > 0 if all errors are 0
	if b.known[j] > outlierAge {
		b.best[j] = least / b.known[j]
	}
	least += floor
	most, sum := least*math.Exp(2*negligible/b.known[j]), 0.
	prior := &odds
	if b.seasonal[j] {
		prior = &restOdds
	}
	weight := func(errors, prior float64) (w float64) {
		if errors += floor; errors <= most {
			w = math.Exp(prior - b.known[j]/2*math.Log(errors/least))
			sum += w
		}
		return w
	}
	for k := range smoothers {
		i := k*b.dim + j
		b.weights[i] = weight(b.errors[i], prior[smoothers[k].of])
	}
	for k, e := range errors {
		weights[k] = weight(e, prior[laws[k].of])
	}
	for i := j; i < len(b.weights); i += b.dim {
		b.weights[i] /= sum
	}
	for k := range weights {
		weights[k] /= sum
	}
	b.use(j)
}

// use lists the laws of variable j with a weight.
func (b *smoothing) use(j int) {
	b.used[j] = b.used[j][:0]
	for k, w := range b.lawWeights[j*len(laws) : (j+1)*len(laws)] {
		if w > 0 {
			b.used[j] = append(b.used[j], uint8(k))
		}
	}
}

// ahead returns the forecast increment of variable j over h steps. of is responses(h).
func (b *smoothing) ahead(j, h int, of []response) float64 {
	v := b.level[j] + b.ramp[j]*max(min(float64(h), lineGoesOn*b.count[j]), b.steps(j, h))
	weights := b.lawWeights[j*len(laws) : (j+1)*len(laws)]
	for _, k := range b.used[j] {
		c := laws[k].centre*b.dim + j
		v += weights[k] * (of[k].level*b.deviation[c] + of[k].step*(b.step[j]-b.slope[c]))
	}
	return v
}

// steps returns the number of steps that the line of variable j continues within the next h steps.
func (b *smoothing) steps(j, h int) float64 {
	if b.morning {
		return 0
	}
	return b.lines[j].steps(h)
}

func (b *smoothing) stateOf(c *snapshot.Codec, _ *autoSeries) {
	c.Section("smoothing")
	for _, v := range [][]float64{
		b.deviation, b.slope, b.errors, b.weights, b.lawErrors, b.lawWeights, b.step, b.best, b.known, b.count, b.level, b.ramp,
	} {
		c.Float64s(v)
	}
	for j := range b.lines {
		b.lines[j].State(c)
		b.use(j)
	}
}

// youngOdds is the logarithm of the prior odds of smoothing before the first term.
const youngOdds = 2

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
