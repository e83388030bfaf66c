package eval

import (
	"math"

	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/internal/snapshot"
)

const (
	jumpSpan      = 50  // samples that the size of recent errors is averaged over
	jumpAftermath = 6   // mean squared recent error in squares of the scale, that makes errors look small
	jumpRecent    = .5  // weight of recent squared errors beside the usual one
	noiseSpan     = 25  // samples that Noise averages over
	noiseLeast    = .05 // standard deviations of the values; an error below it counts as none in Noise
	noiseMost     = 7   // largest surprisal of one error in Noise; Jump sees the rest

	echoFrom           = 3                  // quantiles; the forecasts behind a larger error may repeat it: they are wrong by as much, with the other sign
	echoMost           = 1.5                // of it, up to which an error counts as its repetition
	echoFade           = .5                 // part of it that is left per sample
	errorStart         = 20                 // errors before the first surprisal
	errorTail          = .05                // share of the errors in the tail of a variable
	errorTailSurprisal = 2.9957322735539909 // -log(errorTail)
)

// anomalyErrors is what the views Jump and Noise know of a variable: the size of its
// forecast errors, and their tail.
type anomalyErrors struct {
	errs          int64
	scale, recent float64 // mean absolute error; mean square of recent errors
	quantile      float64 // of the errors in units of the scale: exceeded by errorTail
	excess        float64 // mean logarithm of what exceeds it
	tails         float64 // number of errors that exceeded it, with the prior
	lately, usual float64 // mean surprisal of the errors
	echo          float64 // error out of all proportion, which the forecasts behind it may repeat

	error float64 // of the last sample, in the units of the data; 0 = none
}

// observeErrors scores and learns the errors of the forecasts yhat of y, and returns the
// statistics of Jump and of Noise: the root of the sum of squares over the variables.
func (s *AnomalyScorer) observeErrors(y, yhat []float64) (jump, noise evidence, ok bool) {
	held := s.slow[Noise].held > 0
	var usual, recent, lately weight
	jumps, noises := s.squares[Jump], s.squares[Noise]
	for j := range s.vars {
		v := &s.vars[j]
		v.error, jumps[j], noises[j] = 0, 0, 0
		if yhat == nil {
			continue
		}
		e := y[j] - yhat[j]
		if !finite(e) {
			continue
		}
		ok = true
		v.error = e
		v.errs++
		rate := usual.of(v.errs, 1./anomalyMemory)
		repeated := e*v.echo < 0 && math.Abs(e) < echoMost*math.Abs(v.echo)
		surprisal, u := v.learnError(math.Abs(e), rate, recent.of(v.errs, 1./jumpSpan))
		x := surprisal
		if len(s.vars) == 1 {
			x = 2 * math.Log1p(u) // of a single variable the tail need not be comparable
		}
		jumps[j] = x * x
		if v.echo *= echoFade; u > echoFrom*v.quantile {
			v.echo = e
		}
		jump.all += jumps[j]
		if repeated {
			jumps[j] = 0
		}
		jump.last += jumps[j]
		if surprisal > noiseMost {
			surprisal = noiseMost
		}
		if e*e < noiseLeast*noiseLeast*v.variance {
			surprisal = 0
		}
		if surprisal < v.usual && v.recent > jumpAftermath*v.scale*v.scale {
			surprisal = v.usual // small beside the errors before is not quiet
		}
		last := surprisal - v.usual
		mean := v.learnNoise(surprisal, lately.of(v.errs, 1./noiseSpan), rate, held)
		noises[j] = mean * mean
		noise.all += noises[j]
		if mean*last > 0 && !(repeated && s.event.Open) {
			noise.last += last * last
		}
	}
	return jump.root(), noise.root(), ok
}

// learnError takes the size of an error with its weights in scale and in recent. It
// returns its surprisal, and the size in units of what is usual and recent.
func (v *anomalyErrors) learnError(size, rate, recent float64) (surprisal, u float64) {
	const (
		quantile = 2.5
		excess   = .3
		prior    = 10
		usual    = 10  // scales; beyond it an error counts as that far
		far      = 30  // the same among the recent ones, so that they forget a jump within some hundred samples
		novel    = 1e6 // u of an error where there never was one
		most     = 1e300
	)
	if v.errs == errorStart {
		v.quantile, v.excess, v.tails = quantile, excess, prior
	}
	if v.errs > errorStart {
		unit := math.Sqrt(v.scale*v.scale + jumpRecent*v.recent)
		switch {
		case size == 0:
		case unit > 0:
			if u = size / unit; u > far {
				u, size = min(u, most), far*unit
			}
		default:
			u = novel
		}
		// The quantile moves by stochastic approximation on its logarithm.
		if u > v.quantile {
			x := math.Log(u / v.quantile)
			surprisal = errorTailSurprisal + x/v.excess
			v.quantile *= math.Exp(rate / errorTail * v.excess * (1 - errorTail))
			v.tails++
			v.excess += lanes.Weight(v.tails, 1e-3) * (min(x, 10*v.excess) - v.excess)
		} else {
			surprisal = errorTailSurprisal * u / v.quantile
			v.quantile -= v.quantile * rate * v.excess
		}
	}
	v.recent += recent * (size*size - v.recent)
	if size > usual*v.scale && v.errs > errorStart && v.scale > 0 {
		size = usual * v.scale
	}
	v.scale += rate * (size - v.scale)
	return surprisal, u
}

// learnNoise takes the surprisal of an error with its weights in lately and in usual, and
// returns the statistic of Noise with its sign.
func (v *anomalyErrors) learnNoise(surprisal, lately, rate float64, held bool) float64 {
	v.lately += lately * (surprisal - v.lately)
	if !held {
		v.usual += rate * (surprisal - v.usual)
	}
	return v.lately - v.usual
}

func (v *anomalyErrors) state(c *snapshot.Codec) {
	c.Int64(&v.errs)
	for _, x := range [...]*float64{&v.scale, &v.recent, &v.quantile, &v.excess, &v.tails, &v.lately, &v.usual, &v.echo} {
		c.Float64(x)
	}
}
