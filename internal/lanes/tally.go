package lanes

import "math"

// Rows of the forecasts that Tally scores: the model's, the naive and the reference
// forecast, and the bounds of the interval.
const (
	TallyForecast = iota
	TallyNaive
	TallyReference
	TallyLower
	TallyUpper
	TallyForecasts // their number
)

// Rows of the sums that Tally keeps.
const (
	TallyCount     = iota // targets that were scored
	TallySE               // squared error
	TallySE2              // its square
	TallyAE               // absolute error
	TallyMean             // of the targets, not a sum
	TallyM2               // squared deviations of the targets from it
	TallyNaiveSE          // squared error of the naive forecast
	TallyNaiveAE          // its absolute error
	TallyRefCount         // scored targets with a reference forecast
	TallyRefOwnSE         // squared error of the model on these
	TallyRefSE            // squared error of the reference on these
	TallyBounded          // scored targets with an interval
	TallyMissed           // scored targets outside of their interval
	TallyWidth            // width of the interval
	TallyExcess           // distance of the target from the interval
	TallySums             // number of rows
	TallySumsShort = TallyBounded
)

// Tally adds the errors of one sample to the sums over samples. A target is scored when
// the target, its forecast and the naive forecast are finite. The reference and the
// interval take part where they are finite as well. Mean and squared deviations of the
// targets follow Welford (1962): with d = y - mean_{t-1},
//
//	mean_t = mean_{t-1} + d/t,   M2_t = M2_{t-1} + d (y - mean_t)
//
// For n variables forecasts is TallyForecasts x n and sums TallySums x n, or forecasts
// ends before TallyLower and sums before TallyBounded. errs is set to target minus
// forecast, NaN for a target that is not scored. Tally returns the number of variables
// that were scored, and the sums of their squared and absolute errors.
func Tally(sums, errs, forecasts, target []float64) (count, se, ae float64) {
	n := len(target)
	rows := TallyForecasts
	if len(sums) == n*TallySumsShort {
		rows = TallyLower
	} else if len(sums) != n*TallySums {
		panic("lanes: Tally: shapes differ")
	}
	if len(errs) != n || len(forecasts) != n*rows {
		panic("lanes: Tally: shapes differ")
	}
	var total [3]float64
	if n > 0 {
		tally(&total, sums, errs, forecasts, target, rows)
	}
	return total[0], total[1], total[2]
}

func tallyPortable(total *[3]float64, sums, errs, forecasts, target []float64, rows int) {
	n := len(target)
	finite := func(v float64) bool { return v-v == 0 }
	for j, y := range target {
		sum := func(row int) *float64 { return &sums[row*n+j] }
		forecast := func(row int) float64 { return forecasts[row*n+j] }
		e, naive := y-forecast(TallyForecast), y-forecast(TallyNaive)
		if !finite(e) || !finite(naive) {
			errs[j] = math.NaN()
			continue
		}
		errs[j] = e
		square := e * e
		*sum(TallyCount)++
		*sum(TallySE) += square
		*sum(TallySE2) += float64(square * square)
		*sum(TallyAE) += math.Abs(e)
		deviation := y - *sum(TallyMean)
		*sum(TallyMean) += deviation / *sum(TallyCount)
		*sum(TallyM2) += float64(deviation * (y - *sum(TallyMean)))
		*sum(TallyNaiveSE) += float64(naive * naive)
		*sum(TallyNaiveAE) += math.Abs(naive)
		total[0]++
		total[1] += square
		total[2] += math.Abs(e)
		if r := y - forecast(TallyReference); finite(r) {
			*sum(TallyRefCount)++
			*sum(TallyRefOwnSE) += square
			*sum(TallyRefSE) += float64(r * r)
		}
		if rows <= TallyLower {
			continue
		}
		lower, upper := forecast(TallyLower), forecast(TallyUpper)
		if !finite(upper - lower) {
			continue
		}
		*sum(TallyBounded)++
		*sum(TallyWidth) += upper - lower
		if excess := max(0, lower-y) + max(0, y-upper); excess > 0 {
			*sum(TallyMissed)++
			*sum(TallyExcess) += excess
		}
	}
}
