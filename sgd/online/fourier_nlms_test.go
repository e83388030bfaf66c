package online

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
)

// fourierShapes: some keep a few steps back, the last one many (W and Theta have
// 73 KB).
var fourierShapes = []struct{ inputs, frequencies, given, outputs, limit int }{
	{3, 21, 4, 2, fewSteps},
	{9, 50, 0, 9, fewSteps},
	{30, 100, 31, 31, manySteps},
}

func newTestFourierNLMS(t *testing.T, rng *rand.Rand, i int) (l *FourierNLMS, cfg FourierNLMSConfig) {
	t.Helper()
	s := fourierShapes[i]
	cfg = FourierNLMSConfig{
		Inputs: s.inputs, Frequencies: randomVector(rng, s.inputs*s.frequencies), Given: s.given, Outputs: s.outputs, Step: .7,
	}
	vec.Scale(.1, cfg.Frequencies)
	l, err := NewFourierNLMS(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return l, cfg
}

// nlms is the learner by its definition: Theta <- Theta + mu e phi^T / ||phi||^2.
type nlms struct {
	step  float64
	theta []float64 // outputs x features
}

func (l *nlms) predictTo(y, phi []float64) { vec.MatVec(y, l.theta, phi) }

func (l *nlms) update(phi, e []float64) {
	vec.AddOuter(l.theta, l.step/(1e-6+vec.Dot(phi, phi)), e, phi)
}

// The learner is NLMS on the features, up to rounding: the errors of a few
// hundred steps with weights of size one.
func TestFourierNLMSIsNLMS(t *testing.T) {
	const tol = 1e-12
	for i, s := range fourierShapes {
		rng := rand.New(rand.NewPCG(21, uint64(i)))
		l, cfg := newTestFourierNLMS(t, rng, i)
		if l.limit != s.limit {
			t.Errorf("shape %d keeps %d steps back, want %d", i, l.limit, s.limit)
		}
		n := s.given + 2*s.frequencies
		ref := &nlms{step: cfg.Step, theta: make([]float64, s.outputs*n)}
		phi, y, got, want := make([]float64, n), make([]float64, s.outputs), make([]float64, s.outputs), make([]float64, s.outputs)
		for step := range 100 {
			given, x := randomVector(rng, s.given), randomVector(rng, s.inputs)
			copy(phi, given)
			if step < 10 {
				// No random features yet.
				x = nil
				clear(phi[s.given:])
			} else {
				vec.Features(phi[s.given:], cfg.Frequencies, x, 1)
			}
			ref.predictTo(want, phi)
			l.PredictTo(got, given, x)
			for o := range got {
				if !(math.Abs(got[o]-want[o]) <= tol) {
					t.Fatalf("shape %d, step %d: prediction %v, NLMS has %v", i, step, got[o], want[o])
				}
				y[o] = math.Sin(float64(step+o)) - got[o]
			}
			l.Update(y)
			ref.update(phi, y)
		}
		theta := make([]float64, s.outputs*n)
		l.WeightsTo(theta)
		for k, v := range ref.theta {
			if !(math.Abs(theta[k]-v) <= tol) {
				t.Fatalf("shape %d: weight %d is %v, NLMS has %v", i, k, theta[k], v)
			}
		}
	}
}

// Neither a snapshot nor a prediction on the way changes a bit.
func TestFourierNLMSStateDoesNotShow(t *testing.T) {
	for i, s := range fourierShapes {
		a, cfg := newTestFourierNLMS(t, rand.New(rand.NewPCG(22, uint64(i))), i)
		b, _ := NewFourierNLMS(cfg)
		rng := rand.New(rand.NewPCG(23, uint64(i)))
		ya, yb := make([]float64, s.outputs), make([]float64, s.outputs)
		for step := range 50 {
			if step%7 == 3 || step%5 == 2 {
				e := snapshot.NewEncoder(nil)
				b.State(e)
				c, _ := NewFourierNLMS(cfg)
				d := snapshot.NewDecoder(e.Bytes())
				c.State(d)
				if err := d.Finish(); err != nil {
					t.Fatal(err)
				}
				b = c
			}
			given, x := randomVector(rng, s.given), randomVector(rng, s.inputs)
			if step%3 == 0 {
				b.PredictTo(yb, given, randomVector(rand.New(rand.NewPCG(1, 1)), s.inputs))
			}
			a.PredictTo(ya, given, x)
			b.PredictTo(yb, given, x)
			for o := range ya {
				if ya[o] != yb[o] {
					t.Fatalf("shape %d, step %d: %v, interrupted %v", i, step, ya[o], yb[o])
				}
				ya[o] = x[0] - ya[o]
			}
			a.Update(ya)
			b.Update(ya)
		}
	}
}

// A step of size mu leaves the fraction 1-mu of the error of the same sample.
func TestFourierNLMSStepShrinksTheError(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for _, mu := range []float64{.05, 1, 1.9} {
		l, err := NewFourierNLMS(FourierNLMSConfig{Inputs: 3, Frequencies: randomVector(rng, 3*20), Given: 4, Outputs: 2, Step: mu})
		if err != nil {
			t.Fatal(err)
		}
		for range 100 {
			given, x, before, after := randomVector(rng, 4), randomVector(rng, 3), make([]float64, 2), make([]float64, 2)
			y := randomVector(rng, 2)
			l.PredictTo(before, given, x)
			for o := range y {
				before[o] = y[o] - before[o]
			}
			l.Update(before)
			l.PredictTo(after, given, x)
			for o := range y {
				// 1e-6 is added to the squared norm, which is about 24.
				if got, want := y[o]-after[o], (1-mu)*before[o]; !(math.Abs(got-want) <= 1e-6*(1+math.Abs(before[o]))) {
					t.Fatalf("mu %g: error %g -> %g, want %g", mu, before[o], got, want)
				}
			}
		}
	}
}

func TestFourierNLMSDoesNotAllocate(t *testing.T) {
	for i, s := range fourierShapes {
		l, _ := newTestFourierNLMS(t, rand.New(rand.NewPCG(24, 24)), i)
		given, x, y := make([]float64, s.given), make([]float64, s.inputs), make([]float64, s.outputs)
		if n := testing.AllocsPerRun(50, func() {
			l.PredictTo(y, given, x)
			l.Update(y)
		}); n != 0 {
			t.Errorf("shape %d: %g allocations", i, n)
		}
	}
}

func TestFourierNLMSConfigErrors(t *testing.T) {
	for field, c := range map[string]FourierNLMSConfig{
		"Inputs":      {Outputs: 1, Step: 1},
		"Frequencies": {Inputs: 2, Frequencies: make([]float64, 3), Outputs: 1, Step: 1},
		"Given":       {Inputs: 1, Frequencies: []float64{1}, Given: -1, Outputs: 1, Step: 1},
		"Outputs":     {Inputs: 1, Frequencies: []float64{1}, Step: 1},
		"Step":        {Inputs: 1, Frequencies: []float64{1}, Outputs: 1, Step: 2},
	} {
		if _, err := NewFourierNLMS(c); err == nil || !contains(err.Error(), field) {
			t.Errorf("bad %s: error %v does not name it", field, err)
		}
	}
}
