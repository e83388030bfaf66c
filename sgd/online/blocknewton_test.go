package online

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/internal/vec"
)

func newBlockNewton(t testing.TB, cfg BlockNewtonConfig) *BlockNewton {
	t.Helper()
	l, err := NewBlockNewton(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// No step raises the loss of its mini-batch, whatever the data: here inputs and
// targets of very different sizes. The errors that are kept with the batch are
// those of the weights, but for the oldest sample, which makes room for the next, and for
// the rounding of inputs to 32 bits in what a step takes from errors as large as before it.
func TestBlockNewtonStepNeverRaisesTheLoss(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	const batch = 4
	l := newBlockNewton(t, BlockNewtonConfig{Features: 11, Outputs: 3, Block: 4, Batch: batch, Ridge: .1, Forgetting: .9})
	var inputs, targets [][]float64
	out := make([]float64, 3)
	// loss is that of the mini-batch from sample k on, and the size of what it is the
	// difference of.
	loss := func(k int) (sum, scale float64) {
		for ; k < len(inputs); k++ {
			l.PredictTo(out, inputs[k])
			for o, v := range out {
				sum += (targets[k][o] - v) * (targets[k][o] - v)
				scale += v*v + targets[k][o]*targets[k][o]
			}
		}
		return sum, scale
	}
	for step := range 2000 {
		size := math.Exp(3 * rng.NormFloat64())
		phi, y := randomVector(rng, 11), randomVector(rng, 3)
		for i := range phi {
			phi[i] *= size
		}
		inputs, targets = append(inputs, phi), append(targets, y)
		if len(inputs) > batch {
			inputs, targets = inputs[1:], targets[1:]
		}
		before, _ := loss(0)
		learnPair(l, phi, y)
		after, scale := loss(0)
		seen, _ := loss(len(inputs) / batch)
		if next := l.steps % batch; l.steps >= batch {
			clear(l.err[next*3 : (next+1)*3])
		}
		if kept := vec.Dot(l.err, l.err); !(after <= before*(1+1e-9)+1e-12) || !(math.Abs(kept-seen) <= 1e-5*(scale+before)) {
			t.Fatalf("step %d: loss %g -> %g, of which %g remains and %g is kept", step, before, after, seen, kept)
		}
	}
}

// Steps that are taken every fifth sample find the solution too.
func TestBlockNewtonEvery(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	truth := randomVector(rng, 20*2)
	l := newBlockNewton(t, BlockNewtonConfig{Features: 20, Outputs: 2, Block: 6, Every: 5, Ridge: 1, Forgetting: .99})
	y, first := make([]float64, 2), make([]float64, 40)
	for i := range 3000 {
		phi := randomVector(rng, 20)
		vec.MatVec(y, truth, phi)
		copy(first, l.Weights())
		learnPair(l, phi, y)
		if changed := !slices.Equal(first, l.Weights()); changed != (i%5 == 4) {
			t.Fatalf("sample %d: weights changed: %v", i, changed)
		}
	}
	for i, w := range l.Weights() {
		if !(math.Abs(w-truth[i]) <= 5e-2) { // a ridge of 1 beside 100 samples, and blocks that disturb each other
			t.Errorf("weight %d = %v, want %v", i, w, truth[i])
		}
	}
}

// With one block and a batch of one sample the method is recursive least
// squares: Theta_t = Theta_{t-1} + R_t^-1 phi e with R_0 = lambda I.
func TestBlockNewtonOfOneBlockIsRLS(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	l := newBlockNewton(t, BlockNewtonConfig{Features: 5, Outputs: 2, Block: 5, Batch: 1, Ridge: 3, Forgetting: 1})
	r := newRLS(t, RLSConfig{Features: 5, Outputs: 2, Ridge: 3, Forgetting: 1})
	for range 300 {
		phi, y := randomVector(rng, 5), randomVector(rng, 2)
		learnPair(l, phi, y)
		learnPair(r, phi, y)
	}
	for i, w := range r.Weights() {
		// BlockNewton keeps inputs and curvature in 32 bits.
		if !(math.Abs(w-l.Weights()[i]) <= 1e-6) {
			t.Errorf("weight %d: %v, RLS %v", i, l.Weights()[i], w)
		}
	}
}

// Blocks learn a noiseless linear map as well as one block does.
func TestBlockNewtonFindsTheSolution(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	truth := randomVector(rng, 20*2)
	l := newBlockNewton(t, BlockNewtonConfig{Features: 20, Outputs: 2, Block: 6, Batch: 4, Ridge: 1, Forgetting: .999})
	y := make([]float64, 2)
	for range 3000 {
		phi := randomVector(rng, 20)
		vec.MatVec(y, truth, phi)
		learnPair(l, phi, y)
	}
	for i, w := range l.Weights() {
		// A visit moves a block by lambda/(effective samples = 1000) short of its
		// optimum, and the blocks disturb each other: other seeds leave up to .011.
		if !(math.Abs(w-truth[i]) <= 2e-2) {
			t.Errorf("weight %d = %v, want %v", i, w, truth[i])
		}
	}
}

func TestBlockNewtonConfigErrors(t *testing.T) {
	ok := BlockNewtonConfig{Features: 2, Outputs: 1, Block: 1, Batch: 1, Ridge: 1, Forgetting: 1}
	for field, change := range map[string]func(*BlockNewtonConfig){
		"Features":   func(c *BlockNewtonConfig) { c.Features = 0 },
		"Outputs":    func(c *BlockNewtonConfig) { c.Outputs = 0 },
		"Block":      func(c *BlockNewtonConfig) { c.Block = 0 },
		"Batch":      func(c *BlockNewtonConfig) { c.Batch = -1 },
		"Every":      func(c *BlockNewtonConfig) { c.Every = -1 },
		"multiple":   func(c *BlockNewtonConfig) { c.Batch, c.Every = 3, 2 },
		"Ridge":      func(c *BlockNewtonConfig) { c.Ridge = 0 },
		"Forgetting": func(c *BlockNewtonConfig) { c.Forgetting = 0 },
	} {
		c := ok
		change(&c)
		if _, err := NewBlockNewton(c); err == nil || !contains(err.Error(), field) {
			t.Errorf("bad %s: error %v does not name it", field, err)
		}
	}
}

func BenchmarkBlockNewton(b *testing.B) {
	l := newBlockNewton(b, BlockNewtonConfig{Features: 129, Outputs: 7, Block: 50, Batch: 4, Ridge: 100, Forgetting: .9995})
	rng := rand.New(rand.NewPCG(1, 1))
	phi, e := randomVector(rng, 129), randomVector(rng, 7)
	b.ReportAllocs()
	for b.Loop() {
		l.Update(phi, e)
	}
}

// BlockNewton drops inputs after the last step that sees them. Each step sees the inputs of the
// whole mini-batch, so the weights equal the weights of a learner that keeps all inputs.
//
// They are equal but for rounding: BlockNewton corrects only the errors that a later step sees,
// and MatMulT sums the columns of a row in an order that depends on the rows beside it. Each of
// the at most 20 n <= 400 corrections has a relative error of at most 8 additions of 2^-53, and
// no step amplifies it: 400 * 8 * 2^-53 < 4e-13. A dropped input changes weights by 1e-3 or more.
func TestBlockNewtonSeesItsMiniBatch(t *testing.T) {
	for _, cfg := range []BlockNewtonConfig{
		{Features: 20, Block: 6, Every: 5},
		{Features: 11, Block: 4, Every: 1, Batch: 4}, // longer than from one step of a block to its next
		{Features: 11, Block: 3, Every: 2, Batch: 4}, // shorter
		{Features: 5, Block: 8, Every: 3},
	} {
		cfg.Outputs, cfg.Ridge, cfg.Forgetting = 2, .5, .97
		l := newBlockNewton(t, cfg)
		rng := rand.New(rand.NewPCG(13, 14))
		n, p := l.cfg.Batch, cfg.Outputs
		theta, r := make([]float64, cfg.Features*p), make([]*vec.Sym, l.blocks)
		for i := range r {
			r[i] = vec.NewSym(l.stride)
		}
		inputs, errs, solver := make([][]float64, n), make([]float64, n*p), vec.NewCholesky(l.stride)
		for s := range 20 * n {
			phi, e := randomVector(rng, cfg.Features), randomVector(rng, p)
			l.Update(phi, e)
			inputs[s%n] = phi
			copy(errs[s%n*p:], e)
			for k, v := range phi {
				phi[k] = float64(float32(v))
			}
			if (s+1)%l.cfg.Every > 0 {
				continue
			}
			used, i := min(s+1, n), s/l.cfg.Every%l.blocks
			first, width := l.block(i)
			x := make([]float64, used*l.stride)
			for k := range used {
				copy(x[k*l.stride:], inputs[k][first:first+width])
			}
			step := make([]float64, p*l.stride)
			vec.AddOuters(step, errs[:used*p], x, p, used, l.stride)
			r[i].AddRows(math.Pow(cfg.Forgetting, float64(used)), x)
			solver.Factor(r[i], cfg.Ridge, narrowing)
			half := make([]float32, r[i].Len())
			r[i].NarrowTo(half)
			r[i].Widen(half)
			solver.Solve(step)
			for o := range p {
				vec.Axpy(1, step[o*l.stride:o*l.stride+width], theta[o*cfg.Features+first:o*cfg.Features+first+width])
			}
			moved := make([]float64, used*p)
			vec.MatMulT(moved, x, step, used, p, l.stride)
			vec.Axpy(-1, moved, errs[:used*p])
			size := slices.Max(theta) - slices.Min(theta)
			for k, w := range l.Weights() {
				if !(math.Abs(w-theta[k]) <= 4e-13*size) {
					t.Fatalf("%+v: weight %d after %d samples is %v, want %v", cfg, k, s+1, w, theta[k])
				}
			}
		}
	}
}
