package eval

// As returns f as a T when f is one, or else the nearest forecaster that f wraps
// and that is: f.Unwrap(), that one's Unwrap(), and so on. T is one of the optional
// interfaces below, which have no method of Forecaster: what learns a sample is
// always the outermost forecaster.
//
// A forecaster that adds something to another one (intervals, a drift detector)
// embeds that one and has the method
//
//	Unwrap() Forecaster
//
// An optional method that it defines itself hides the inner one. A forecaster has
// an optional method only when the method does something.
func As[T any](f Forecaster) (t T, ok bool) {
	for f != nil {
		if t, ok = f.(T); ok {
			return t, true
		}
		w, wraps := f.(interface{ Unwrap() Forecaster })
		if !wraps {
			break
		}
		f = w.Unwrap()
	}
	return t, false
}

// Bounder has prediction intervals.
type Bounder interface {
	// BoundsTo writes the bounds of the forecasts that ForecastTo returns now,
	// for each of the L levels the model was built for: row-major L x H x dim.
	// It returns false until enough errors were seen to calibrate.
	BoundsTo(lower, upper []float64) (ok bool)
}

// JointBounder has a region for all variables at once.
type JointBounder interface {
	// JointTo writes the ends of a box, row-major H x dim: at each horizon the whole
	// sample is inside, in every coordinate, with the probability of the first level.
	// It returns false until enough errors were seen to calibrate.
	JointTo(lower, upper []float64) (ok bool)
}

// LagResetter accepts a break: the last sample does not precede the
// next one. The lags are dropped, the weights stay. The stream engine calls it
// after a gap too long to fill and after a reset.
type LagResetter interface {
	ResetLags()
}

// InputTaker also forecasts from inputs: variables that are not forecast, such as
// the calendar, a schedule or the weather of elsewhere.
type InputTaker interface {
	// SetInputs gives the K inputs of the sample that the next Observe gets, and of
	// the H times that will be forecast after it: u is row-major (H+1) x K, row h
	// the inputs h steps after that sample, as far as they are known now; NaN = unknown.
	// It does not keep u. Without SetInputs all inputs are unknown.
	SetInputs(u []float64)
}

// Clocked finds seasons by the time of its samples.
type Clocked interface {
	// SetTime gives the time of the sample that the next Observe gets, ns since 1970
	// UTC. Without it the time is not known, which is allowed for any sample.
	SetTime(ns int64)
}

// Seasonal knows the seasons of its series.
type Seasonal interface {
	// AppendSeasons appends the periods that the forecasts use to dst, in samples, the
	// strongest first; none while there is no season.
	AppendSeasons(dst []int) []int

	// Phases returns the place of the last sample in the shortest cycles of the series, whether or
	// not the forecasts use them.
	Phases() Phases
}

// Phases are places in cycles, the shortest period first.
type Phases [3]Phase

// Phase is the place of a sample in a cycle.
type Phase struct {
	Period int32 // samples; 0: there is no such cycle
	At     int32 // in [0, Period)
}

// Limited has learnt values that its variables do not pass, such as 0 of a count.
type Limited interface {
	// LimitsTo writes the least and the largest value of each variable, len dim each; -Inf and
	// Inf where none is known. It returns false when no variable has any.
	LimitsTo(low, high []float64) (ok bool)
}

// Mixture mixes the forecasts of experts.
type Mixture interface {
	// Experts returns the names of the experts, in the order of WeightsTo. The slice
	// must not be changed.
	Experts() []string

	// WeightsTo writes the weights of the experts in the one-step forecast,
	// dim x experts row-major; each row sums to 1.
	WeightsTo(dst []float64)
}

// Influencer knows which variables influence which: the graph of Brault 2017, section 8.4
// (after Lim et al. 2015).
//
// Influence is predictive, in the presence of the other variables: it is not
// causation, and variables that move together share it.
type Influencer interface {
	// InfluenceTo writes the influence of variable j on the next value of
	// variable i into dst[i*dim+j], len dim*dim: the mean over the recent past of
	// the absolute derivative of the one-step forecast of i in j, summed over the
	// lags of j, in standard deviations of i for one standard deviation of j. Its
	// sign is the sign of the mean derivative. The diagonal holds what a variable
	// says about itself. It returns false while there is nothing to average.
	InfluenceTo(dst []float64) (ok bool)
}

// Detector scores how unusual the last samples are.
type Detector interface {
	// Anomaly returns a score in [0, 1] of the last lags, made before they were
	// learnt: about a fraction 1-s of all samples has a score above s. It returns
	// false while too little was seen, or after a sample without any value.
	Anomaly() (score float64, ok bool)
}
