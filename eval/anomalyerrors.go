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
	errs          uint16  // at most anomalyMemory
	scale, recent float64 // mean absolute error; mean square of recent errors
	quantile      float64 // of the errors in units of the scale: exceeded by errorTail
	excess        float64 // mean logarithm of what exceeds it
	tails         float64 // number of errors that exceeded it, with the prior
	lately, usual float64 // mean surprisal of the errors
	echo          float64 // error out of all proportion, which the forecasts behind it may repeat

	// Of the last sample.
	known     bool    // it has an error
	repeated  bool    // the error repeats a larger one
	error     float64 // in the units of the data; 0 = none
	surprisal float64 // of the error
}

// observeJump scores and learns the errors of the forecasts yhat of y, times the factor
// of anomalyClock, and returns the statistic of Jump: the root of the sum of squares over the variables.
func (s *AnomalyScorer) observeJump(y, yhat []float64, factor float64) (jump evidence, ok bool) {
	var usual, recent weight
	squares := s.squares[Jump][:len(s.vars)]
	clear(squares)
	for j := range s.vars {
		v := &s.vars[j].anomalyErrors
		v.error, v.known = 0, false
		if yhat == nil {
			continue
		}
		e := y[j] - yhat[j]
		if !finite(e) {
			continue
		}
		ok = true
		v.error, v.known = e, true
		e *= factor
		v.errs = counted(v.errs)
		surprisal, u := v.learnError(math.Abs(e), usual.of(v.errs, 1./anomalyMemory), recent.of(v.errs, 1./jumpSpan))
		v.surprisal, v.repeated = surprisal, false
		if len(s.vars) == 1 {
			surprisal = 2 * math.Log1p(u) // of a single variable the tail need not be comparable
		}
		square := surprisal * surprisal
		jump.all += square
		if v.echo != 0 || u > v.quantile {
			if v.repeated = v.repeats(e, u); v.repeated {
				square = 0
			}
		}
		squares[j] = square
		jump.last += square
	}
	return jump.root(), ok
}

// observeNoise learns the surprisals of the last errors, and returns the statistic of
// Noise: the root of the sum of squares over the variables.
func (s *AnomalyScorer) observeNoise() (noise evidence) {
	held := !s.slow[Noise].learns(s.c.NormalAfter)
	var usual, lately weight
	squares := s.squares[Noise][:len(s.vars)]
	clear(squares)
	for j := range s.vars {
		v := &s.vars[j].anomalyErrors
		if !v.known {
			continue
		}
		surprisal := v.surprisal
		if surprisal > noiseMost {
			surprisal = noiseMost
		}
		if v.error*v.error < noiseLeast*noiseLeast*s.vars[j].variance {
			surprisal = 0
		}
		if v.recent > jumpAftermath*v.scale*v.scale && surprisal < v.usual {
			surprisal = v.usual // small beside the errors before is not quiet
		}
		last := surprisal - v.usual
		mean := v.learnNoise(surprisal, lately.of(v.errs, 1./noiseSpan), usual.of(v.errs, 1./anomalyMemory), held)
		squares[j] = mean * mean
		noise.all += squares[j]
		if !(v.repeated && s.event.Open) {
			noise.last += onSide(last*last, last, mean)
		}
	}
	return noise.root()
}

// repeats reports whether an error of u quantiles repeats a larger one shortly before it,
// with the other sign.
func (v *anomalyErrors) repeats(e, u float64) bool {
	repeated := e*v.echo < 0 && math.Abs(e) < echoMost*math.Abs(v.echo)
	if v.echo *= echoFade; math.Abs(v.echo) < v.scale {
		v.echo = 0
	}
	if u > echoFrom*v.quantile {
		v.echo = e
	}
	return repeated
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
			v.quantile += v.quantile * rate / errorTail * v.excess * (1 - errorTail)
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
	c.Uint16(&v.errs)
	for _, x := range [...]*float64{&v.scale, &v.recent, &v.quantile, &v.excess, &v.tails, &v.lately, &v.usual, &v.echo} {
		c.Float64(x)
	}
}
