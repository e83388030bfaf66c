package anomaly

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
)

const (
	jumpSpan      = 50  // samples over which the size of recent errors is averaged
	jumpAftermath = 6   // mean squared recent error, in squared scales, above which Noise counts no error as small
	jumpRecent    = .5  // weight of recent squared errors relative to the usual one
	noiseSpan     = 25  // samples over which Noise averages
	noiseLeast    = .05 // errors below this number of standard deviations of the values count as none in Noise
	noiseMost     = 7   // largest surprisal of one error in Noise; larger ones are left to Jump

	echoFrom           = 3                  // multiple of its quantile above which an error may echo: the next forecasts err as much in the other direction
	echoMost           = 1.5                // largest size of an echo, as a multiple of the error
	echoFade           = .5                 // factor of that size per sample
	errorStart         = 20                 // number of errors before the first surprisal
	errorTail          = .05                // share of the errors in the tail of a variable
	errorTails         = 10                 // weight of the prior of a tail, in errors
	errorTailsMost     = 1000               // largest number of errors over which the excess is averaged
	errorTailSurprisal = 2.9957322735539909 // -log(errorTail)
)

// anomalyErrors estimates the size and the tail of the forecast errors of each variable, for the views Jump and
// Noise.
type anomalyErrors struct {
	*lanes.Errors           // Excess is the mean of log(Ratio/Quantile) beyond the Quantile
	tails         []float64 // number of errors beyond Quantile, including the prior; at most errorTailsMost
	echo          []float64 // faded error that may echo; 0 = none
	repeated      []bool    // whether the last error is an echo
}

func newAnomalyErrors(dim int) anomalyErrors {
	e := anomalyErrors{tails: make([]float64, dim), echo: make([]float64, dim), repeated: make([]bool, dim)}
	for j := range e.tails {
		e.tails[j] = errorTails
	}
	e.Errors = lanes.NewErrors(dim, lanes.ErrorRules{
		Most: anomalyMemory, Rate: 1. / anomalyMemory, Recent: 1. / jumpSpan, Start: errorStart, Part: jumpRecent,
		Far:   30, // among recent errors, so that a jump is forgotten within some hundred samples
		Novel: 1e6, Winsor: 10, TailSurprisal: errorTailSurprisal,
		Lately: 1. / noiseSpan, MostSurprisal: noiseMost, Least: noiseLeast * noiseLeast, Aftermath: jumpAftermath,
		Quantile: 2.5, Excess: .3,
	})
	return e
}

// observeJump learns the errors of the forecasts yhat of sample, multiplied by factor, see anomalyClock. It returns
// the statistic of Jump, the root of the sum of squared surprisals of the variables.
func (s *Scorer) observeJump(sample, yhat []float64, factor float64) (jump evidence, ok bool) {
	squares, e := s.squares[Jump], &s.errors
	clear(squares)
	if yhat == nil {
		clear(e.Error)
		return jump, false
	}
	y := s.left
	e.Factor = factor
	e.Add(y, yhat)
	for j, surprisal := range e.Surprisal[:len(y)] {
		if surprisal != surprisal {
			continue
		}
		ok = true
		tail := surprisal < 0
		if tail {
			surprisal = e.learnTail(j)
		}
		if len(y) == 1 {
			surprisal = 2 * roughLog(1+e.Ratio[0]) // a single variable needs no tail, because it is compared only with itself
		}
		square := surprisal * surprisal
		jump.all += square
		e.repeated[j] = false
		if tail || e.echo[j] != 0 {
			if e.repeated[j] = e.repeats(j); e.repeated[j] {
				square = 0
			}
		}
		squares[j] = square
		jump.last += square
	}
	if s.lonely {
		jump, ok = s.scoreLone(sample, yhat, y, factor, jump), true
	}
	return jump.root(), ok
}

// observeNoise learns the surprisals of the last errors. It returns the statistic of Noise:
//
//	sqrt(sum over the variables of (Lately - Usual)²).
func (s *Scorer) observeNoise() (noise evidence) {
	e := &s.errors
	e.Learns = s.slow[Noise].learns(s.c.NormalAfter)
	e.Noise(s.levels.Variance)
	last := e.Last[:len(e.echo)]
	for j, square := range e.Square[:len(e.echo)] {
		noise.all += square
		if !(e.repeated[j] && s.event.Open) {
			noise.last += last[j]
		}
	}
	return noise.root()
}

// repeats reports whether the last error of variable j echoes a recent larger one of the other sign.
func (e *anomalyErrors) repeats(j int) bool {
	last, echo := e.Error[j]*e.Factor, e.echo[j]
	if e.echo[j] *= echoFade; math.Abs(e.echo[j]) < e.Scale[j] {
		e.echo[j] = 0
	}
	if e.Ratio[j] > echoFrom*e.Quantile[j] {
		e.echo[j] = last
	}
	return last*echo < 0 && math.Abs(last) < echoMost*math.Abs(echo)
}

// learnTail learns the last error of variable j, which lies in the tail, and returns its surprisal.
func (e *anomalyErrors) learnTail(j int) (surprisal float64) {
	x := math.Log(e.Ratio[j] / e.Quantile[j])
	surprisal = errorTailSurprisal + x/e.Excess[j]
	e.Surprisal[j] = surprisal
	// The quantile moves by stochastic approximation on its logarithm.
	rate := lanes.Weight(e.Count[j], 1./anomalyMemory)
	e.Quantile[j] += e.Quantile[j] * rate / errorTail * e.Excess[j] * (1 - errorTail)
	e.tails[j] = min(e.tails[j]+1, errorTailsMost)
	e.Excess[j] += 1 / e.tails[j] * (min(x, 10*e.Excess[j]) - e.Excess[j])
	return surprisal
}

func (e *anomalyErrors) state(c *snapshot.Codec, j int) {
	countState(c, &e.Count[j])
	countState(c, &e.tails[j])
	for _, x := range [...]*float64{&e.Scale[j], &e.Recent[j], &e.Quantile[j], &e.Excess[j], &e.Lately[j], &e.Usual[j]} {
		c.Float64(x)
	}
	echoes := e.echo[j] != 0
	c.Bool(&echoes)
	if echoes {
		c.Float64(&e.echo[j])
	} else {
		e.echo[j] = 0
	}
}

// countState saves or restores a number of samples, at most anomalyMemory.
func countState(c *snapshot.Codec, x *float64) {
	n := uint16(*x)
	c.Uint16(&n)
	*x = float64(n)
}
