package lanes

import "math"

// Errors has the one-step forecast errors e_t of n variables: their usual size, the rarity of each error, and the mean
// rarity of recent errors. With s = |e_t| factor,
//
//	ratio     = s / sqrt(scale² + part recent),   at most far while learning
//	surprisal = tail ratio / quantile,            -log P of an error at least as large
//	quantile  = quantile (1 - a_t excess),        unless the ratio exceeds it
//	scale     = scale + a_t (min(s, winsor scale) - scale)
//	recent    = recent + b_t (s² - recent)
//
// An error in the tail, with ratio > quantile, has the surprisal -1. Then the caller, who knows the tail, sets Quantile
// and Surprisal. Quantiles are learnt once t > start; before, the ratio is 0.
type Errors struct {
	Count, Scale, Recent, Quantile, Excess []float64
	Lately, Usual                          []float64 // means of the surprisals, see Noise

	// Fields of the last sample.
	Error     []float64 // forecast error; 0: none
	Ratio     []float64
	Surprisal []float64 // surprisal; NaN: no error
	Square    []float64 // (Lately - Usual)²; 0: no error
	Last      []float64 // (surprisal - Usual)² of the last error if both deviations have the same sign, otherwise 0

	Factor float64 // factor of the next errors
	Learns bool    // whether Noise learns Usual

	all    []float64
	n      int
	limits [errLimits]float64
}

// ErrorRules are the constants of Errors.
type ErrorRules struct {
	Most             float64 // largest Count
	Rate, Recent     float64 // least weights a and b
	Start            float64
	Part             float64
	Far, Novel       float64 // Far: largest ratio that is learnt; Novel: ratio of an error if all previous errors were zero
	Winsor           float64
	TailSurprisal    float64
	Lately           float64 // least weight of a surprisal in Lately; in Usual it has the weight a
	MostSurprisal    float64 // largest surprisal in Noise
	Least            float64 // smallest squared error with a surprisal in Noise, in variances of the values
	Aftermath        float64 // Recent / Scale² above which Noise raises small surprisals to Usual
	Quantile, Excess float64 // initial values
}

const largestRatio = 1e300

// NewErrors returns statistics without errors.
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

// Noise learns the surprisals, and compares the recent ones with the usual ones. variance is the variance of the
// values: an error much smaller than its root has surprisal 0.
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
