package auto

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
)

// anchors returns the anchor horizons: 2, 3, 4, 6, 8, 12, 16, … up to the first one that is not below
// horizon, none for horizon 1. A longer horizon only appends anchors, so it does not change the
// forecasts of shorter ones.
func anchors(horizon int) []int {
	var a []int
	for h := 2; horizon > 1; {
		a = append(a, h)
		if h >= horizon {
			break
		}
		switch {
		case h < 4:
			h++
		case h&(h-1) == 0:
			h += h / 2
		default:
			h += h / 3
		}
	}
	return a
}

// longestAnchor is the anchor of check.MaxHorizon.
const longestAnchor = 12_288

// anchor is one anchor horizon h: its mixture of experts, the scores by which the mixture is corrected, and
// the forecasts whose targets are not observed yet.
type anchor struct {
	horizon     int
	root        float64 // of the horizon
	damped      float64 // dampedSteps(horizon)
	mixture     *mixture
	rounds      rounds
	shrinkage   shrinkage    // of the mixture towards last + moves
	single      []shrinkage  // of each variable: the same for this variable alone
	preferences []preference // of each variable: smoothing over the shrunken mixture
	factor      float64      // see multihorizon.shrink
	origins     []origin     // ring of h origins
}

func newAnchor(m *auto, horizon int, calendar bool) anchor {
	d := m.cfg.Dim
	a := anchor{
		horizon: horizon, root: math.Sqrt(float64(horizon)), damped: dampedSteps(horizon),
		mixture: newMixture(d, anchorExperts, horizon, repeatLast, true, &m.work.newton),
		rounds:  newRounds(horizon), shrinkage: shrinkage{errors: 1},
		single: make([]shrinkage, d), preferences: make([]preference, d), origins: make([]origin, horizon),
	}
	if !m.has(partRounds) {
		a.rounds.shortest = a.rounds.longest
	}
	for j := range d {
		a.single[j].errors = singleErrors
		a.preferences[j].weigh()
	}
	for i := range a.origins {
		a.origins[i] = newOrigin(m.direct, calendar)
	}
	return a
}

// origin returns the place of an origin with the given number. The origin h before it has the same place.
func (a *anchor) origin(number int) *origin { return &a.origins[number%a.horizon] }

// abstain sets the forecast of the iterated mixture, which sleeps, to the weighted mean of the other
// experts: a sleeping expert neither gains nor loses weight (Freund, Schapire, Singer and Warmuth 1997).
func (a *anchor) abstain(z []float64) {
	p := a.mixture.aggregate
	for j := range p.dim {
		var sum, weights float64
		for e := range anchorExperts {
			if w := p.weight(e, j); e != iteratedAll {
				sum += w * z[e*p.dim+j]
				weights += w
			}
		}
		if weights > 0 {
			z[iteratedAll*p.dim+j] = sum / weights
		}
	}
}

// discount multiplies the weight of all outcomes so far by keep, in (0, 1].
func (a *anchor) discount(keep float64) {
	a.mixture.discount(keep)
	a.shrinkage.discount(keep)
	for j := range a.single {
		a.single[j].discount(keep)
		a.preferences[j].discount(keep)
	}
}

func (a *anchor) State(c *snapshot.Codec) {
	a.mixture.State(c)
	a.shrinkage.State(c)
	for j := range a.single {
		a.single[j].State(c)
		a.preferences[j].State(c)
	}
}
