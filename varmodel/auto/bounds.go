package auto

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
)

const (
	boundTurn  = .4           // evidence of a turn back from the extreme, which half of the steps of a walk make, and more of rounded noise
	boundHold  = 2 * math.Ln2 // largest evidence of a sample that repeats the extreme
	boundProof = 4.6          // evidence that a bound needs: odds of 100,
	boundDoubt = 4            // multiplied by boundDoubt for each believed bound that was passed
)

// bound is the largest or the smallest sample of a variable, with the evidence that no sample can pass it, such as 0
// of a count. The evidence is a logarithm of odds: a random walk at its extreme passes it in half of its steps, and
// repeats it as often as other values. Forecasts stop at a believed bound.
type bound struct {
	sign     float64 // 1: the largest, -1: the smallest
	at       float64
	evidence float64
	need     float64 // the bound is believed if evidence > need

	steps, repeats           float64 // number of steps from other values, and of those with increment 0
	stepsThere, repeatsThere float64 // the same for steps from the extreme
}

func newBound(sign float64) bound {
	return bound{sign: sign, at: math.Inf(int(-sign)), need: boundProof}
}

// learn learns the step from the sample before, NaN if it is not known, to y.
func (b *bound) learn(y, before float64) {
	var step, repeat float64
	if before == before {
		step = 1
	}
	if before == y {
		repeat = 1
	}
	switch {
	case b.sign*y > b.sign*b.at:
		if b.believed() {
			b.need *= boundDoubt
		}
		b.at, b.evidence = y, 0
		b.steps, b.repeats = b.steps+b.stepsThere+step, b.repeats+b.repeatsThere
		b.stepsThere, b.repeatsThere = 0, 0
	case before != b.at:
		b.steps, b.repeats = b.steps+step, b.repeats+repeat
	default:
		b.stepsThere, b.repeatsThere = b.stepsThere+1, b.repeatsThere+repeat
		if repeat == 0 {
			b.evidence += boundTurn
		} else {
			b.evidence += min(math.Log((b.steps+2)/(b.repeats+1)), boundHold)
		}
	}
}

func (b *bound) believed() bool { return b.evidence > b.need }

// clip limits the forecast v to a believed bound.
func (b *bound) clip(v float64) float64 {
	if b.sign*v > b.sign*b.at && b.believed() {
		return b.at
	}
	return v
}

func (b *bound) State(c *snapshot.Codec) {
	for _, v := range []*float64{&b.at, &b.evidence, &b.need, &b.steps, &b.repeats, &b.stepsThere, &b.repeatsThere} {
		c.Float64(v)
	}
}
