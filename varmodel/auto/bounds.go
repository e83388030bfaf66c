package auto

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
)

const (
	boundTurn  = .4           // evidence of a step back from the extreme; a random walk steps back in half of its steps
	boundHold  = 2 * math.Ln2 // largest evidence of one sample that repeats the extreme
	boundProof = 4.6          // first value of bound.need: log(100), odds of 100
	boundDoubt = 4            // factor of bound.need when a sample passes a believed bound
)

// bound is the largest or the smallest sample of a variable, with the evidence that no sample can pass this value.
// For example, a count cannot fall below 0. The evidence is a logarithm of odds against a random walk: at its extreme,
// a random walk passes the extreme in half of its steps, and repeats it as often as other values. Forecasts are
// clipped at a believed bound.
type bound struct {
	sign     float64 // 1: upper bound, -1: lower bound
	at       float64 // largest or smallest sample so far
	evidence float64 // logarithm of the odds that no sample passes at
	need     float64 // the bound is believed if evidence > need

	steps, repeats           float64 // number of steps from values other than at; number of these steps with increment 0
	stepsThere, repeatsThere float64 // the same two numbers for steps from at
}

func newBound(sign float64) bound {
	return bound{sign: sign, at: math.Inf(int(-sign)), need: boundProof}
}

// learn updates the evidence with the step from the sample before (NaN: not known) to the sample y.
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
