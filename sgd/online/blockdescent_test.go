package online

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
)

func newBlockDescent(t testing.TB, cfg BlockDescentConfig) *BlockDescent {
	t.Helper()
	l, err := NewBlockDescent(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// correlated draws features with a common factor, which has most of their variance.
func correlated(rng *rand.Rand, n int) []float64 {
	phi := randomVector(rng, n)
	common := 2 * rng.NormFloat64()
	for i := range phi {
		phi[i] += common
	}
	return phi
}

// With blocks of 16 of 50 correlated features the weights are those of ridge regression (RLS),
// whatever the memory; weights of BlockNewton are not. Each sweep
// over the blocks takes off a part of the distance that the samples since the last one have made: .3 %
// of the norm are left after 4,000 samples, where BlockNewton leaves 47 %.
func TestBlockDescentReachesRidge(t *testing.T) {
	for _, forgetting := range []float64{1, .999} {
		rng := rand.New(rand.NewPCG(21, 22))
		truth := randomVector(rng, 50*2)
		l := newBlockDescent(t, BlockDescentConfig{Features: 50, Outputs: 2, Block: 16, Batch: 4, Ridge: 1, Forgetting: forgetting})
		n := newBlockNewton(t, BlockNewtonConfig{Features: 50, Outputs: 2, Block: 16, Every: 4, Ridge: 1, Forgetting: forgetting})
		r := newRLS(t, RLSConfig{Features: 50, Outputs: 2, Ridge: 1, Forgetting: forgetting})
		y := make([]float64, 2)
		for range 4000 {
			phi := correlated(rng, 50)
			vec.MatVec(y, truth, phi)
			for o := range y {
				y[o] += rng.NormFloat64()
			}
			learnPair(l, phi, y)
			learnPair(n, phi, y)
			learnPair(r, phi, y)
		}
		distance := func(theta []float64) float64 {
			var s, norm float64
			for i, w := range r.Weights() {
				s += (theta[i] - w) * (theta[i] - w)
				norm += w * w
			}
			return math.Sqrt(s / norm)
		}
		got, newton := distance(l.Weights()), distance(n.Weights())
		t.Logf("forgetting %g: distance from ridge %.4f, of BlockNewton %.4f", forgetting, got, newton)
		if got > .02 || got > newton/10 {
			t.Errorf("forgetting %g: distance from ridge %.4f, of BlockNewton %.4f", forgetting, got, newton)
		}
	}
}

// One block of all features is batch ridge regression after each mini-batch: RLS to rounding, and to the
// 1e-9 of the diagonal that is added for safety.
func TestBlockDescentOfOneBlockIsRidge(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	l := newBlockDescent(t, BlockDescentConfig{Features: 13, Outputs: 2, Block: 20, Batch: 5, MostBatch: 7, Ridge: 3, Forgetting: 1})
	r := newRLS(t, RLSConfig{Features: 13, Outputs: 2, Ridge: 3, Forgetting: 1})
	for range 1000 {
		phi, y := randomVector(rng, 13), randomVector(rng, 2)
		learnPair(l, phi, y)
		learnPair(r, phi, y)
		if l.pending > 0 {
			continue
		}
		for i, w := range r.Weights() {
			if math.Abs(w-l.Weights()[i]) > 1e-7 {
				t.Fatalf("weight %d: %v, ridge %v", i, l.Weights()[i], w)
			}
		}
	}
}

// The gradient that is carried along is that of all samples at the present weights, computed from scratch, and no
// step raises the loss, whatever the sizes of the data.
func TestBlockDescentKeepsTheGradient(t *testing.T) {
	const m, p, batch, beta = 21, 3, 3, .98
	rng := rand.New(rand.NewPCG(7, 8))
	l := newBlockDescent(t, BlockDescentConfig{Features: m, Outputs: p, Block: 8, Batch: batch, Ridge: .1, Forgetting: beta})
	var inputs, targets [][]float64
	out := make([]float64, p)
	loss := func() (sum float64, gradient []float64) {
		gradient = make([]float64, p*m)
		for i, phi := range inputs {
			weight := math.Pow(beta, float64((len(inputs)-1-i)/batch*batch)) // one mini-batch, one weight
			l.PredictTo(out, phi)
			for o, v := range out {
				e := targets[i][o] - v
				sum += weight * e * e
				vec.Axpy(weight*e, phi, gradient[o*m:(o+1)*m])
			}
		}
		for _, w := range l.Weights() {
			sum += .1 * w * w
		}
		return sum, gradient
	}
	for step := range 600 {
		size := math.Exp(3 * rng.NormFloat64())
		phi, y := randomVector(rng, m), randomVector(rng, p)
		vec.Scale(size, phi)
		inputs, targets = append(inputs, phi), append(targets, y)
		before, _ := loss()
		learnPair(l, phi, y)
		after, gradient := loss()
		if after > before*(1+1e-9) {
			t.Fatalf("sample %d: loss %g -> %g", step, before, after)
		}
		if l.pending > 0 {
			continue
		}
		scale := 1 + math.Sqrt(vec.Dot(gradient, gradient))
		for o := range p {
			for i := range m {
				// Each of some hundred steps rounds sums of samples of size up to e^9 squared.
				if got := l.g[o*l.stride+i]; math.Abs(got-gradient[o*m+i]) > 1e-6*scale {
					t.Fatalf("sample %d: gradient of weight %d, %d is %g, want %g", step, o, i, got, gradient[o*m+i])
				}
			}
		}
	}
}

// Overflow empties the memory and leaves finite weights; later samples are learnt.
func TestBlockDescentSurvivesOverflow(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	l := newBlockDescent(t, BlockDescentConfig{Features: 10, Outputs: 1, Block: 8, Batch: 2, Ridge: 1, Forgetting: .99})
	truth, y := randomVector(rng, 10), make([]float64, 1)
	for i := range 3000 {
		phi := randomVector(rng, 10)
		if i == 1000 {
			vec.Scale(1e200, phi)
		}
		vec.MatVec(y, truth, phi)
		learnPair(l, phi, y)
	}
	for i, w := range l.Weights() {
		if math.Abs(w-truth[i]) > .05 { // a ridge of 1 beside 100 samples
			t.Errorf("weight %d is %v, want %v", i, w, truth[i])
		}
	}
}

// A restored learner goes on with the same bits, at any place within a mini-batch.
func TestBlockDescentIsRestored(t *testing.T) {
	cfg := BlockDescentConfig{Features: 20, Outputs: 2, Block: 8, Batch: 3, MostBatch: 6, Ridge: 1, Forgetting: .99}
	rng := rand.New(rand.NewPCG(5, 6))
	a := newBlockDescent(t, cfg)
	for n := range 500 {
		if n%37 == 0 {
			e := snapshot.NewEncoder(nil)
			a.State(e)
			b := newBlockDescent(t, cfg)
			d := snapshot.NewDecoder(e.Bytes())
			b.State(d)
			if err := d.Finish(); err != nil {
				t.Fatal(err)
			}
			a = b
		}
		learnPair(a, randomVector(rng, 20), randomVector(rng, 2))
	}
	whole := newBlockDescent(t, cfg)
	rng = rand.New(rand.NewPCG(5, 6))
	for range 500 {
		learnPair(whole, randomVector(rng, 20), randomVector(rng, 2))
	}
	for i, w := range whole.Weights() {
		if a.Weights()[i] != w {
			t.Fatalf("weight %d is %v, without restarts %v", i, a.Weights()[i], w)
		}
	}
	whole.Reset()
	for i, w := range whole.Weights() {
		if w != 0 {
			t.Fatalf("weight %d is %v after Reset", i, w)
		}
	}
}

func TestBlockDescentConfigErrors(t *testing.T) {
	ok := BlockDescentConfig{Features: 2, Outputs: 1, Block: 1, Batch: 1, Ridge: 1, Forgetting: 1}
	for field, change := range map[string]func(*BlockDescentConfig){
		"Features":   func(c *BlockDescentConfig) { c.Features = 0 },
		"Outputs":    func(c *BlockDescentConfig) { c.Outputs = 0 },
		"Block":      func(c *BlockDescentConfig) { c.Block = 0 },
		"Batch":      func(c *BlockDescentConfig) { c.Batch = 0 },
		"MostBatch":  func(c *BlockDescentConfig) { c.Batch, c.MostBatch = 3, 2 },
		"Ridge":      func(c *BlockDescentConfig) { c.Ridge = 0 },
		"Forgetting": func(c *BlockDescentConfig) { c.Forgetting = 2 },
	} {
		c := ok
		change(&c)
		if _, err := NewBlockDescent(c); err == nil || !contains(err.Error(), field) {
			t.Errorf("bad %s: error %v does not name it", field, err)
		}
	}
}
