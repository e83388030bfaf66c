package lanes

import "math"

// Errors are the one-step forecast errors e_t of n variables: their usual size, how rare an
// error is, and how rare the last ones have been in the mean. With s = |e_t| factor,
//
//	ratio     = s / sqrt(scale² + part recent),   at most far while learning
//	surprisal = tail ratio / quantile,            -log P of an error at least as large
//	quantile  = quantile (1 - a_t excess),        unless the ratio exceeds it
//	scale     = scale + a_t (min(s, winsor scale) - scale)
//	recent    = recent + b_t (s² - recent)
//
// An error in the tail, whose ratio exceeds the quantile, has the surprisal -1: Quantile and
// Surprisal are left to the caller, who knows the tail. Surprisals begin once t > start.
type Errors struct {
	Count, Scale, Recent, Quantile, Excess []float64
	Lately, Usual                          []float64 // means of the surprisals, see Noise

	// Of the last sample.
	Error     []float64 // 0 = none
	Ratio     []float64
	Surprisal []float64 // NaN = no error
	Square    []float64 // (Lately - Usual)²; 0 = no error
	Last      []float64 // (surprisal - Usual)² of the last error if it has the same sign, else 0

	Factor float64 // of the next errors
	Learns bool    // whether Noise learns Usual

	all    []float64
	n      int
	limits [errLimits]float64
}

// ErrorRules are the constants of Errors.
type ErrorRules struct {
	Most             float64 // Count is at most this
	Rate, Recent     float64 // least weights a and b
	Start            float64
	Part             float64
	Far, Novel       float64 // Novel is the ratio of an error where there never was one
	Winsor           float64
	TailSurprisal    float64
	Lately           float64 // least weight of a surprisal in Lately; it has the weight a in Usual
	MostSurprisal    float64 // in Noise
	Least            float64 // squared error in units of the variance of the values, below which it counts as none in Noise
	Aftermath        float64 // Recent in squares of Scale, above which small errors are not quiet
	Quantile, Excess float64 // the first ones
}

const largestRatio = 1e300

// NewErrors returns the statistics of no errors.
func NewErrors(n int, r ErrorRules) *Errors {
	e := &Errors{Factor: 1, Learns: true, n: n}
	e.all = compact(n, e.fields())
	e.limits = [errLimits]float64{
		errOne: 1, errMost: r.Most, errRate: r.Rate, errRecent: r.Recent, errStart: r.Start,
		errPart: r.Part, errFar: r.Far, errNovel: r.Novel, errWinsor: r.Winsor, errTail: r.TailSurprisal,
		errLately: r.Lately, errMostSurprisal: r.MostSurprisal, errLeast: r.Least,
		errAftermath: r.Aftermath, errLargest: largestRatio, errFactor: 1, errLearns: 1, errMinus: -1,
	}
	for j := range e.Quantile {
		e.Quantile[j], e.Excess[j] = r.Quantile, r.Excess
	}
	return e
}

// Add learns the errors of the forecasts of y. An error that is not finite is missing.
func (e *Errors) Add(y, forecast []float64) {
	if len(y) != e.n || len(forecast) != e.n {
		panic("lanes: Errors.Add: lengths differ")
	}
	e.limits[errFactor] = e.Factor
	if e.n < few {
		errorsPortable(e, y, forecast)
		return
	}
	errors(e, y, forecast)
}

func errorsPortable(e *Errors, y, forecast []float64) {
	p := &e.limits
	for j, v := range y {
		err := v - forecast[j]
		e.Error[j], e.Ratio[j], e.Surprisal[j] = 0, 0, math.NaN()
		if err-err != 0 {
			continue
		}
		e.Error[j] = err
		size := math.Abs(err * p[errFactor])
		count := e.Count[j] + 1
		if count > p[errMost] {
			count = p[errMost]
		}
		e.Count[j] = count
		rate, scale, ratio := Weight(count, p[errRate]), e.Scale[j], 0.
		settled := count > p[errStart]
		if settled {
			unit := math.Sqrt(float64(scale*scale) + float64(p[errPart]*e.Recent[j]))
			switch {
			case size == 0:
			case unit > 0:
				if ratio = size / unit; ratio > p[errFar] {
					if ratio > p[errLargest] {
						ratio = p[errLargest]
					}
					size = p[errFar] * unit
				}
			default:
				ratio = p[errNovel]
			}
		}
		e.Ratio[j] = ratio
		if quantile := e.Quantile[j]; ratio > quantile {
			e.Surprisal[j] = -1
		} else {
			e.Surprisal[j] = p[errTail] * ratio / quantile
			if settled {
				e.Quantile[j] = quantile - float64(quantile*rate*e.Excess[j])
			}
		}
		e.Recent[j] += float64(Weight(count, p[errRecent]) * (float64(size*size) - e.Recent[j]))
		if most := p[errWinsor] * scale; settled && scale > 0 && size > most {
			size = most
		}
		e.Scale[j] = scale + float64(rate*(size-scale))
	}
}

// Noise learns the surprisals, and how far the last ones are from the usual ones. variance is
// that of the values: an error that is small beside them has no surprisal.
func (e *Errors) Noise(variance []float64) {
	if len(variance) < e.n {
		panic("lanes: Errors.Noise: lengths differ")
	}
	e.limits[errLearns] = 0
	if e.Learns {
		e.limits[errLearns] = 1
	}
	if e.n < few {
		noisePortable(e, variance)
		return
	}
	noise(e, variance)
}

func noisePortable(e *Errors, variance []float64) {
	p := &e.limits
	for j, surprisal := range e.Surprisal[:e.n] {
		e.Square[j], e.Last[j] = 0, 0
		if surprisal != surprisal {
			continue
		}
		usual, scale := e.Usual[j], e.Scale[j]
		if surprisal > p[errMostSurprisal] {
			surprisal = p[errMostSurprisal]
		}
		if float64(e.Error[j]*e.Error[j]) < float64(p[errLeast]*variance[j]) {
			surprisal = 0
		}
		if e.Recent[j] > float64(p[errAftermath]*scale*scale) && surprisal < usual {
			surprisal = usual
		}
		last := surprisal - usual
		e.Lately[j] += float64(Weight(e.Count[j], p[errLately]) * (surprisal - e.Lately[j]))
		usual += float64(float64(Weight(e.Count[j], p[errRate])*p[errLearns]) * last)
		e.Usual[j] = usual
		mean := e.Lately[j] - usual
		e.Square[j] = mean * mean
		if float64(last*mean) > 0 {
			e.Last[j] = last * last
		}
	}
}
