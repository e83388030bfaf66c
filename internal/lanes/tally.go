package lanes

import "math"

// Rows of the forecasts that Tally scores: forecasts of the model, the naive method and the reference, and the bounds
// of the interval.
const (
	TallyForecast = iota
	TallyNaive
	TallyReference
	TallyLower
	TallyUpper
	TallyForecasts // number of rows

	TallyErrors     = TallyNaive // number of rows if only the errors of the model are scored
	TallyReferences = TallyLower // number of rows for a model without intervals
)

// Rows of the sums of Tally.
const (
	TallyCount    = iota // number of scored targets
	TallySE              // squared error
	TallySE2             // square of the squared error
	TallyAE              // absolute error
	TallyMean            // mean of the targets, not a sum
	TallyM2              // squared deviations of the targets from their mean
	TallyNaiveSE         // squared error of the naive forecast
	TallyNaiveAE         // absolute error of the naive forecast
	TallyRefCount        // number of scored targets with a reference forecast
	TallyRefOwnSE        // squared error of the model on targets with a reference forecast
	TallyRefSE           // squared error of the reference
	TallyBounded         // number of scored targets with an interval
	TallyMissed          // number of scored targets outside of their interval
	TallyWidth           // width of the interval
	TallyExcess          // distance of the target from the interval
	TallySums            // number of rows
)

// tallySums maps the number of rows of forecasts to the number of rows of sums: for the errors of the model alone, with
// the naive forecast and the reference, and with intervals.
var tallySums = [TallyForecasts + 1]int{
	TallyErrors:     TallyNaiveSE,
	TallyReferences: TallyBounded,
	TallyForecasts:  TallySums,
}

// TallyRows returns the number of rows of sums for the given number of rows of forecasts.
func TallyRows(forecasts int) int { return tallySums[forecasts] }

// TallySize returns the distance in elements between the sums of neighbouring horizons, for n variables. A masked store
// covers up to seven elements behind a row, and a load from there would wait for the store.
func TallySize(forecasts, n int) int {
	size := TallyRows(forecasts) * n
	if n >= fewTallied {
		size += 7
	}
	return size
}

// fewTallied is the least number of variables for the kernel of Tally: for fewer, Go is faster.
const fewTallied = 4

// Tally adds the errors of one sample of n variables to the sums over samples, at each of H horizons. A target is
// scored if the target, its forecast and the naive forecast are finite. The reference and the interval are scored if
// they are finite, too. Mean and squared deviations of the targets follow Welford (1962): with d = y - mean_{t-1},
//
//	mean_t = mean_{t-1} + d/t,   M2_t = M2_{t-1} + d (y - mean_t)
//
// offsets has the position in waiting of the forecasts of each horizon: rows x n, where rows is TallyErrors,
// TallyReferences or TallyForecasts. With TallyErrors, a forecast must be NaN if its naive forecast is not finite. sums
// is H x TallyRows(rows) x n, with horizons TallySize apart. Tally writes target minus forecast into errs, H x n; NaN
// for a target that is not scored. Then it sets the forecasts of the model to NaN. It writes the number of scored
// variables, and the sums of their squared and absolute errors, into totals, H x 3.
func Tally(totals, sums, errs, waiting []float64, offsets []int, target []float64, rows int) {
	n, size := len(target), TallySize(rows, len(target))
	if TallyRows(rows) == 0 || len(totals) != 3*len(offsets) || len(errs) != n*len(offsets) || len(sums) != size*len(offsets) {
		panic("lanes: Tally: shapes differ")
	}
	for _, o := range offsets {
		_ = waiting[o : o+rows*n]
	}
	if n > 0 && len(offsets) > 0 {
		tally(totals, sums, errs, waiting, offsets, target, rows, size)
	}
}

func tallyPortable(totals, sums, errs, waiting []float64, offsets []int, target []float64, rows, size int) {
	n := len(target)
	for k, o := range offsets {
		tallyHorizon(totals[3*k:3*k+3], sums[k*size:(k+1)*size], errs[k*n:(k+1)*n], waiting[o:o+rows*n], target, rows)
	}
}

func tallyHorizon(total, sums, errs, forecasts, target []float64, rows int) {
	n := len(target)
	clear(total)
	finite := func(v float64) bool { return v-v == 0 }
	for j, y := range target {
		sum := func(row int) *float64 { return &sums[row*n+j] }
		forecast := func(row int) float64 { return forecasts[row*n+j] }
		e := y - forecast(TallyForecast)
		naive := e
		if rows > TallyErrors {
			naive = y - forecast(TallyNaive)
		}
		forecasts[j] = math.NaN()
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
		total[0]++
		total[1] += square
		total[2] += math.Abs(e)
		if rows == TallyErrors {
			continue
		}
		*sum(TallyNaiveSE) += float64(naive * naive)
		*sum(TallyNaiveAE) += math.Abs(naive)
		if r := y - forecast(TallyReference); finite(r) {
			*sum(TallyRefCount)++
			*sum(TallyRefOwnSE) += square
			*sum(TallyRefSE) += float64(r * r)
		}
		if rows == TallyReferences {
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
