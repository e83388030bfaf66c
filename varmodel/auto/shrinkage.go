package auto

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
)

// shrinkage estimates a factor in [0, 1] for the increments of a mixture over a simpler forecast, the start. For
// increments x of the mixture, increments y of the outcome, and n terms,
//
//	factor = sum xy / sum x^2 - errors (1 + 2/n) standard errors.
//
// Overlapping forecasts of horizon h have correlated outcomes, so the outcomes of a round form one term of the sums;
// see rounds. On a random walk the factor is near 0, even if the experts have fitted the noise.
type shrinkage struct {
	every                int     // outcomes per term
	errors               float64 // number of standard errors subtracted
	fading               bool    // true: the n-th term has a weight proportional to n; false: shrinkageForgetting
	ended                int     // number of terms so far
	outcomes             int     // outcomes in the current term
	product, square      float64 // sums of x y and x^2 in the current term
	xy, xx, noise, terms float64 // weighted sums over the terms of product, square, squared residual and 1
	factor               float64
}

const (
	shrinkageForgetting = 0.9998 // weight of a sample after one step
	shrinkageLimit      = 5      // limit of an increment, in typical increments
)

// retainedPowers caches the results of retained for most rounds, because math.Pow takes longer than the rest of a term.
var retainedPowers [64]float64

func init() {
	for n := range retainedPowers {
		retainedPowers[n] = math.Pow(shrinkageForgetting, float64(n))
	}
}

// retained returns shrinkageForgetting^steps, the weight of a sample after the given number of steps.
func retained(steps int) float64 {
	if steps < len(retainedPowers) {
		return retainedPowers[steps]
	}
	return math.Pow(shrinkageForgetting, float64(steps))
}

// Constants of the shrinkage of one-step forecasts. This shrinkage ends, because after many outcomes the weights of the
// mixture, which each coordinate has on its own, are better.
const (
	earlyErrors   = .5   // number of standard errors subtracted from the slope
	earlyEvidence = 3    // standard errors of the slope per unit of k: 1 / (1 + k^2) of the shrinkage is left
	earlyEnd      = 1000 // samples after which there is no shrinkage
)

// youngFactor returns the factor of the one-step increments of the mixture in a young series:
//
//	1 - (1 - factor) / (1 + k^2),   k = slope / (earlyEvidence standard errors).
func (p *panel) youngFactor(s *autoSeries) float64 {
	if s.total >= earlyEnd || s.joint || !s.m.has(partEarly) {
		return 1
	}
	t := &p.young
	if t.noise <= 0 {
		return t.factor
	}
	evidence := max(t.xy, 0) / math.Sqrt(t.noise) / earlyEvidence
	return 1 - (1-t.factor)/(1+evidence*evidence)
}

// Observe updates the factor with the outcome y of the last forecast of m. last is the sample before y, and start is
// the simpler forecast of y.
func (t *shrinkage) Observe(m *mixture, y, last, start []float64) {
	for j, v := range y {
		t.addOf(m, j, v-last[j], start[j]-last[j])
	}
	t.endOutcome()
}

// addOf adds the outcome of coordinate j. step and start are the increments of outcome and start over the last value.
// The result is false if there is no outcome: step is NaN, or the first increment has no unit yet.
func (t *shrinkage) addOf(m *mixture, j int, step, start float64) bool {
	if m.steps.Count[j] == 0 || step != step {
		return false
	}
	t.add(m.out[j]-start*m.steps.Inverse[j], (step-start)*m.steps.Inverse[j])
	return true
}

// add adds one coordinate to the current outcome. forecast and outcome are increments over the start, in typical
// increments.
func (t *shrinkage) add(forecast, outcome float64) {
	forecast = lanes.Clip(forecast, shrinkageLimit)
	t.product += forecast * lanes.Clip(outcome, shrinkageLimit)
	t.square += forecast * forecast
}

// endOutcome completes an outcome. Call add for all its coordinates first.
func (t *shrinkage) endOutcome() {
	if t.outcomes++; t.outcomes < t.every {
		return
	}
	t.ended++
	f := retained(t.outcomes)
	if t.fading { // forecasts of a young series improve, for example when its season becomes known
		f = 1 - 1/float64(t.ended)
	}
	rest := t.product - t.factor*t.square
	t.xy, t.xx = f*t.xy+t.product, f*t.xx+t.square
	t.noise, t.terms = f*t.noise+rest*rest, f*t.terms+1
	t.outcomes, t.product, t.square = 0, 0, 0
	t.factor = 0
	if t.xx > 0 {
		// The factor 1 + 2/terms allows for the uncertainty of the standard error with few terms.
		t.factor = min(max((t.xy-t.errors*(1+2/t.terms)*math.Sqrt(t.noise))/t.xx, 0), 1)
	}
}

func (t *shrinkage) State(c *snapshot.Codec) {
	c.Index(&t.outcomes, longestAnchor)
	c.Int(&t.ended)
	for _, v := range []*float64{&t.product, &t.square, &t.xy, &t.xx, &t.noise, &t.terms, &t.factor} {
		c.Float64(v)
	}
}

// discount multiplies the weight of all outcomes so far by keep, in (0, 1]. The noise gets keep^2, because it is a sum
// of squares.
func (t *shrinkage) discount(keep float64) {
	for _, v := range []*float64{&t.product, &t.square, &t.xy, &t.xx} {
		*v *= keep
	}
	t.noise *= keep * keep
}
