package thesis

import (
	"math"
	"sort"
	"time"

	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/internal/vec"
	"gonum.org/v1/gonum/mat"
)

// KernelRidge is OKVAR, a baseline of Brault 2017 (equation 8.1): ridge regression on the n pairs of a window, with the
// decomposable Gaussian kernel exp(-||x - z||^2/(2 Sigma^2)) I. h(x) = sum_l k(x, x_l) c_l, with (G + n Lambda I) c = y.
type KernelRidge struct {
	Sigma, Lambda float64

	x, c [][]float64
	chol *vec.Cholesky
	col  []float64
}

// Fit implements Fitter. It costs O(n^3).
func (k *KernelRidge) Fit(x, y [][]float64) error {
	n := len(x)
	if k.chol == nil || k.chol.Order() != n {
		k.chol, k.col = vec.NewCholesky(n), make([]float64, n)
	}
	gram := vec.NewSym(n)
	for i := range x {
		for j := range i + 1 {
			gram.Set(i, j, k.kernel(x[i], x[j]))
		}
	}
	if !k.chol.Factor(gram, float64(n)*k.Lambda, 0) {
		return errSingular
	}
	k.x = append(k.x[:0], x...)
	k.c = make([][]float64, n)
	for i := range k.c {
		k.c[i] = make([]float64, len(y[0]))
	}
	for d := range y[0] {
		for i := range y {
			k.col[i] = y[i][d]
		}
		k.chol.Solve(k.col)
		for i, v := range k.col {
			k.c[i][d] = v
		}
	}
	return nil
}

func (k *KernelRidge) kernel(x, z []float64) float64 {
	return math.Exp(-squaredDistance(x, z) / (2 * k.Sigma * k.Sigma))
}

func squaredDistance(x, z []float64) (q float64) {
	for i, v := range x {
		q += (v - z[i]) * (v - z[i])
	}
	return q
}

// PredictTo implements Fitter.
func (k *KernelRidge) PredictTo(dst, x []float64) {
	clear(dst)
	for i, z := range k.x {
		vec.Axpy(k.kernel(x, z), k.c[i], dst)
	}
}

// Tune sets the fields that are 0. Sigma becomes the median distance between the x. Lambda becomes the value in a grid
// with the least leave-one-out error on the pairs.
func (k *KernelRidge) Tune(x, y [][]float64) error {
	if k.Sigma == 0 {
		var all []float64
		for i := range x {
			for j := range i {
				all = append(all, math.Sqrt(squaredDistance(x[i], x[j])))
			}
		}
		sort.Float64s(all)
		k.Sigma = all[len(all)/2]
	}
	if k.Lambda > 0 {
		return nil
	}
	n := len(x)
	gram := mat.NewSymDense(n, nil)
	for i := range x {
		for j := range i + 1 {
			gram.SetSym(i, j, k.kernel(x[i], x[j]))
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(gram, true) {
		return errSingular
	}
	var u, z mat.Dense // G = U diag(values) U^T, z = U^T y
	eigen.VectorsTo(&u)
	values := eigen.Values(nil)
	target := mat.NewDense(n, len(y[0]), nil)
	for i := range y {
		target.SetRow(i, y[i])
	}
	z.Mul(u.T(), target)
	best := math.Inf(1)
	for lambda := 1e-9; lambda < 2; lambda *= 10 {
		// Leave-one-out error of pair i: c_i divided by element (i, i) of the inverse.
		var loss float64
		c := make([]float64, len(y[0]))
		for i := range n {
			clear(c)
			var inverse float64
			for l, v := range values {
				w := u.At(i, l) / (max(v, 0) + float64(n)*lambda)
				inverse += w * u.At(i, l)
				vec.Axpy(w, z.RawRowView(l), c)
			}
			loss += vec.Dot(c, c) / (inverse * inverse)
		}
		if loss < best {
			best, k.Lambda = loss, lambda
		}
	}
	return nil
}

// fitWindow has the pairs of a window.
type fitWindow struct{ x, y [][]float64 }

// lastWindow returns the last window that an experiment fits. The data must have more rows than a window.
func lastWindow(d *scoring.Dataset, window int) fitWindow {
	x, y := pairs(d)
	from, to := len(x)-window, len(x)-1
	return fitWindow{x[from:to], y[from:to]}
}

// fitSeconds returns the least time of three fits, in seconds; 0 if now is nil.
func (w fitWindow) fitSeconds(f Fitter, now func() time.Time) (float64, error) {
	if now == nil {
		return 0, nil
	}
	least := math.Inf(1)
	for range 3 {
		start := now()
		if err := f.Fit(w.x, w.y); err != nil {
			return 0, err
		}
		least = min(least, now().Sub(start).Seconds())
	}
	return least, nil
}

// trainingError returns the mean squared error of f on the pairs to which it was fitted.
func (w fitWindow) trainingError(f Fitter) (mse float64) {
	p := make([]float64, len(w.y[0]))
	for i, x := range w.x {
		f.PredictTo(p, x)
		mse += squaredDistance(p, w.y[i]) / float64(len(p)*len(w.x))
	}
	return mse
}
