package auto

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
)

// shrinkage learns a factor in [0, 1] for a mixture's increments over a simpler forecast
// (persistence, or the last season). With forecasts x and outcomes y of all coordinates,
//
//	factor = sum xy / sum x^2 - standard error (three of them with a single term),
//
// or a share of that. Overlapping forecasts of horizon h have similar outcomes, so the
// outcomes of a round make one term of the sums; see rounds. On a random walk the factor
// is near 0, whatever the experts have picked up.
type shrinkage struct {
	every                int     // outcomes per term
	errors               float64 // standard errors that are subtracted
	fading               bool    // a term weighs as its number; else shrinkageForgetting
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

// The shrinkage of one-step forecasts ends: with many outcomes the mixture knows better,
// for each coordinate alone.
const (
	earlyErrors   = .5   // standard errors that are subtracted from the slope
	earlyEvidence = 3    // slope in standard errors at which half of the shrinkage is left, and a fifth at twice as many
	earlyEnd      = 1000 // samples after which there is none
)

// youngFactor is the factor by which the one-step increments of the mixture are multiplied
// in a young series: the shrinkage fades as evidence grows, whatever the number of samples.
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

// Observe learns from the outcome y of the last forecasts of m, which are shrunk towards start.
func (t *shrinkage) Observe(m *mixture, y, last, start []float64) {
	for j, v := range y {
		t.addOf(m, j, v-last[j], start[j]-last[j])
	}
	t.endOutcome()
}

// addOf adds the outcome of coordinate j, an increment, and reports whether there is one: a value
// may be missing, and the first increment has no unit.
func (t *shrinkage) addOf(m *mixture, j int, step, start float64) bool {
	if m.steps.Count[j] == 0 || step != step {
		return false
	}
	t.add(m.out[j]-start*m.steps.Inverse[j], (step-start)*m.steps.Inverse[j])
	return true
}

// add adds one coordinate to the current outcome: the increments of the forecast and of
// the outcome over the simpler forecast.
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
	f := math.Pow(shrinkageForgetting, float64(t.outcomes))
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
