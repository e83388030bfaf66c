package auto

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
)

// shrinkage learns a factor in [0, 1] for the increments of a mixture over a simpler forecast, the start. With
// the increments x of the mixture, y of the outcome, and n terms,
//
//	factor = sum xy / sum x^2 - errors (1 + 2/n) standard errors.
//
// Overlapping forecasts of horizon h have similar outcomes, so the outcomes of a round make one term of the sums;
// see rounds. On a random walk the factor is near 0, even if experts have fitted the noise.
type shrinkage struct {
	every                int     // outcomes per term
	errors               float64 // standard errors that are subtracted
	fading               bool    // the n-th term has a weight proportional to n; else shrinkageForgetting holds
	ended                int     // terms so far
	outcomes             int     // outcomes in the current term
	product, square      float64 // sums of the current term
	xy, xx, noise, terms float64 // weighted sums over the terms, and the sum of the weights
	factor               float64
}

const (
	shrinkageForgetting = 0.9998 // weight of a sample after one step
	shrinkageLimit      = 5      // limit of an increment, in typical increments
)

// retainedPowers has the results of retained for most rounds: math.Pow takes longer than the rest of a term.
var retainedPowers [64]float64

func init() {
	for n := range retainedPowers {
		retainedPowers[n] = math.Pow(shrinkageForgetting, float64(n))
	}
}

// retained returns the weight of a sample after the given number of steps.
func retained(steps int) float64 {
	if steps < len(retainedPowers) {
		return retainedPowers[steps]
	}
	return math.Pow(shrinkageForgetting, float64(steps))
}

// The shrinkage of one-step forecasts ends: after many outcomes the weights of the mixture, which are learnt for each
// coordinate alone, are better.
const (
	earlyErrors   = .5   // standard errors that are subtracted from the slope
	earlyEvidence = 3    // with a slope of k earlyEvidence standard errors 1 / (1 + k^2) of the shrinkage is left
	earlyEnd      = 1000 // samples after which there is no shrinkage
)

// youngFactor returns the factor of the one-step increments of the mixture in a young series. The shrinkage
// fades as the evidence for the mixture grows; see earlyEvidence.
func (p *panel) youngFactor(s *autoSeries) float64 {
	if s.total >= earlyEnd || !s.m.has(partEarly) {
		return 1
	}
	t := &p.young
	if t.noise <= 0 {
		return t.factor
	}
	evidence := max(t.xy, 0) / math.Sqrt(t.noise) / earlyEvidence
	return 1 - (1-t.factor)/(1+evidence*evidence)
}

// Observe learns from the outcome y of the last forecasts of m, which follow last and are shrunk towards start.
func (t *shrinkage) Observe(m *mixture, y, last, start []float64) {
	for j, v := range y {
		t.addOf(m, j, v-last[j], start[j]-last[j])
	}
	t.endOutcome()
}

// addOf adds the outcome of coordinate j, where step and start are increments over the last value. It reports
// whether there is an outcome: a value may be missing, and the first increment has no unit.
func (t *shrinkage) addOf(m *mixture, j int, step, start float64) bool {
	if m.steps.Count[j] == 0 || step != step {
		return false
	}
	t.add(m.out[j]-start*m.steps.Inverse[j], (step-start)*m.steps.Inverse[j])
	return true
}

// add adds one coordinate to the current outcome. forecast and outcome are increments over the start.
func (t *shrinkage) add(forecast, outcome float64) {
	forecast = lanes.Clip(forecast, shrinkageLimit)
	t.product += forecast * lanes.Clip(outcome, shrinkageLimit)
	t.square += forecast * forecast
}

// endOutcome completes an outcome, after all its coordinates.
func (t *shrinkage) endOutcome() {
	if t.outcomes++; t.outcomes < t.every {
		return
	}
	t.ended++
	f := retained(t.outcomes)
	if t.fading { // a young series gets to know its season
		f = 1 - 1/float64(t.ended)
	}
	rest := t.product - t.factor*t.square
	t.xy, t.xx = f*t.xy+t.product, f*t.xx+t.square
	t.noise, t.terms = f*t.noise+rest*rest, f*t.terms+1
	t.outcomes, t.product, t.square = 0, 0, 0
	t.factor = 0
	if t.xx > 0 {
		// 1 + 2/terms standard errors: with few terms the standard error is uncertain, too.
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

// discount multiplies the weight of all outcomes so far by keep, in (0, 1]. The noise is a sum of squares.
func (t *shrinkage) discount(keep float64) {
	for _, v := range []*float64{&t.product, &t.square, &t.xy, &t.xx} {
		*v *= keep
	}
	t.noise *= keep * keep
}
