package detection

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// ZScores scores each row y with the usual rule of dashboards:
//
//	max over j of |y_j - m_j| / s_j
//
// m_j and s_j are the mean and the standard deviation of variable j over the window values before the row. NaN
// values are missing. A score is NaN with fewer than two earlier values, and infinite if a constant variable
// changes.
func ZScores(rows [][]float64, window int) []float64 {
	var windows []rolling // one per variable
	scores := make([]float64, len(rows))
	for i, y := range rows {
		scores[i] = math.NaN()
		for j, v := range y {
			if j == len(windows) {
				windows = append(windows, rolling{ring: make([]float64, 0, window)})
			}
			if math.IsNaN(v) {
				continue
			}
			w := &windows[j]
			if mean, sd := w.moments(); len(w.ring) > 1 && !(math.Abs(v-mean)/sd <= scores[i]) && v != mean {
				scores[i] = math.Abs(v-mean) / sd
			}
			w.add(v)
		}
	}
	return scores
}

// rolling holds the last values of one variable.
type rolling struct {
	ring         []float64
	at           int
	origin       float64
	sum, squares float64 // sums of v - origin and of its square
}

func (r *rolling) moments() (mean, sd float64) {
	n := float64(len(r.ring))
	m := r.sum / n
	return r.origin + m, math.Sqrt(max(0, r.squares/n-m*m))
}

func (r *rolling) add(v float64) {
	if len(r.ring) < cap(r.ring) {
		r.ring = append(r.ring, v)
	} else {
		old := r.ring[r.at] - r.origin
		r.sum -= old
		r.squares -= old * old
		r.ring[r.at] = v
		r.at = (r.at + 1) % len(r.ring)
	}
	r.sum += v - r.origin
	r.squares += (v - r.origin) * (v - r.origin)
	if r.at == 0 { // recomputed once per window, so that rounding errors do not accumulate
		r.origin, _ = r.moments()
		r.sum, r.squares = 0, 0
		for _, u := range r.ring {
			r.sum += u - r.origin
			r.squares += (u - r.origin) * (u - r.origin)
		}
	}
}

// pcaShare is the share of the variance of the history in the principal components.
const pcaShare = .9

// PCAResiduals returns (r - m) / s for each row after the first history rows, and NaN for the history. r is the
// norm of the part of the standardised row outside the principal components of the history. m and s are the mean
// and the standard deviation of r over the history. Missing values (NaN) count as the mean of their variable.
// PCAResiduals panics unless 1 <= history <= len(rows).
func PCAResiduals(rows [][]float64, history int) []float64 {
	z := standardised(rows, history)
	_, d := z.Dims()
	var cov mat.SymDense
	cov.SymOuterK(1/float64(history), z.Slice(0, history, 0, d).T())
	scores := make([]float64, len(rows))
	var eigen mat.EigenSym
	if !eigen.Factorize(&cov, true) { // fails for infinite values
		for i := range scores {
			scores[i] = math.NaN()
		}
		return scores
	}
	var vectors, outside mat.Dense
	eigen.VectorsTo(&vectors)
	minor := minorComponents(eigen.Values(nil))
	if minor > 0 {
		outside.Mul(z, vectors.Slice(0, d, 0, minor))
		for i := range scores {
			scores[i] = mat.Norm(outside.RowView(i), 2)
		}
	}
	mean, variance := stat.PopMeanVariance(scores[:history], nil)
	sd := math.Sqrt(max(variance, math.SmallestNonzeroFloat64))
	for i, r := range scores {
		scores[i] = (r - mean) / sd
		if i < history {
			scores[i] = math.NaN()
		}
	}
	return scores
}

// standardised returns (row - mean) / standard deviation for all rows, with mean and standard deviation of the
// history. Missing values and constant variables become 0.
func standardised(rows [][]float64, history int) *mat.Dense {
	z := mat.NewDense(len(rows), len(rows[0]), nil)
	for j := range rows[0] {
		var known []float64
		for _, y := range rows[:history] {
			if v := y[j]; !math.IsNaN(v) {
				known = append(known, v)
			}
		}
		mean, sd := stat.PopMeanStdDev(known, nil)
		for i, y := range rows {
			if v := y[j]; sd > 0 && !math.IsNaN(v) {
				z.Set(i, j, (v-mean)/sd)
			}
		}
	}
	return z
}

// minorComponents returns the number of smallest eigenvalues that are left when the largest reach pcaShare of the
// sum. values ascend.
func minorComponents(values []float64) int {
	total, held := 0., 0.
	for _, v := range values {
		total += v
	}
	n := len(values)
	for ; n > 0 && held < pcaShare*total; n-- {
		held += values[n-1]
	}
	return n
}
