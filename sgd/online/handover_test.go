package online

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/internal/vec"
)

func handOverConfig(after int, forgetting float64) HandOverConfig {
	return HandOverConfig{
		RLS:    RLSConfig{Features: 12, Outputs: 2, Ridge: 1, Forgetting: forgetting, MaxLeverage: 1},
		Newton: BlockNewtonConfig{Block: 5, Every: 4},
		After:  after,
	}
}

func newHandOver(t testing.TB, cfg HandOverConfig) *HandOver {
	t.Helper()
	r, err := NewHandOver(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Up to the hand-over the learner is RLS, up to the 32 bits of its P where there are many
// features. The curvature of its blocks is then the sum of squares of all samples, up to the
// rounding of an inverse of an inverse of condition 10, and of 32 bits: elements are at most
// some 204, the number of samples.
func TestHandOverIsRLSAtFirst(t *testing.T) {
	t.Run("few features", func(t *testing.T) { testHandOverAtFirst(t, 12, 0) })
	t.Run("many", func(t *testing.T) { testHandOverAtFirst(t, 30, 1e-6) })
}

func testHandOverAtFirst(t *testing.T, features int, tol float64) {
	const after = 204
	rng := rand.New(rand.NewPCG(13, 14))
	cfg := handOverConfig(after, 1)
	cfg.RLS.Features = features
	cfg.RLS.MaxLeverage = 0
	r, rls := newHandOver(t, cfg), newRLS(t, cfg.RLS)
	squares := make([]float64, features*features)
	for n := range after {
		if r.rls == nil {
			t.Fatalf("handed over after %d samples", n)
		}
		phi, y := randomVector(rng, features), randomVector(rng, 2)
		for _, l := range []updater{r, rls} {
			learnPair(l, phi, y)
		}
		for i, u := range phi {
			for j, v := range phi {
				squares[i*features+j] += u * v
			}
		}
	}
	if r.rls != nil {
		t.Fatal("not handed over")
	}
	for i, w := range rls.Weights() {
		if !(math.Abs(r.Weights()[i]-w) <= tol) {
			t.Fatalf("weight %d: %v, of RLS %v", i, r.Weights()[i], w)
		}
	}
	curvature := r.newton.solver.r
	for b := range r.newton.blocks {
		curvature.Widen(r.newton.curvature(b))
		first, width := r.newton.block(b)
		for i := range r.newton.stride {
			for j := range r.newton.stride {
				want := 0.0
				if i < width && j < width {
					want = squares[(first+i)*features+first+j]
				}
				if got := curvature.At(i, j); !(math.Abs(got-want) <= 1e-7*after) {
					t.Fatalf("curvature (%d, %d) of block %d: %v, want %v", i, j, b, got, want)
				}
			}
		}
	}
}

// After the handing over the weights follow a truth that wanders about as well as
// those of RLS, although a block of them moves only every twelfth sample. Here the
// squared error is 2 % larger.
func TestHandOverGoesOn(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	cfg := handOverConfig(500, .99)
	r, rls := newHandOver(t, cfg), newRLS(t, cfg.RLS)
	truth, out := randomVector(rng, 24), make([]float64, 2)
	errorOf := func(l updater, phi, y []float64) (s float64) {
		l.PredictTo(out, phi)
		for o, v := range out {
			s += (y[o] - v) * (y[o] - v)
		}
		learnPair(l, phi, y)
		return s
	}
	var handedOver, exact float64
	for i := range 5000 {
		for k := range truth {
			truth[k] += .02 * rng.NormFloat64()
		}
		phi, y := randomVector(rng, 12), make([]float64, 2)
		vec.MatVec(y, truth, phi)
		for o := range y {
			y[o] += rng.NormFloat64()
		}
		a, b := errorOf(r, phi, y), errorOf(rls, phi, y)
		if i > 500 {
			handedOver, exact = handedOver+a, exact+b
		}
	}
	t.Logf("squared error %.3f of that of RLS", handedOver/exact)
	if !(handedOver <= 1.06*exact) {
		t.Errorf("squared error %g, of RLS %g", handedOver, exact)
	}
}

// After a change that is made known, a relay is sooner right than otherwise, whoever
// learns; and Reset begins again.
func TestRelayForgets(t *testing.T) {
	for _, samples := range []int{100, 600} {
		errorAfter := func(keep float64) (sum float64) {
			rng := rand.New(rand.NewPCG(17, 18))
			r := newHandOver(t, handOverConfig(300, 1))
			for i := range samples + 40 {
				phi := randomVector(rng, 12)
				y := []float64{phi[0] - phi[11], phi[5]}
				if i == samples {
					r.Discount(keep)
				}
				if i >= samples {
					y[0], y[1] = -y[0], -y[1]
				}
				e := learnPair(r, phi, y)
				sum += e[0]*e[0] + e[1]*e[1]
			}
			if r.Reset(); r.rls == nil || vec.Dot(r.Weights(), r.Weights()) != 0 {
				t.Error("something is left after Reset")
			}
			return sum
		}
		if with, without := errorAfter(.01), errorAfter(1); !(with <= .9*without) {
			t.Errorf("after %d samples: squared error %g, %g if nothing is discounted", samples, with, without)
		}
	}
}

func TestRelayConfigErrors(t *testing.T) {
	for field, change := range map[string]func(*HandOverConfig){
		"After":    func(c *HandOverConfig) { c.After = 0 },
		"Features": func(c *HandOverConfig) { c.RLS.Features = 0 },
		"Block":    func(c *HandOverConfig) { c.Newton.Block = 0 },
	} {
		c := handOverConfig(10, 1)
		change(&c)
		if _, err := NewHandOver(c); err == nil || !contains(err.Error(), field) {
			t.Errorf("bad %s: error %v does not name it", field, err)
		}
	}
}
