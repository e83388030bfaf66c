package varmodel

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/sgd"
)

// CurlField compares a curl-free with an independent kernel on a field that is a
// gradient (Brault 2017, section 6.3, with a generator that can be learnt).
type CurlField struct {
	CurlFree, Independent float64 // R^2 on 1000 points of the test set
}

// NewCurlField draws the gradient of a random function on [-1, 1]^5, learns it
// from n points with both kernels, of draws frequencies and the median distance as
// bandwidth, and chooses lambda of 10^-8 … 1 on 500 further points.
func NewCurlField(n, draws int, seed uint64) (*CurlField, error) {
	const d, terms, validation, test = 5, 100, 500, 1000
	if n < 2 || draws < 1 {
		return nil, fmt.Errorf("varmodel: a curl field needs n >= 2 and draws >= 1, got %d and %d", n, draws)
	}
	rng := rand.New(rand.NewPCG(seed, 66))
	// f(x) = sqrt(2/terms) sum a_k cos(w_k.x + b_k), w normal.
	w, a, b := make([]float64, terms*d), make([]float64, terms), make([]float64, terms)
	for k := range a {
		a[k], b[k] = math.Sqrt(2./terms)*rng.NormFloat64(), 2*math.Pi*rng.Float64()
	}
	for k := range w {
		w[k] = rng.NormFloat64()
	}
	total := n + validation + test
	x, y := make([]float64, total*d), make([]float64, total*d)
	for i := range x {
		x[i] = 2*rng.Float64() - 1
	}
	for i := range total {
		for k := range terms {
			s := b[k]
			for j := range d {
				s += w[k*d+j] * x[i*d+j]
			}
			for j := range d {
				y[i*d+j] -= a[k] * math.Sin(s) * w[k*d+j]
			}
		}
	}
	sigma := orff.MedianDistance(x[:n*d], d, seed)
	curl, err := orff.NewCurlFree(sigma, d, draws, orff.Bounded, orff.BlockRand(seed, 1))
	if err != nil {
		return nil, err
	}
	scalar, err := orff.NewFourier(orff.Gaussian{Sigma: sigma}, d, draws, orff.BlockRand(seed, 2))
	if err != nil {
		return nil, err
	}
	result := &CurlField{}
	grid := []float64{1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, .1, 1}
	curlFits, err := dualRidge(curl, x[:n*d], y[:n*d], grid)
	if err != nil {
		return nil, err
	}
	phi := make([]float64, n*scalar.Len())
	for i := range n {
		scalar.FeaturesTo(phi[i*scalar.Len():(i+1)*scalar.Len()], x[i*d:(i+1)*d])
	}
	ridge, err := sgd.NewRidge(n, phi, y[:n*d], orff.Identity(d).Factor())
	if err != nil {
		return nil, err
	}
	var fits [][]float64
	for _, lambda := range grid {
		theta := make([]float64, d*scalar.Len())
		if err := ridge.SolveTo(theta, lambda); err != nil {
			return nil, err
		}
		fits = append(fits, theta)
	}
	for _, c := range []struct {
		m    orff.Map
		fits [][]float64
		r2   *float64
	}{{curl, curlFits, &result.CurlFree}, {orff.NewDecomposable(scalar, orff.Identity(d)), fits, &result.Independent}} {
		best := math.Inf(-1)
		for _, theta := range c.fits {
			if v := determination(c.m, theta, x[n*d:(n+validation)*d], y[n*d:(n+validation)*d]); v > best {
				best = v
				*c.r2 = determination(c.m, theta, x[(n+validation)*d:], y[(n+validation)*d:])
			}
		}
	}
	return result, nil
}

// dualRidge returns the ridge solutions of any map for several lambda: with G the
// Gram matrix of the n p features of the samples, (G + n lambda I) u = y and theta =
// Phi u (Brault 2017, Theorem 6.3).
func dualRidge(m orff.Map, x, y []float64, lambdas []float64) ([][]float64, error) {
	d := m.Dims()
	n := len(x) / d.In
	rows := mat.NewDense(n*d.Out, d.Params, nil)
	phi, unit := make([]float64, d.Features), make([]float64, d.Out)
	for i := range n {
		m.FeaturesTo(phi, x[i*d.In:(i+1)*d.In])
		for k := range unit {
			unit[k] = 1
			m.AddGradient(rows.RawRowView(i*d.Out+k), 1, phi, unit)
			unit[k] = 0
		}
	}
	exact, gram := mat.NewSymDense(n*d.Out, nil), mat.NewSymDense(n*d.Out, nil)
	exact.SymOuterK(1, rows)
	var fits [][]float64
	for _, lambda := range lambdas {
		gram.CopySym(exact)
		for i := range n * d.Out {
			gram.SetSym(i, i, gram.At(i, i)+float64(n)*lambda)
		}
		var chol mat.Cholesky
		if !chol.Factorize(gram) {
			continue // lambda is below the rounding of G
		}
		var u, theta mat.VecDense
		if err := chol.SolveVecTo(&u, mat.NewVecDense(len(y), y)); err != nil {
			var condition mat.Condition
			if !errors.As(err, &condition) {
				return nil, err
			}
		}
		theta.MulVec(rows.T(), &u)
		fits = append(fits, theta.RawVector().Data)
	}
	return fits, nil
}

// determination is R^2: 1 minus the squared error over that of the mean.
func determination(m orff.Map, theta, x, y []float64) float64 {
	d := m.Dims()
	n := len(x) / d.In
	mean := make([]float64, d.Out)
	for i, v := range y {
		mean[i%d.Out] += v / float64(n)
	}
	phi, h := make([]float64, d.Features), make([]float64, d.Out)
	var rest, all float64
	for i := range n {
		m.FeaturesTo(phi, x[i*d.In:(i+1)*d.In])
		m.PredictTo(h, phi, theta)
		for k, v := range y[i*d.Out : (i+1)*d.Out] {
			rest += (h[k] - v) * (h[k] - v)
			all += (mean[k] - v) * (mean[k] - v)
		}
	}
	return 1 - rest/all
}

// MultiTask is one row of the comparison of Table 6.5 of Brault 2017: 7 tasks
// learnt independently, and with the Laplacian of the graph of their similarities,
// from samples of which each reveals one task. The robot arm of the table (SARCOS)
// is replaced by a simulation of its shape: 21 inputs, 7 correlated outputs.
type MultiTask struct {
	N                      int     // samples a task
	Independent, Laplacian float64 // mean nMSE on the test set, %
	IndependentSD          float64 // standard deviations of the means over the repeats
	LaplacianSD            float64
	P                      float64 // of the paired t-test, two-sided
	Repeats                int
}

// MultiTaskPublished are the figures of Table 6.5, in its order.
var MultiTaskPublished = []MultiTask{
	{N: 50, Independent: 23.138, IndependentSD: .577, Laplacian: 22.254, LaplacianSD: .536, P: .0268, Repeats: 80},
	{N: 100, Independent: 16.191, IndependentSD: .221, Laplacian: 15.568, LaplacianSD: .187, P: .001, Repeats: 80},
	{N: 150, Independent: 13.821, IndependentSD: .115, Laplacian: 13.459, LaplacianSD: .106, P: .001, Repeats: 80},
	{N: 200, Independent: 12.713, IndependentSD: .0978, Laplacian: 12.554, LaplacianSD: .0838, P: .0152, Repeats: 80},
	{N: 400, Independent: 10.785, IndependentSD: .0579, Laplacian: 10.651, LaplacianSD: .0466, P: .001, Repeats: 80},
	{N: 800, Independent: 7.512, IndependentSD: .0344, Laplacian: 7.512, LaplacianSD: .0344, P: 1, Repeats: 80},
	{N: 1600, Independent: 6.486, IndependentSD: .0242, Laplacian: 6.486, LaplacianSD: .0242, P: 1, Repeats: 80},
	{N: 3200, Independent: 5.658, IndependentSD: .0187, Laplacian: 5.658, LaplacianSD: .0187, P: 1, Repeats: 80},
}

// NewMultiTask runs the comparison for n samples a task, with max(n, 500)/2
// frequencies as in the original. It takes the better lambda of a grid for each
// method, on a validation set of the first repeat.
func NewMultiTask(n, repeats int, seed uint64) (*MultiTask, error) {
	const in, tasks, held = 21, 7, 500
	if n < 2 || repeats < 2 {
		return nil, fmt.Errorf("varmodel: the multi-task comparison needs n >= 2 and repeats >= 2, got %d and %d", n, repeats)
	}
	draws := max(n, 500) / 2
	rng := rand.New(rand.NewPCG(seed, 65))
	world := newTaskWorld(rng, in, tasks)
	grid := []float64{1e-6, 1e-5, 1e-4, 1e-3, 1e-2}
	var lambda [2]float64
	scores := [2][]float64{make([]float64, repeats), make([]float64, repeats)}
	for r := range repeats {
		x, full := world.draw(rng, n*tasks)
		masked := make([]float64, len(full))
		for i := range masked {
			masked[i] = math.NaN()
			if i%tasks == i/tasks%tasks {
				masked[i] = full[i]
			}
		}
		xv, yv := world.draw(rng, held)
		xt, yt := world.draw(rng, held)
		sigma := orff.MedianDistance(x, in, seed)
		scalar, err := orff.NewFourier(orff.Gaussian{Sigma: sigma}, in, draws, orff.BlockRand(seed, r+1))
		if err != nil {
			return nil, err
		}
		// The similarities are those of the targets at all inputs, as in the
		// original; gamma is the inverse of a typical distance.
		similar, err := orff.SimilarityGraph(tasks, full, 1/math.Sqrt(float64(n*tasks)))
		if err != nil {
			return nil, err
		}
		gamma, err := orff.GraphGamma(tasks, similar, .1)
		if err != nil {
			return nil, err
		}
		var trace float64 // the same size of the kernel as with the identity
		for k := range tasks {
			trace += gamma[k*tasks+k] / tasks
		}
		for k := range gamma {
			gamma[k] /= trace
		}
		graph, err := orff.NewOutput(tasks, gamma)
		if err != nil {
			return nil, err
		}
		for k, out := range []orff.Output{orff.Identity(tasks), graph} {
			m := orff.NewDecomposable(scalar, out)
			try := []float64{lambda[k]}
			if r == 0 {
				try = grid
			}
			best := math.Inf(1)
			for _, l := range try {
				o, err := sgd.NewObjective(sgd.ObjectiveConfig{Map: m, Dims: sgd.Dims(m.Dims()), X: x, Y: masked, Lambda: l})
				if err != nil {
					return nil, err
				}
				theta := make([]float64, m.Dims().Params)
				if _, err := o.SolveCG(theta, 1e-4, 300); err != nil {
					return nil, err
				}
				if v := taskError(m, theta, xv, yv); v < best {
					best, lambda[k] = v, l
					scores[k][r] = taskError(m, theta, xt, yt)
				}
			}
		}
	}
	row := &MultiTask{N: n, Repeats: repeats}
	root := math.Sqrt(float64(repeats))
	row.Independent, row.IndependentSD = stat.MeanStdDev(scores[0], nil)
	row.Laplacian, row.LaplacianSD = stat.MeanStdDev(scores[1], nil)
	row.IndependentSD /= root
	row.LaplacianSD /= root
	diff := make([]float64, repeats)
	for r := range diff {
		diff[r] = scores[0][r] - scores[1][r]
	}
	mean, sd := stat.MeanStdDev(diff, nil)
	row.P = 1
	if sd > 0 {
		t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(repeats - 1)}
		row.P = 2 * t.Survival(math.Abs(mean)/(sd/root))
	}
	return row, nil
}

// taskWorld are tasks that mix few common functions of the inputs.
type taskWorld struct {
	in, tasks, common int
	w, b              []float64 // of the common functions: sums of tanh
	mix               []float64
	wOwn              []float64
}

func newTaskWorld(rng *rand.Rand, in, tasks int) *taskWorld {
	const common = 3
	w := &taskWorld{
		in: in, tasks: tasks, common: common,
		w: make([]float64, common*4*in), b: make([]float64, common*4),
		mix: make([]float64, tasks*common), wOwn: make([]float64, tasks*in),
	}
	for i := range w.w {
		w.w[i] = rng.NormFloat64() / math.Sqrt(float64(in)) * 1.5
	}
	for i := range w.b {
		w.b[i] = rng.NormFloat64()
	}
	// Two groups of tasks with alike mixtures, as joints of one arm.
	for k := range tasks {
		for c := range common {
			group := 1.
			if (k < tasks/2) == (c == 0) {
				group = .2
			}
			w.mix[k*common+c] = group + .2*rng.NormFloat64()
		}
	}
	for i := range w.wOwn {
		w.wOwn[i] = rng.NormFloat64() / math.Sqrt(float64(in))
	}
	return w
}

// draw returns n inputs and the targets of all tasks, with noise.
func (w *taskWorld) draw(rng *rand.Rand, n int) (x, y []float64) {
	x, y = make([]float64, n*w.in), make([]float64, n*w.tasks)
	dot := func(a, b []float64) (s float64) {
		for i, v := range a {
			s += v * b[i]
		}
		return s
	}
	g := make([]float64, w.common)
	for i := range n {
		row := x[i*w.in : (i+1)*w.in]
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		for c := range g {
			g[c] = 0
			for u := range 4 {
				at := c*4 + u
				g[c] += math.Tanh(dot(w.w[at*w.in:(at+1)*w.in], row) + w.b[at])
			}
		}
		for k := range w.tasks {
			y[i*w.tasks+k] = dot(w.mix[k*w.common:(k+1)*w.common], g) + .3*math.Sin(dot(w.wOwn[k*w.in:(k+1)*w.in], row)) + .1*rng.NormFloat64()
		}
	}
	return x, y
}

// taskError is the nMSE: the squared error over the variance, averaged over the
// tasks, in per cent.
func taskError(m orff.Map, theta, x, y []float64) float64 {
	d := m.Dims()
	n := len(x) / d.In
	phi, h := make([]float64, d.Features), make([]float64, d.Out)
	sum, square, rest := make([]float64, d.Out), make([]float64, d.Out), make([]float64, d.Out)
	for i := range n {
		m.FeaturesTo(phi, x[i*d.In:(i+1)*d.In])
		m.PredictTo(h, phi, theta)
		for k, v := range y[i*d.Out : (i+1)*d.Out] {
			sum[k] += v
			square[k] += v * v
			rest[k] += (h[k] - v) * (h[k] - v)
		}
	}
	var e float64
	for k := range sum {
		mean := sum[k] / float64(n)
		e += rest[k] / float64(n) / (square[k]/float64(n) - mean*mean)
	}
	return 100 * e / float64(d.Out)
}
