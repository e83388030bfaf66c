package sgd

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/internal/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
)

// fourierShapes: some keep a few steps back, the last one many (W and Theta have
// 73 KB).
var fourierShapes = []struct{ inputs, frequencies, given, outputs, limit int }{
	{3, 21, 4, 2, fewSteps},
	{9, 50, 0, 9, fewSteps},
	{30, 100, 31, 31, manySteps},
}

func newTestFourier[T vec.Float](t *testing.T, rng *rand.Rand, i int) (l *Fourier[T], cfg FourierConfig) {
	t.Helper()
	s := fourierShapes[i]
	cfg = FourierConfig{
		Inputs: s.inputs, Frequencies: randomVector(rng, s.inputs*s.frequencies), Given: s.given, Outputs: s.outputs, Step: .7,
	}
	vec.Scale(.1, cfg.Frequencies)
	l, err := NewFourier[T](cfg)
	if err != nil {
		t.Fatal(err)
	}
	return l, cfg
}

// The learner is NLMS on the features, up to rounding: the errors of a few
// hundred steps with weights of size one.
func TestFourierIsNLMS(t *testing.T) {
	t.Run("float64", func(t *testing.T) { testFourierIsNLMS[float64](t, 1e-12) })
	t.Run("float32", func(t *testing.T) { testFourierIsNLMS[float32](t, 2e-4) })
}

func testFourierIsNLMS[T vec.Float](t *testing.T, tol float64) {
	for i, s := range fourierShapes {
		rng := rand.New(rand.NewPCG(21, uint64(i)))
		l, cfg := newTestFourier[T](t, rng, i)
		if _, double := any(l).(*Fourier[float64]); double && l.limit != s.limit {
			t.Errorf("shape %d keeps %d steps back, want %d", i, l.limit, s.limit)
		}
		n := s.given + 2*s.frequencies
		ref, err := NewNLMS(NLMSConfig{Features: n, Outputs: s.outputs, Step: cfg.Step})
		if err != nil {
			t.Fatal(err)
		}
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
			ref.PredictTo(want, phi)
			l.PredictTo(got, given, x)
			for o := range got {
				if math.Abs(got[o]-want[o]) > tol {
					t.Fatalf("shape %d, step %d: prediction %v, NLMS has %v", i, step, got[o], want[o])
				}
				y[o] = math.Sin(float64(step+o)) - got[o]
			}
			l.Update(y)
			ref.Update(phi, y)
		}
		theta := make([]float64, s.outputs*n)
		l.WeightsTo(theta)
		for k, v := range ref.Weights() {
			if math.Abs(theta[k]-v) > tol {
				t.Fatalf("shape %d: weight %d is %v, NLMS has %v", i, k, theta[k], v)
			}
		}
	}
}

// Neither a snapshot nor a prediction on the way changes a bit.
func TestFourierStateDoesNotShow(t *testing.T) {
	t.Run("float64", testFourierState[float64])
	t.Run("float32", testFourierState[float32])
}

func testFourierState[T vec.Float](t *testing.T) {
	for i, s := range fourierShapes {
		a, cfg := newTestFourier[T](t, rand.New(rand.NewPCG(22, uint64(i))), i)
		b, _ := NewFourier[T](cfg)
		rng := rand.New(rand.NewPCG(23, uint64(i)))
		ya, yb := make([]float64, s.outputs), make([]float64, s.outputs)
		for step := range 50 {
			if step%7 == 3 || step%5 == 2 {
				e := snapshot.NewEncoder(nil)
				b.State(e)
				c, _ := NewFourier[T](cfg)
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

func TestFourierDoesNotAllocate(t *testing.T) {
	for i, s := range fourierShapes {
		l, _ := newTestFourier[float32](t, rand.New(rand.NewPCG(24, 24)), i)
		given, x, y := make([]float64, s.given), make([]float64, s.inputs), make([]float64, s.outputs)
		if n := testing.AllocsPerRun(50, func() {
			l.PredictTo(y, given, x)
			l.Update(y)
		}); n != 0 {
			t.Errorf("shape %d: %g allocations", i, n)
		}
	}
}

func TestFourierConfigErrors(t *testing.T) {
	for field, c := range map[string]FourierConfig{
		"Inputs":      {Outputs: 1, Step: 1},
		"Frequencies": {Inputs: 2, Frequencies: make([]float64, 3), Outputs: 1, Step: 1},
		"Given":       {Inputs: 1, Frequencies: []float64{1}, Given: -1, Outputs: 1, Step: 1},
		"Outputs":     {Inputs: 1, Frequencies: []float64{1}, Step: 1},
		"Step":        {Inputs: 1, Frequencies: []float64{1}, Outputs: 1, Step: 2},
	} {
		if _, err := NewFourier[float64](c); err == nil || !contains(err.Error(), field) {
			t.Errorf("bad %s: error %v does not name it", field, err)
		}
	}
}
