package thesis

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/distance"
	"github.com/orffvar/forecaster/orff/nystroem"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
	"github.com/orffvar/forecaster/orff/vectorfield"
	"github.com/orffvar/forecaster/sgd/batch"
)

// Figure67 is one row of Figure 6.7 of Brault 2017: the scores of random features with the given number of draws on
// gradient fields.
type Figure67 struct {
	Draws       int           `json:"draws"` // 0: the exact kernel
	CurlFree    report.Number `json:"curl_free_r2"`
	Independent report.Number `json:"independent_r2"`
	CurlFreeSE  report.Number `json:"curl_free_r2_se"`
	IndepSE     report.Number `json:"independent_r2_se"`
	P           report.Number `json:"p_value"` // p-value of the hypothesis that both kernels are equally good
}

// Figure67Draws are the numbers of draws in the figure.
var Figure67Draws = []int{10, 30, 100, 300, 0}

// NewFigure67 learns random gradient fields, repeats in number, from n points each.
func NewFigure67(n, repeats int, seed uint64, check func() error) ([]Figure67, error) {
	var rows []Figure67
	for _, draws := range Figure67Draws {
		var curl, independent []float64
		for r := range repeats {
			if err := check(); err != nil {
				return nil, err
			}
			one := NewCurlField
			if draws == 0 {
				one = func(n, _ int, seed uint64) (*CurlField, error) { return exactCurlField(n, seed) }
			}
			f, err := one(n, draws, seed+uint64(r))
			if err != nil {
				return nil, err
			}
			curl, independent = append(curl, f.CurlFree), append(independent, f.Independent)
		}
		t := PairedTest(curl, independent)
		rows = append(rows, Figure67{draws, report.Number(t.A), report.Number(t.B), report.Number(t.SEA), report.Number(t.SEB), report.Number(t.P)})
	}
	return rows, nil
}

// exactCurlField is NewCurlField with the exact kernels.
func exactCurlField(n int, seed uint64) (*CurlField, error) {
	g := newGradientField(n, seed)
	curl, err := vectorfield.NewCurlFree(g.sigma, g.d, 1, vectorfield.Bounded, random.New(seed))
	if err != nil {
		return nil, err
	}
	x, y, xv, yv, xt, yt := g.parts()
	// With all points as landmarks, Nystroem features have the exact kernel.
	scalar, err := nystroem.New(spectrum.Gaussian{Sigma: g.sigma}, g.d, x)
	if err != nil {
		return nil, err
	}
	f := &CurlField{CurlFree: g.exact(curl)}
	f.Independent, err = ridgeR2(scalar, g.d, g.n, x, y, g.grid(), xv, yv, xt, yt)
	return f, err
}

// exact returns the R^2 of ridge regression with the kernel of m: (G + n lambda I) u = y, h(x) = sum_i K(x, x_i) u_i.
// lambda is the best on the validation set.
func (g *gradientField) exact(m orff.Map) float64 {
	d, n := g.d, g.n
	x, y, xv, yv, xt, yt := g.parts()
	block := make([]float64, d*d)
	rows := func(at []float64) *mat.Dense { // kernel between these points and the training points
		k := mat.NewDense(len(at), n*d, nil)
		for i := range len(at) / d {
			for j := range n {
				orff.KernelTo(block, m, at[i*d:(i+1)*d], x[j*d:(j+1)*d])
				for a := range d {
					for b := range d {
						k.Set(i*d+a, j*d+b, block[a*d+b])
					}
				}
			}
		}
		return k
	}
	gram, valid, test := rows(x), rows(xv), rows(xt)
	best, result := math.Inf(-1), math.NaN()
	for _, lambda := range g.grid() {
		sym := mat.NewSymDense(n*d, nil)
		for i := range n * d {
			for j := range i + 1 {
				sym.SetSym(i, j, gram.At(i, j))
			}
			sym.SetSym(i, i, gram.At(i, i)+float64(n)*lambda)
		}
		var chol mat.Cholesky
		if !chol.Factorize(sym) {
			continue // lambda is below the rounding errors of G
		}
		var u, h mat.VecDense
		_ = chol.SolveVecTo(&u, mat.NewVecDense(n*d, y)) // a poor condition number shows in the validation error
		h.MulVec(valid, &u)
		if v := r2(d, h.RawVector().Data, yv); v > best {
			var h mat.VecDense
			h.MulVec(test, &u)
			best, result = v, r2(d, h.RawVector().Data, yt)
		}
	}
	return result
}

// r2 returns 1 - ||y - h||² / ||y - mean y||² for h and y, n x d.
func r2(d int, h, y []float64) float64 {
	mean := make([]float64, d)
	for i, v := range y {
		mean[i%d] += v * float64(d) / float64(len(y))
	}
	var rest, all float64
	for i, v := range y {
		rest += (h[i] - v) * (h[i] - v)
		all += (mean[i%d] - v) * (mean[i%d] - v)
	}
	return 1 - rest/all
}

// Figure68 is one row of Figures 6.8 and 6.9 of Brault 2017: functions from R^20 to R^4 (Audiffren and Kadri 2015)
// learnt from N samples.
type Figure68 struct {
	N     int             `json:"samples"`
	R2    []report.Number `json:"r2"` // in the order of Figure68Draws
	Exact report.Number   `json:"r2_exact"`
}

// Sizes of the figures. The exact kernel is skipped above 1000 samples.
var (
	Figure68Samples = []int{100, 1000, 10000}
	Figure68Draws   = []int{10, 100, 500}
)

// NewFigure68 draws the four functions. It learns them from most samples and fewer, with a decomposable Gaussian kernel
// and Gamma = I. It chooses lambda on 500 further samples, and computes R^2 on 1000 others.
func NewFigure68(most int, seed uint64, check func() error) ([]Figure68, error) {
	const in, out, validation, test = 20, 4, 500, 1000
	spread := []float64{.5, .25, .1, .05, .15, .1, .15}
	rng := rand.New(rand.NewPCG(seed, 68))
	w := make([]float64, out*len(spread))
	for i := range w {
		w[i] = math.Sqrt(spread[i%len(spread)]) * rng.NormFloat64()
	}
	draw := func(n int) (x, y []float64) {
		for range n {
			row := make([]float64, in)
			for j := range row {
				row[j] = rng.Float64()
			}
			phi := []float64{row[0] * row[0], row[3] * row[3], row[0] * row[1], row[2] * row[4], row[1], row[3], 1}
			x = append(x, row...)
			for k := range out {
				var s float64
				for j, v := range phi {
					s += w[k*len(phi)+j] * v
				}
				y = append(y, s)
			}
		}
		return x, y
	}
	xv, yv := draw(validation)
	xt, yt := draw(test)
	x, y := draw(Figure68Samples[len(Figure68Samples)-1])
	mean := make([]float64, out) // mean of the first samples: there is no intercept
	const first = 100
	for i := range first * out {
		mean[i%out] += y[i] / first
	}
	for _, v := range [][]float64{y, yv, yt} {
		for i := range v {
			v[i] -= mean[i%out]
		}
	}
	sigma := distance.Median(x[:500*in], in, seed)
	grid := []float64{1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3}
	var rows []Figure68
	for _, n := range Figure68Samples {
		if n > most {
			break
		}
		row := Figure68{N: n, Exact: report.Number(math.NaN())}
		for _, draws := range append(Figure68Draws[:len(Figure68Draws):len(Figure68Draws)], 0) {
			if err := check(); err != nil {
				return nil, err
			}
			if draws == 0 && n > 1000 {
				continue
			}
			var s orff.Scalar
			var err error
			if draws > 0 {
				s, err = orff.NewFourier(spectrum.Gaussian{Sigma: sigma}, in, draws, random.Block(seed, 1))
			} else { // with all points as landmarks, Nystroem features have the exact kernel
				s, err = nystroem.New(spectrum.Gaussian{Sigma: sigma}, in, x[:n*in])
			}
			if err != nil {
				return nil, err
			}
			v, err := ridgeR2(s, out, n, x, y, grid, xv, yv, xt, yt)
			if err != nil {
				return nil, fmt.Errorf("%d samples, %d draws: %w", n, draws, err)
			}
			if draws == 0 {
				row.Exact = report.Number(v)
			} else {
				row.R2 = append(row.R2, report.Number(v))
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// ridgeR2 fits the features of s to the first n samples. It returns the R^2 on the test set for the lambda that is best
// on the validation set.
func ridgeR2(s orff.Scalar, out, n int, x, y, grid, xv, yv, xt, yt []float64) (float64, error) {
	in, r := s.In(), s.Len()
	phi := make([]float64, n*r)
	for i := range n {
		s.FeaturesTo(phi[i*r:(i+1)*r], x[i*in:(i+1)*in])
	}
	ridge, err := batch.NewRidge(n, phi, y[:n*out], coupling.Identity(out).Factor())
	if err != nil {
		return 0, err
	}
	m := orff.NewDecomposable(s, coupling.Identity(out))
	theta := make([]float64, out*r)
	best, result := math.Inf(-1), math.NaN()
	for _, lambda := range grid {
		if err := ridge.SolveTo(theta, lambda); err != nil {
			return 0, err
		}
		if v := determination(m, theta, xv, yv); v > best {
			best, result = v, determination(m, theta, xt, yt)
		}
	}
	return result, nil
}
