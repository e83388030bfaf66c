package thesis

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/distance"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
)

// MultiTask is one row of Table 6.5 of Brault 2017. Seven tasks are learnt independently, and with the Laplacian of the
// graph of their similarities. Each sample has the target of one task. Simulated data of the same shape, 21 inputs and
// 7 correlated outputs, replace the robot arm of the table (SARCOS).
type MultiTask struct {
	N                      int     // number of samples per task
	Independent, Laplacian float64 // mean nMSE on the test set, %
	IndependentSD          float64 // standard deviation of the mean over the repeats
	LaplacianSD            float64
	P                      float64 // p-value of the two-sided paired t-test
	Repeats                int
}

// MultiTaskPublished are the figures of Table 6.5, in the order of the table.
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

// NewMultiTask runs the comparison for n samples per task, with max(n, 500)/2 features as in the thesis. Each repeat
// draws its own samples, frequencies, and test set of 500. Both methods get the same draws: the test is paired. A
// validation set of the first repeat chooses the lambda of each method from a grid. progress, unless nil, is called
// after each repeat, and check many times in a repeat. An error of check ends the run.
func NewMultiTask(n, repeats int, seed uint64, check func() error, progress func(done int)) (*MultiTask, error) {
	const in, tasks, held = 21, 7, 500
	if n < 2 || repeats < 2 {
		return nil, fmt.Errorf("study: the multi-task comparison needs n >= 2 and repeats >= 2, got %d and %d", n, repeats)
	}
	draws := max(n, 500) / 4
	rng := rand.New(rand.NewPCG(seed, 65))
	synthetic := newSyntheticTasks(rng, in, tasks)
	fit := newTaskFit(tasks, n, 2*draws)
	grid := []float64{1e-6, 1e-5, 1e-4, 1e-3, 1e-2}
	var lambda [2]float64
	scores := [2][]float64{make([]float64, repeats), make([]float64, repeats)}
	for r := range repeats {
		x, y := synthetic.draw(rng, n*tasks)
		xv, yv := synthetic.draw(rng, held)
		xt, yt := synthetic.draw(rng, held)
		sigma := distance.Median(x, in, seed)
		scalar, err := orff.NewFourier(spectrum.Gaussian{Sigma: sigma}, in, draws, random.Block(seed, r+1))
		if err != nil {
			return nil, err
		}
		graph, err := similarTasks(tasks, y)
		if err != nil {
			return nil, err
		}
		if err := fit.observe(check, scalar, x, y); err != nil {
			return nil, err
		}
		for k, solve := range []func(lambda float64) (*orff.Decomposable, []float64, error){
			func(lambda float64) (*orff.Decomposable, []float64, error) {
				theta, err := fit.independent(check, lambda)
				return orff.NewDecomposable(scalar, coupling.Identity(tasks)), theta, err
			},
			func(lambda float64) (*orff.Decomposable, []float64, error) {
				theta, err := fit.coupled(check, graph, lambda)
				return orff.NewDecomposable(scalar, graph), theta, err
			},
		} {
			try := grid
			if r > 0 {
				try = lambda[k : k+1]
			}
			best := math.Inf(1)
			for _, l := range try {
				m, theta, err := solve(l)
				if err != nil {
					return nil, err
				}
				if v := taskError(m, theta, xv, yv); v < best {
					best, lambda[k] = v, l
					scores[k][r] = taskError(m, theta, xt, yt)
				}
			}
		}
		if progress != nil {
			progress(r + 1)
		}
	}
	c := PairedTest(scores[0], scores[1])
	return &MultiTask{
		N: n, Repeats: repeats, P: c.P,
		Independent: c.A, IndependentSD: c.SEA, Laplacian: c.B, LaplacianSD: c.SEB,
	}, nil
}

// similarTasks returns Gamma = (L + 0.1 I)^-1 for the graph of the similarities of the targets, scaled to the size of
// the identity. The similarities use all inputs, as in the thesis. Their scale is the inverse of a typical distance.
func similarTasks(tasks int, y []float64) (coupling.Operator, error) {
	similar, err := coupling.SimilarityGraph(tasks, y, 1/math.Sqrt(float64(len(y)/tasks)))
	if err != nil {
		return coupling.Operator{}, err
	}
	gamma, err := coupling.GraphGamma(tasks, similar, .1)
	if err != nil {
		return coupling.Operator{}, err
	}
	var trace float64
	for k := range tasks {
		trace += gamma[k*tasks+k] / float64(tasks)
	}
	vec.Scale(1/trace, gamma)
	return coupling.New(tasks, gamma)
}

// taskFit solves the multi-task ridge problem for samples with the target of one task each. With C_t the covariance of
// the features of task t, and v_t the products of these features with the targets, the normal equations are
//
//	sum_t b_t (b_t^T Theta C_t - v_t^T) + lambda Theta = 0, b_t = row t of B.
type taskFit struct {
	tasks, n, r int
	c           []*vec.Sym
	mean        *vec.Sym // mean of the C_t, times the number of tasks
	v           []float64
	phi         []float64 // n x r
	chol        *vec.Cholesky
}

func newTaskFit(tasks, n, r int) *taskFit {
	f := &taskFit{
		tasks: tasks, n: n, r: r, mean: vec.NewSym(r), v: make([]float64, tasks*r), phi: make([]float64, n*r), chol: vec.NewCholesky(r),
	}
	for range tasks {
		f.c = append(f.c, vec.NewSym(r))
	}
	return f
}

// observe adds n samples per task. Sample i has the target of task i mod tasks in y.
func (f *taskFit) observe(check func() error, s orff.Scalar, x, y []float64) error {
	d, total := s.In(), float64(f.n*f.tasks)
	clear(f.v)
	f.mean.SetIdentity(0)
	for t := range f.tasks {
		if err := check(); err != nil {
			return err
		}
		v := f.v[t*f.r : (t+1)*f.r]
		for i := range f.n {
			row, phi := i*f.tasks+t, f.phi[i*f.r:(i+1)*f.r]
			s.FeaturesTo(phi, x[row*d:(row+1)*d])
			vec.Axpy(y[row*f.tasks+t]/total, phi, v)
		}
		f.c[t].SetIdentity(0)
		f.c[t].RankK(1/total, f.phi)
		f.mean.RankK(1/total, f.phi)
	}
	return nil
}

// independent returns theta for Gamma = I: one problem per task.
func (f *taskFit) independent(check func() error, lambda float64) ([]float64, error) {
	theta := make([]float64, f.tasks*f.r)
	for t := range f.tasks {
		if err := check(); err != nil {
			return nil, err
		}
		if !f.chol.Factor(f.c[t], lambda, 0) {
			return nil, errSingular
		}
		row := theta[t*f.r : (t+1)*f.r]
		copy(row, f.v[t*f.r:(t+1)*f.r])
		f.chol.Solve(row)
	}
	return theta, nil
}

// coupled returns theta for Gamma = B B^T by conjugate gradients. The preconditioner replaces each C_t by their mean.
// If the columns of B are orthogonal, with squared norms g_k, it solves one system with g_k/tasks sum_t C_t + lambda I
// per column.
func (f *taskFit) coupled(check func() error, out coupling.Operator, lambda float64) ([]float64, error) {
	p, inner := out.Dims()
	b, r := out.Factor(), f.r
	factors := make([]*vec.Cholesky, inner)
	gain := make([]float64, inner)
	for k := range inner {
		if err := check(); err != nil {
			return nil, err
		}
		for t := range p {
			gain[k] += b[t*inner+k] * b[t*inner+k] / float64(p)
		}
		factors[k] = vec.NewCholesky(r)
		if !factors[k].Factor(f.mean, lambda/gain[k], 0) {
			return nil, errSingular
		}
	}
	// Theta is inner x r here, row-major.
	w, cw := make([]float64, r), make([]float64, r)
	apply := func(dst, theta []float64) {
		copy(dst, theta)
		vec.Scale(lambda, dst)
		for t := range p {
			vec.MatTVec(w, theta, b[t*inner:(t+1)*inner])
			f.c[t].MatVec(cw, w)
			vec.AddOuter(dst, 1, b[t*inner:(t+1)*inner], cw)
		}
	}
	precondition := func(dst, res []float64) {
		copy(dst, res)
		for k := range inner {
			row := dst[k*r : (k+1)*r]
			factors[k].Solve(row)
			vec.Scale(1/gain[k], row)
		}
	}
	size := inner * r
	theta, res, z, dir, q := make([]float64, size), make([]float64, size), make([]float64, size), make([]float64, size), make([]float64, size)
	for t := range p {
		vec.AddOuter(res, 1, b[t*inner:(t+1)*inner], f.v[t*r:(t+1)*r])
	}
	precondition(z, res)
	copy(dir, z)
	rz := vec.Dot(res, z)
	const most, tolerance = 500, 1e-14 // most steps, and tolerance of the squared error in the energy norm
	for limit, k := tolerance*rz, 0; rz > limit && k < most; k++ {
		if err := check(); err != nil {
			return nil, err
		}
		apply(q, dir)
		alpha := rz / vec.Dot(dir, q)
		vec.Axpy(alpha, dir, theta)
		vec.Axpy(-alpha, q, res)
		precondition(z, res)
		next := vec.Dot(res, z)
		vec.Scale(next/rz, dir)
		vec.Axpy(1, z, dir)
		rz = next
	}
	return theta, nil
}

// syntheticTasks are tasks that mix a few common functions of the inputs.
type syntheticTasks struct {
	in, tasks, common int
	w, b              []float64 // parameters of the common functions, which are sums of tanh
	mix               []float64
	wOwn              []float64
}

func newSyntheticTasks(rng *rand.Rand, in, tasks int) *syntheticTasks {
	const common = 3
	w := &syntheticTasks{
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
	// The tasks form two groups with similar mixtures, as the joints of an arm do.
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

// draw returns n inputs, and the targets of all tasks, with noise.
func (w *syntheticTasks) draw(rng *rand.Rand, n int) (x, y []float64) {
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

// taskError returns the nMSE in per cent: squared error / variance, averaged over the tasks.
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
