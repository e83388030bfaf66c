package auto

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
)

// anchors returns the anchor horizons 2, 3, 4, 6, 8, 12, 16, … in ascending order. The last anchor is the
// smallest one >= horizon. Horizon 1 has no anchors. A longer horizon only appends anchors, so the forecasts
// at shorter horizons stay the same.
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

// longestAnchor is the last anchor for check.MaxHorizon.
const longestAnchor = 12_288

// anchor holds the state of one anchor horizon h: the mixture of experts, the corrections of the mixture, and
// the forecasts whose targets are not observed yet.
type anchor struct {
	horizon     int
	root        float64    // sqrt(horizon)
	responses   []response // responses(horizon)
	mixture     *mixture
	rounds      rounds
	shrinkage   shrinkage    // shrinkage of the mixture towards last + moves, for all variables together
	single      []shrinkage  // dim: the same shrinkage for each variable alone
	preferences []preference // dim: preference for smoothing over the shrunken mixture
	factor      float64      // factor of the shrinkage, set by multihorizon.shrink
	origins     []origin     // ring of h origins
}

func newAnchor(m *auto, horizon int, calendar bool) anchor {
	d := m.cfg.Dim
	a := anchor{
		horizon: horizon, root: math.Sqrt(float64(horizon)), responses: responses(horizon),
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

// origin returns the element of the ring for an origin number. Origins h apart share an element.
func (a *anchor) origin(number int) *origin { return &a.origins[number%a.horizon] }

// abstain sets the forecast of the sleeping iterated mixture to the weighted mean of the other experts. A
// sleeping expert then neither gains nor loses weight (Freund, Schapire, Singer and Warmuth 1997).
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
