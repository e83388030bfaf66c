package study

import (
	"math"
)

// The PCA residual: the part of a row outside the principal components that hold this
// share of the variance of the history.
const pcaShare = .9

// pcaScores returns the PCA residuals of all rows, in standard deviations above their
// mean over the first history rows of each series. A missing value counts as the mean. NaN
// in the history.
func pcaScores(data *Samples, history int) []float64 {
	var all []float64
	for _, s := range data.Series {
		all = append(all, pcaOf(s.Rows, history, len(s.Variables))...)
	}
	return all
}

func pcaOf(rows [][]float64, history, d int) []float64 {
	mean, sd := make([]float64, d), make([]float64, d)
	for j := range d {
		n := 0.
		for _, y := range rows[:history] {
			if v := y[j]; !math.IsNaN(v) {
				n++
				delta := v - mean[j]
				mean[j] += delta / n
				sd[j] += delta * (v - mean[j])
			}
		}
		sd[j] = math.Sqrt(sd[j] / max(n, 1))
	}
	z := make([]float64, d)
	standardise := func(y []float64) {
		for j, v := range y {
			z[j] = 0
			if sd[j] > 0 && !math.IsNaN(v) {
				z[j] = (v - mean[j]) / sd[j]
			}
		}
	}
	cov := make([]float64, d*d)
	for _, y := range rows[:history] {
		standardise(y)
		for i := range d {
			for j := range d {
				cov[i*d+j] += z[i] * z[j] / float64(history)
			}
		}
	}
	values, vectors := jacobi(cov, d)
	kept := principal(values)
	residual := func(y []float64) float64 {
		standardise(y)
		rest := 0.
		for _, v := range z {
			rest += v * v
		}
		for k, keep := range kept {
			if !keep {
				continue
			}
			dot := 0.
			for j := range d {
				dot += vectors[j*d+k] * z[j]
			}
			rest -= dot * dot
		}
		return math.Sqrt(max(rest, 0))
	}
	m, m2 := 0., 0.
	scores := make([]float64, len(rows))
	for i, y := range rows {
		r := residual(y)
		if i < history {
			delta := r - m
			m += delta / float64(i+1)
			m2 += delta * (r - m)
			scores[i] = math.NaN()
			continue
		}
		scores[i] = (r - m) / math.Sqrt(max(m2/float64(history), math.SmallestNonzeroFloat64))
	}
	return scores
}

// principal reports which components, the largest ones, hold pcaShare of the variance.
func principal(values []float64) []bool {
	total := 0.
	for _, v := range values {
		total += v
	}
	kept := make([]bool, len(values))
	for held := 0.; held < pcaShare*total; {
		best := -1
		for k, v := range values {
			if !kept[k] && (best < 0 || v > values[best]) {
				best = k
			}
		}
		kept[best] = true
		held += values[best]
	}
	return kept
}

// jacobi returns the eigenvalues of the symmetric n x n matrix a, which it destroys, and
// the eigenvectors as columns.
//
// Source: Golub and Van Loan, Matrix Computations, 8.5: cyclic Jacobi.
func jacobi(a []float64, n int) (values, vectors []float64) {
	const sweeps = 30
	vectors = make([]float64, n*n)
	for i := range n {
		vectors[i*n+i] = 1
	}
	for range sweeps {
		off := 0.
		for p := range n {
			for q := p + 1; q < n; q++ {
				apq := a[p*n+q]
				off += apq * apq
				if apq == 0 {
					continue
				}
				theta := (a[q*n+q] - a[p*n+p]) / (2 * apq)
				t := 1 / (math.Abs(theta) + math.Hypot(theta, 1))
				if theta < 0 {
					t = -t
				}
				c := 1 / math.Hypot(t, 1)
				s := t * c
				for k := range n {
					akp, akq := a[k*n+p], a[k*n+q]
					a[k*n+p], a[k*n+q] = c*akp-s*akq, s*akp+c*akq
				}
				for k := range n {
					apk, aqk := a[p*n+k], a[q*n+k]
					a[p*n+k], a[q*n+k] = c*apk-s*aqk, s*apk+c*aqk
					vkp, vkq := vectors[k*n+p], vectors[k*n+q]
					vectors[k*n+p], vectors[k*n+q] = c*vkp-s*vkq, s*vkp+c*vkq
				}
			}
		}
		if off < 1e-20 {
			break
		}
	}
	values = make([]float64, n)
	for i := range values {
		values[i] = a[i*n+i]
	}
	return values, vectors
}
