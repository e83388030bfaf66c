package ridge_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/algebra"
	"github.com/orffvar/forecaster/orff/coupling"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/ridge"
	"github.com/orffvar/forecaster/orff/spectrum"
	"github.com/orffvar/forecaster/sgd/batch"
	"gonum.org/v1/gonum/mat"
)

const in, out, draws = 3, 2, 20

// gaussian returns a map of the decomposable Gaussian kernel with Gamma = [1, .5; .5, 1].
func gaussian(t *testing.T) *orff.Decomposable {
	t.Helper()
	scalar, err := orff.NewFourier(spectrum.Gaussian{Sigma: 1}, in, draws, random.New(1))
	if err != nil {
		t.Fatal(err)
	}
	gamma, err := coupling.New(out, []float64{1, .5, .5, 1})
	if err != nil {
		t.Fatal(err)
	}
	return orff.NewDecomposable(scalar, gamma)
}

// sineWaves returns n pairs: two sines of a sum of the inputs, with noise.
func sineWaves(n int) (x, y []float64) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range n {
		sum := 0.
		for range in {
			v := rng.NormFloat64()
			x, sum = append(x, v), sum+v
		}
		y = append(y, math.Sin(sum)+.1*rng.NormFloat64(), math.Sin(sum+.3)+.1*rng.NormFloat64())
	}
	return x, y
}

// Conjugate gradients agree with the closed form. They stop at 1e-8 of the first gradient, and the condition number is
// below 1 / lambda = 100.
func TestConjugateGradientsAgreeWithTheClosedForm(t *testing.T) {
	x, y := sineWaves(100)
	closed := gaussian(t)
	any, err := algebra.NewSum([]float64{1}, gaussian(t))
	if err != nil {
		t.Fatal(err)
	}
	a, err := ridge.Solve(closed, x, y, 1e-2)
	if err != nil {
		t.Fatal(err)
	}
	b, err := ridge.Solve(any, x, y, 1e-2)
	if err != nil {
		t.Fatal(err)
	}
	ha, hb := make([]float64, len(y)), make([]float64, len(y))
	ridge.PredictTo(ha, closed, a, x)
	ridge.PredictTo(hb, any, b, x)
	for i, v := range ha {
		if !(math.Abs(v-hb[i]) <= 1e-6) {
			t.Fatalf("prediction %d: %v in closed form, %v by conjugate gradients", i, v, hb[i])
		}
	}
}

// The curvature bounds the largest eigenvalue of 1/n sum Phi(x_i) Phi(x_i)^T.
func TestCurvatureBoundsTheHessian(t *testing.T) {
	x, _ := sineWaves(50)
	m := gaussian(t)
	d := m.Dims()
	hessian := mat.NewSymDense(d.Params, nil)
	phi, g, h, e := make([]float64, d.Features), make([]float64, d.Params), make([]float64, out), make([]float64, d.Params)
	for i := range 50 {
		m.FeaturesTo(phi, x[i*in:(i+1)*in])
		for j := range e {
			e[j] = 1
			m.PredictTo(h, phi, e)
			clear(g)
			m.AddGradient(g, 1./50, phi, h)
			for k := range j + 1 {
				hessian.SetSym(j, k, hessian.At(j, k)+g[k])
			}
			e[j] = 0
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(hessian, false) {
		t.Fatal("no eigenvalues")
	}
	largest := eigen.Values(nil)[d.Params-1]
	if bound := ridge.Curvature(m, x); !(largest <= bound) || !(bound <= 10*largest) {
		t.Errorf("bound %v of the eigenvalue %v", bound, largest)
	}
}

// The operator that is learnt from the weights H = B Theta is proportional to (H H^T + e I)^(1/2), where e is 1e-6 of the mean
// of the diagonal. Its square is compared entry by entry.
func TestLearntOutputIsTheRootOfTheWeights(t *testing.T) {
	x, y := sineWaves(60)
	m := gaussian(t)
	theta, err := ridge.Solve(m, x, y, .01)
	if err != nil {
		t.Fatal(err)
	}
	learnt, _, err := ridge.LearnOutput(m, x, y, .01, 1)
	if err != nil {
		t.Fatal(err)
	}
	dense := func(m *orff.Decomposable) *mat.Dense {
		p, inner := m.Output().Dims()
		return mat.NewDense(p, inner, m.Output().Factor())
	}
	var h, want, gamma, got mat.Dense
	h.Mul(dense(m), mat.NewDense(out, m.Scalar().Len(), theta))
	want.Mul(&h, h.T())
	for i, e := 0, 1e-6*mat.Trace(&want)/out; i < out; i++ {
		want.Set(i, i, want.At(i, i)+e)
	}
	gamma.Mul(dense(learnt), dense(learnt).T())
	got.Mul(&gamma, &gamma)
	got.Scale(mat.Trace(&want)/mat.Trace(&got), &got)
	if !mat.EqualApprox(&got, &want, 1e-9*mat.Trace(&want)) {
		t.Errorf("the square is\n%v\nwant\n%v", mat.Formatted(&got), mat.Formatted(&want))
	}
}

// If the last fifth of the targets are the predictions of a fit to the others, its lambda has no error there.
func TestSelectLambdaOfALastFifthThatAFitPredicts(t *testing.T) {
	const pairs, fitted = 50, 40
	x, y := sineWaves(pairs)
	m := gaussian(t)
	grid, err := batch.LambdaGrid(1, out, y[:fitted*out])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range grid {
		theta, err := ridge.Solve(m, x[:fitted*in], y[:fitted*out], want)
		if err != nil {
			t.Fatal(err)
		}
		ridge.PredictTo(y[fitted*out:], m, theta, x[fitted*in:])
		if got, err := ridge.SelectLambda(m, x, y); err != nil || got != want {
			t.Errorf("lambda %v, %v, want %v", got, err, want)
		}
	}
}

// SelectLambda returns an error if all targets are 0: they do not determine lambda.
func TestSelectLambdaNeedsTargets(t *testing.T) {
	x, y := sineWaves(20)
	clear(y)
	if _, err := ridge.SelectLambda(gaussian(t), x, y); err == nil {
		t.Error("no error")
	}
}
