package study

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/internal/config"
)

// turning returns a rotation with noise, and the third of the turn that the last point was in.
func turning(n int) *Series {
	rng := rand.New(rand.NewPCG(3, 4))
	s := &Series{Variables: []string{"x", "y", "third"}}
	x, y := 1., 0.
	for range n {
		third := math.Floor(3 * (math.Atan2(y, x) + math.Pi) / (2*math.Pi + 1e-9))
		x, y = math.Cos(1)*x-math.Sin(1)*y+.1*rng.NormFloat64(), math.Sin(1)*x+math.Cos(1)*y+.1*rng.NormFloat64()
		r := math.Hypot(x, y)
		x, y = x/r, y/r
		s.Rows = append(s.Rows, []float64{x, y, third})
	}
	return s
}

// The third of a turn follows from the last point without an error but near the borders, which
// have a share of a few per cent. The class of the last row, and the most frequent one, are
// wrong as often as counts of the rows say.
func TestClassesFollowFromTheLastRow(t *testing.T) {
	s := turning(800)
	for _, step := range []string{"newton", "plain"} {
		c := fitConfig()
		c.Optimiser.Step, c.Frequencies = step, 40
		f, err := FitFile(c, s, FitOptions{Class: "third", Iterations: 3000}, continues)
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Classes) != 3 || f.Classes[0] != 0 || f.Classes[2] != 2 {
			t.Fatalf("classes %v", f.Classes)
		}
		closed, steps := f.Results[0], f.Results[len(f.Results)-3]
		if !(*closed.TestWrong <= .06) || !(*steps.TestWrong <= .08) || steps.Iterations != 3000 {
			t.Errorf("%s: wrong %g by the closed form, %g by %d iterations", step, *closed.TestWrong, *steps.TestWrong, steps.Iterations)
		}
		same, often := f.Results[len(f.Results)-2], f.Results[len(f.Results)-1]
		train := (len(s.Rows) - 1) * 3 / 4
		counts, changes, misses := make([]int, 3), 0, 0
		for i := 1; i <= train; i++ {
			counts[int(s.Rows[i][2])]++
		}
		best := 0
		for k, n := range counts {
			if n > counts[best] {
				best = k
			}
		}
		for i := train + 1; i < len(s.Rows); i++ {
			if s.Rows[i][2] != s.Rows[i-1][2] {
				changes++
			}
			if int(s.Rows[i][2]) != best {
				misses++
			}
		}
		n := float64(len(s.Rows) - 1 - train)
		if float64(*same.TestWrong) != float64(changes)/n || float64(*often.TestWrong) != float64(misses)/n {
			t.Errorf("wrong %g and %g by the rules, want %d and %d of %g", *same.TestWrong, *often.TestWrong, changes, misses, n)
		}
	}
}

// A class that the training part does not have is always wrong.
func TestUnknownClassIsWrong(t *testing.T) {
	s := turning(400)
	for i := 320; i < len(s.Rows); i++ {
		s.Rows[i][2] = 7
	}
	f, err := FitFile(fitConfig(), s, FitOptions{Class: "third", Iterations: 100}, continues)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range f.Results {
		if !(*r.TestWrong >= .8) || len(f.Classes) != 3 { // 80 of 100 pairs
			t.Errorf("%s: wrong %g, classes %v", r.Method, *r.TestWrong, f.Classes)
		}
	}
}

func TestFitRefuses(t *testing.T) {
	with := func(change func(c *config.Model)) config.Model {
		c := fitConfig()
		change(&c)
		return c
	}
	s := turning(200)
	for _, c := range []struct {
		model config.Model
		class string
		want  string
	}{
		{fitConfig(), "fourth", `no variable "fourth"`},
		{fitConfig(), "x", "more than 100 values"},
		{with(func(c *config.Model) { c.Kernel.Operator.Name = "curl_free" }), "third", "decomposable"},
		{with(func(c *config.Model) { c.Loss.Name = "huber" }), "", "model.loss.name"},
		{with(func(c *config.Model) { c.Optimiser.Warm = 10 }), "", "model.optimiser.warm"},
		{with(func(c *config.Model) { c.Optimiser.Step, c.Optimiser.Manifold = "plain", .1 }), "third", "model.optimiser.manifold"},
		{with(func(c *config.Model) { c.Optimiser.ManifoldBatches = 2 }), "", "model.optimiser.manifold_batches"},
		{with(func(c *config.Model) { c.Optimiser.Step, c.Kernel.Operator.Gamma = "plain", "residuals" }), "", "model.kernel.operator.gamma"},
	} {
		if _, err := FitFile(c.model, s, FitOptions{Class: c.class, Iterations: 10}, continues); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %s", c.class, err, c.want)
		}
	}
	for i := range s.Rows {
		s.Rows[i][2] = 5
	}
	if _, err := FitFile(fitConfig(), s, FitOptions{Class: "third", Iterations: 10}, continues); err == nil || !strings.Contains(err.Error(), "always 5") {
		t.Errorf("a single class: %v", err)
	}
}

// The bounds of chapter 7 hold for independent pairs, and shrink with their number.
func TestGeneralisationBoundsHold(t *testing.T) {
	var last Generalisation
	for _, rows := range []int{100, 400, 1600} {
		rng := rand.New(rand.NewPCG(uint64(rows), 5))
		s := &Series{Variables: []string{"x", "y"}}
		x := []float64{0, 0}
		for range rows {
			s.Rows = append(s.Rows, append([]float64(nil), x...))
			x = []float64{rng.Float64(), rng.Float64()} // independent, so that pairs that do not overlap are
		}
		c := fitConfig()
		c.Kernel.Linear, c.Kernel.Lambda = false, .1
		f, err := FitFile(c, s, FitOptions{Iterations: 10}, continues)
		if err != nil {
			t.Fatal(err)
		}
		b, gap := *f.Bounds, f.Results[0].Test-f.Results[0].Train
		if !(gap <= b.Rademacher) || !(gap <= b.Stability) || !(b.Consistency > b.Rademacher) {
			t.Errorf("%d rows: a gap of %g, bounds %+v", rows, gap, b)
		}
		if last.Rademacher > 0 && (!(b.Rademacher < last.Rademacher) || !(b.Stability < last.Stability)) {
			t.Errorf("%d rows: bounds %+v after %+v", rows, b, last)
		}
		last = b
	}
}
