package eval

// As returns f as a T if f implements T. Otherwise it returns the first T among the forecasters that f wraps:
// f.Unwrap(), its Unwrap(), and so on. T is one of the optional interfaces below. None has a method of Forecaster,
// so only the outermost forecaster learns samples.
//
// A forecaster that extends another one, for instance by intervals or a drift detector, embeds it and has the
// method
//
//	Unwrap() Forecaster
//
// An optional method of the outer forecaster hides the inner one. A forecaster should have an optional method only
// if the method does something.
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
	// BoundsTo writes the bounds of the present forecasts of ForecastTo into lower and upper, row-major L x H x
	// dim, for the L levels of the model. ok is false until enough errors have been seen for calibration.
	BoundsTo(lower, upper []float64) (ok bool)
}

// JointBounder has a joint prediction region for all variables.
type JointBounder interface {
	// JointTo writes the ends of a box per horizon, row-major H x dim. The whole sample lies in the box with the
	// probability of the first level. ok is false until enough errors have been seen for calibration.
	JointTo(lower, upper []float64) (ok bool)
}

// LagResetter accepts a break, after which the next sample is no neighbour in time of the last one. It drops the
// lags and keeps the weights. The stream engine calls it after a gap too long to fill, and after a reset.
type LagResetter interface {
	ResetLags()
}

// InputTaker forecasts with exogenous inputs: variables that are not forecast, such as the calendar, a schedule or
// weather.
type InputTaker interface {
	// SetInputs sets the K inputs at the next sample to be observed and at the H times after it. u is row-major
	// (H+1) x K; row h has the inputs h steps after that sample, NaN = unknown. SetInputs does not keep u. Without
	// SetInputs all inputs are unknown.
	SetInputs(u []float64)
}

// Clocked finds seasons by the time of its samples.
type Clocked interface {
	// SetTime sets the time of the next sample to be observed, ns since 1970 UTC. It may be omitted for any sample,
	// whose time is then unknown.
	SetTime(ns int64)
}

// Seasonal knows the seasons of its series.
type Seasonal interface {
	// AppendSeasons appends the periods used by the forecasts to dst, in samples, the strongest first. Without a
	// season it appends none.
	AppendSeasons(dst []int) []int

	// Phases returns the place of the last sample in the shortest cycles of the series. The forecasts need not use
	// these cycles.
	Phases() Phases
}

// Heir begins with the seasons of older series.
type Heir interface {
	// Inherit lets a new series begin with what the older series of the same variables have in common, and reports whether
	// they have anything. Call it before the first sample. time is the time of the first sample, ns since 1970 UTC; series
	// with later samples do not count.
	Inherit(older []Forecaster, time int64) (inherits bool)

	// Succeed lets a new forecaster begin with what lighter inherited, a forecaster of the same series.
	Succeed(lighter Forecaster)
}

// Phases are places in cycles, the shortest period first.
type Phases [3]Phase

// Phase is the place of a sample in a cycle.
type Phase struct {
	Period int32 // samples; 0 = no such cycle
	At     int32 // in [0, Period)
}

// Limited has learnt limits that its variables do not pass, such as 0 for a count.
type Limited interface {
	// LimitsTo writes the least and the largest value of each variable, length dim; -Inf and Inf = unknown. ok is
	// false if no variable has a limit.
	LimitsTo(low, high []float64) (ok bool)
}

// Mixture mixes the forecasts of experts.
type Mixture interface {
	// Experts returns the names of the experts, in the order of WeightsTo. The caller must not change the slice.
	Experts() []string

	// WeightsTo writes the expert weights of the one-step forecast, row-major dim x experts; each row sums to 1.
	WeightsTo(dst []float64)
}

// Influencer estimates which variables influence which: the graph of Brault 2017, section 8.4 (after Lim et al.
// 2015).
//
// Influence is predictive, given the other variables. It is not causation, and variables that move together share
// it.
type Influencer interface {
	// InfluenceTo writes the influence of variable j on the next value of variable i into dst[i*dim+j], len(dst) =
	// dim*dim:
	//
	//	sd(j) / sd(i) * sum over the lags of j of mean |d yhat_i / d y_j|
	//
	// The mean is over the recent past. The sign is the sign of the mean derivative. The diagonal has the influence
	// of a variable on itself. ok is false until there is something to average.
	InfluenceTo(dst []float64) (ok bool)
}

// Detector scores the anomaly of the last samples.
type Detector interface {
	// Anomaly returns a score in [0, 1] of the last lags, computed before they were learnt. About a fraction 1-s of
	// all samples has a score above s. ok is false while too few samples were seen, or after a sample without any
	// value.
	Anomaly() (score float64, ok bool)
}
