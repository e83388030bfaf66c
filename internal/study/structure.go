package study

import (
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/orffvar/forecaster/varmodel/auto"
)

// detrend returns y minus its least-squares line, and the share of the variance that the line explains. Missing values
// stay missing.
func detrend(y []float64) (rest []float64, share float64) {
	var at, known []float64
	for i, v := range y {
		if !math.IsNaN(v) {
			at, known = append(at, float64(i)), append(known, v)
		}
	}
	rest = append(rest, y...)
	if len(known) < 3 || stat.Variance(known, nil) == 0 {
		return rest, 0
	}
	a, b := stat.LinearRegression(at, known, nil, false)
	for i := range rest {
		rest[i] -= a + b*float64(i)
	}
	return rest, stat.RSquared(at, known, nil, a, b)
}

func momentsOf(y []float64) (m moments) {
	for _, v := range y {
		if !math.IsNaN(v) {
			m.add(v)
		}
	}
	return m
}

// timePlaces returns (time - earliest time) / spacing for each time, rounded.
func timePlaces(times []int64, spacing float64) []int {
	places, first := make([]int, len(times)), slices.Min(times)
	for i, t := range times {
		places[i] = int(math.Round(float64(t-first) / spacing))
	}
	return places
}

// monthPlaces returns the position of each time within its month.
func monthPlaces(times []int64) []int {
	places := make([]int, len(times))
	for i, t := range times {
		places[i] = auto.MonthPhase(int64(math.Floor(float64(t) / float64(24*time.Hour))))
	}
	return places
}

// rowPlaces returns 0, 1, … n-1.
func rowPlaces(n int) []int {
	places := make([]int, n)
	for i := range places {
		places[i] = i
	}
	return places
}

// phases returns the moments of y at each phase of a period. The phase of y[i] is places[i] modulo period.
func phases(y []float64, places []int, period int) []moments {
	all := make([]moments, period)
	for i, v := range y {
		if !math.IsNaN(v) {
			all[places[i]%period].add(v)
		}
	}
	return all
}

// seasonShare returns the adjusted R² of the means of y at the phases of a period; NaN with fewer than two periods.
func seasonShare(y []float64, places []int, period int) float64 {
	all := momentsOf(y)
	if all.n < 2*float64(period) || all.m2 == 0 {
		return math.NaN()
	}
	within := 0.
	for _, m := range phases(y, places, period) {
		within += m.m2
	}
	return max(0, 1-within/(all.n-float64(period))/(all.m2/(all.n-1)))
}

// without returns y minus the means at the phases of a period.
func without(y []float64, places []int, period int) []float64 {
	if len(y) < 2*period {
		return y
	}
	all := momentsOf(y)
	means := phases(y, places, period)
	rest := make([]float64, len(y))
	for i, v := range y {
		rest[i] = v - means[places[i]%period].mean + all.mean
	}
	return rest
}

// seasonOf returns the share of the variance that a season explains, and y without the season. The phase comes from the
// clock or from the row number, whichever explains more: a gap shifts row numbers, and rows without weekends shift the
// clock.
func seasonOf(y []float64, byTime []int, period int) (share float64, rest []float64) {
	byRow := rowPlaces(len(y))
	share = seasonShare(y, byRow, period)
	if s := seasonShare(y, byTime, period); s >= share {
		return s, without(y, byTime, period)
	}
	return share, without(y, byRow, period)
}

// levelChange is a row at which the mean changes.
type levelChange struct {
	row           int
	before, after float64
}

// levelChanges returns the largest changes of the mean, at most three, in order of time. Each part has at least a tenth of
// all rows, the means of two parts differ by at least three standard deviations, and two levels must fit better than a
// line.
func levelChanges(y []float64) []levelChange {
	const most = 3
	var rows []int
	for edges := []int{0, len(y)}; len(rows) < most; edges = append(append([]int{0}, rows...), len(y)) {
		best, at := 0., -1
		for i := range len(edges) - 1 {
			if row, apart := split(y[edges[i]:edges[i+1]], max(20, len(y)/10)); apart > best {
				best, at = apart, edges[i]+row
			}
		}
		if at < 0 {
			break
		}
		rows = append(rows, at)
		slices.Sort(rows)
	}
	var found []levelChange
	for i, row := range rows {
		from, to := 0, len(y)
		if i > 0 {
			from = rows[i-1]
		}
		if i+1 < len(rows) {
			to = rows[i+1]
		}
		found = append(found, levelChange{row, momentsOf(y[from:row]).mean, momentsOf(y[row:to]).mean})
	}
	return found
}

// split returns the row that best splits y into two levels, and the distance of the levels in standard deviations; 0: a
// line fits better.
func split(y []float64, least int) (row int, apart float64) {
	all, left := momentsOf(y), moments{}
	sum, best := all.n*all.mean, math.Inf(1)
	squares := all.m2 + sum*all.mean
	var before, after float64
	for i, v := range y {
		if i >= least && len(y)-i >= least && left.n > 1 && all.n-left.n > 1 {
			mean := (sum - left.n*left.mean) / (all.n - left.n)
			within := squares - left.n*left.mean*left.mean - (all.n-left.n)*mean*mean
			if within < best {
				row, best, before, after = i, within, left.mean, mean
			}
		}
		if !math.IsNaN(v) {
			left.add(v)
		}
	}
	_, line := detrend(y)
	best = max(best, 1e-12*squares)
	apart = math.Abs(after-before) / math.Sqrt(best/all.n)
	if !(apart > 3) || math.IsInf(best, 1) || best > .5*all.m2*(1-line) {
		return 0, 0
	}
	return row, apart
}
