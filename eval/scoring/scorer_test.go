package scoring

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval/snapshot"
)

// A perfect forecaster of a ramp scores exactly 0 at every horizon, with n-h
// scores. This fails when forecasts and targets are misaligned by a step.
func TestRampScoresZeroAtEveryHorizon(t *testing.T) {
	const n, maxH = 20, 5
	s := NewScorer(ScorerConfig{Dim: 1, Horizons: []int{1, 2, 3, 4, 5}, Window: 8})
	yhat := make([]float64, maxH)
	for i := range n {
		s.Observe([]float64{float64(i)})
		for h := 1; h <= maxH; h++ {
			yhat[h-1] = float64(i + h)
		}
		s.Push(yhat, nil, nil, nil)
	}
	for k := range maxH {
		for _, variable := range []int{0, All} {
			got := s.Running(variable, k)
			if got.N != int64(n-k-1) || got.MSE != 0 || got.MAE != 0 || got.SCVSD != 0 || got.NMSE != 0 || got.SkillVsNaive != 1 || got.MASE != 0 {
				t.Errorf("horizon %d, variable %d: %+v, want N = %d and no error", k+1, variable, got, n-k-1)
			}
		}
	}
}

// near fails the test unless got is within tol of want.
func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s = %.15g, want %.15g within %.3g", what, got, want, tol)
	}
}

// The standard error of the windowed mean: known for panes with the means 1 to 8, and for
// dependent errors as large as the spread of the means of many windows.
func TestScorerStandardError(t *testing.T) {
	s := NewScorer(ScorerConfig{Dim: 1, Horizons: []int{1}, Window: 16})
	s.Observe([]float64{0})
	for i := range 15 {
		s.Push([]float64{0}, nil, nil, nil)
		s.Observe([]float64{math.Sqrt(float64(i/2 + 1))})
		if half := i >= 5; math.IsNaN(s.Windowed(0, 0).SCVSE) == half {
			t.Errorf("after %d errors: %v", i+1, s.Windowed(0, 0).SCVSE)
		}
	}
	if !math.IsNaN(s.Running(0, 0).SCVSE) {
		t.Error("a standard error since the beginning")
	}
	s = NewScorer(ScorerConfig{Dim: 1, Horizons: []int{1}, Window: 16})
	for i := range 24 { // one pane without errors, two panes too many
		s.Push([]float64{0}, nil, nil, nil)
		s.Observe([]float64{math.Sqrt(math.Abs(float64(i/2 - 3)))})
	}
	// Means 1 to 8: their standard deviation is sqrt(6), that of their mean sqrt(6/8).
	near(t, "SCVMSE", s.Windowed(All, 0).SCVMSE, 4.5, 1e-13)
	near(t, "SCVSE", s.Windowed(All, 0).SCVSE, math.Sqrt(.75), 1e-13)
	near(t, "SCVSE of a variable", s.Windowed(0, 0).SCVSE, math.Sqrt(.75), 1e-13)

	// Errors that stay for 5 steps, and for 100, as those of horizons of 5 and 100 overlap,
	// longer than the panes of 50: the error of the mean is sqrt(5) and 10 times that of
	// independent ones.
	const windows, length = 400, 400
	for _, stay := range []int{5, 100} {
		rng := rand.New(rand.NewPCG(1, 1))
		var estimated, mean, square float64
		for range windows {
			s := NewScorer(ScorerConfig{Dim: 1, Horizons: []int{stay}, Window: length})
			v := 0.
			for i := range stay + length {
				if (i-stay)%stay == 0 {
					v = rng.NormFloat64()
				}
				s.Observe([]float64{v})
				s.Push(make([]float64, stay), nil, nil, nil)
			}
			w := s.Windowed(All, 0)
			estimated += w.SCVSE * w.SCVSE / windows
			mean += w.SCVMSE / windows
			square += w.SCVMSE * w.SCVMSE / windows
		}
		// 2 is the variance of a squared error. The mean of 400 estimates with 7 degrees of
		// freedom has a relative error of 2.7 %, the variance of 400 means one of 7 %. Of the
		// covariance of two panes that overlap Bartlett's weights leave out a half, a quarter
		// of the variance.
		what, want := fmt.Sprintf("staying for %d, ", stay), 2*float64(stay)/length
		near(t, what+"mean of SCVSE^2", estimated, want, .25*want)
		near(t, what+"variance of the means", square-mean*mean, want, .3*want)
	}

	// Half of the window and more: too few panes are independent.
	for h, want := range map[int]bool{200: true, 201: false} {
		s := NewScorer(ScorerConfig{Dim: 1, Horizons: []int{h}, Window: length})
		for i := range h + length {
			s.Observe([]float64{float64(i % 7)})
			s.Push(make([]float64, h), nil, nil, nil)
		}
		if known := !math.IsNaN(s.Windowed(All, 0).SCVSE); known != want {
			t.Errorf("horizon %d of a window of %d: known %v", h, length, known)
		}
	}
}

// A small series worked out by hand: two variables, one cell missing.
func TestScorerClosedForm(t *testing.T) {
	nan := math.NaN()
	s := NewScorer(ScorerConfig{Dim: 2, Horizons: []int{1}, Level: .8})
	rows := [][]float64{{0, 10}, {1, nan}, {3, 30}, {4, 20}}
	for i, y := range rows {
		s.Observe(y)
		f := []float64{y[0], 20} // persistence; a constant
		lo := []float64{y[0] - 1.5, 15}
		hi := []float64{y[0] + 1.5, 25}
		ref := []float64{y[0] + 1, 20}
		if i == 0 {
			ref = nil
		}
		s.Push(f, lo, hi, ref)
	}
	// First variable: targets 1, 3, 4; errors 1, 2, 1.
	a := s.Running(0, 0)
	near(t, "MSE", a.MSE, 2, 1e-15)
	near(t, "RMSE", a.RMSE, math.Sqrt2, 1e-15)
	near(t, "MAE", a.MAE, 4./3, 1e-15)
	near(t, "NMSE", a.NMSE, 6/(14./3), 1e-15)
	near(t, "MASE", a.MASE, 1, 0)
	near(t, "SkillVsNaive", a.SkillVsNaive, 0, 0)
	near(t, "SkillVsVAR", a.SkillVsVAR, 1-5./1, 1e-15) // targets 3, 4: own 4 + 1, reference 1 + 0
	near(t, "SCVSD", a.SCVSD, math.Sqrt(2), 1e-15)     // of 1, 4, 1
	near(t, "Coverage", a.Coverage, 2./3, 1e-15)
	near(t, "Width", a.Width, 3, 1e-15)
	// r - lo = 2.5, 3.5, 2.5 at order .1; r - hi = -.5, .5, -.5 at order .9.
	near(t, "Pinball", a.Pinball, ((.25+.05)+(.35+.45)+(.25+.05))/6, 1e-15)

	// Second: targets 30, 20 (one missing); errors 10, 0; persistence, carried
	// forward over the gap, 20 and -10.
	b := s.Running(1, 0)
	if a.N != 3 || b.N != 2 {
		t.Errorf("N = %d, %d, want 3, 2", a.N, b.N)
	}
	near(t, "MSE", b.MSE, 50, 0)
	near(t, "SkillVsNaive", b.SkillVsNaive, 1-100./500, 1e-15)
	near(t, "MASE", b.MASE, 10./30, 1e-15)
	near(t, "Coverage", b.Coverage, .5, 0)

	// Over all: e = 1, (4+100)/2, (1+0)/2.
	all := s.Running(All, 0)
	if all.N != 3 {
		t.Errorf("N over all = %d, want 3", all.N)
	}
	near(t, "SCVMSE", all.SCVMSE, 53.5/3, 1e-13)
	near(t, "SCVSD", all.SCVSD, math.Sqrt((1+52*52+.25)/3-53.5*53.5/9), 1e-13)
	near(t, "NMSE", all.NMSE, (6/(14./3)+100./50)/2, 1e-15)
	near(t, "SkillVsNaive", all.SkillVsNaive, 1-(9./7+2)/(9./7+10), 1e-15)
	// Means over the targets 3, 4 and 30, 20, which had a reference, over the variances 14/9
	// and 25 of all targets: own 5/2 and 50, reference 1/2 and 50.
	near(t, "SkillVsVAR", all.SkillVsVAR, 1-(45./28+2)/(9./28+2), 1e-15)
	near(t, "Coverage", all.Coverage, 3./5, 1e-15)
}

func TestScorerUndefinedIsNaN(t *testing.T) {
	s := NewScorer(ScorerConfig{Dim: 1, Horizons: []int{1}})
	for _, variable := range []int{0, All} {
		got := s.Running(variable, 0)
		if got.N != 0 {
			t.Errorf("N = %d before any sample", got.N)
		}
		for _, v := range []float64{got.MSE, got.RMSE, got.MAE, got.NMSE, got.MASE, got.SkillVsNaive, got.SkillVsVAR, got.SCVMSE, got.SCVSD, got.Coverage, got.Width, got.Pinball} {
			if !math.IsNaN(v) {
				t.Errorf("%+v before any sample, want NaN", got)
				break
			}
		}
	}
}

// A coordinate that was never seen is not scored when it first appears; a step
// without Push has no scores later.
func TestScorerSkipsWhatCouldNotBeForecast(t *testing.T) {
	nan := math.NaN()
	s := NewScorer(ScorerConfig{Dim: 2, Horizons: []int{1}})
	f := []float64{0, 0}
	for i, y := range [][]float64{{1, nan}, {1, 5}, {1, 5}, {1, 5}} {
		s.Observe(y)
		if i != 1 {
			s.Push(f, nil, nil, nil)
		}
	}
	if a, b, all := s.Running(0, 0).N, s.Running(1, 0).N, s.Running(All, 0).N; a != 2 || b != 1 || all != 2 {
		t.Errorf("N = %d, %d, all %d, want 2, 1, 2", a, b, all)
	}
	if e := s.Errors(0); e[0] != 1 || e[1] != 5 {
		t.Errorf("Errors = %v, want [1 5]", e)
	}
}

// noisyScorer runs a scorer over a fixed series from step from to step to.
func noisyScorer(s *Scorer, from, to int) {
	d := s.c.Dim
	h := s.c.Horizons[len(s.c.Horizons)-1]
	f, lo, hi, ref := make([]float64, h*d), make([]float64, h*d), make([]float64, h*d), make([]float64, h*d)
	y := make([]float64, d)
	for t := from; t < to; t++ {
		for j := range y {
			y[j] = math.Sin(float64(t*(j+1))) + float64(j)
			if (t+j)%7 == 0 {
				y[j] = math.NaN()
			}
		}
		s.Observe(y)
		for i := range f {
			f[i] = math.Cos(float64(t + i))
			lo[i], hi[i], ref[i] = f[i]-1, f[i]+1, f[i]/2
		}
		if t%5 != 0 {
			s.Push(f, lo, hi, ref)
		}
	}
}

// The window holds the last samples, between 7/8 of it and all of it.
func TestScorerWindow(t *testing.T) {
	const w = 80
	c := ScorerConfig{Dim: 2, Horizons: []int{1, 4}, Window: w, Level: .9}
	for _, n := range []int{40, 80, 81, 85, 90, 91, 243, 1000} {
		s := NewScorer(c)
		noisyScorer(s, 0, n)
		held := (n-1)%(w/8) + 1 + 7*w/8
		first := max(0, n-held)
		c := c
		c.Window = 0
		want := NewScorer(c)
		noisyScorer(want, max(0, first-20), first) // for pending forecasts and the last values
		want.total.clear()
		want.panes[0].clear()
		noisyScorer(want, first, n)
		for k := range 2 {
			for _, v := range []int{0, 1, All} {
				got, want := s.Windowed(v, k), want.Running(v, k)
				if got.N != want.N {
					t.Fatalf("n = %d, variable %d, horizon %d: N = %d, want %d", n, v, k, got.N, want.N)
				}
				near(t, "MSE", got.MSE, want.MSE, 1e-12)
				near(t, "NMSE", got.NMSE, want.NMSE, 1e-12)
				near(t, "SkillVsNaive", got.SkillVsNaive, want.SkillVsNaive, 1e-12)
				near(t, "SkillVsVAR", got.SkillVsVAR, want.SkillVsVAR, 1e-12)
				near(t, "Coverage", got.Coverage, want.Coverage, 1e-12)
			}
		}
	}
}

// How samples are parted into panes does not change the running score by more
// than the rounding of a few hundred additions.
func TestScorerRunningDoesNotDependOnWindow(t *testing.T) {
	a := NewScorer(ScorerConfig{Dim: 3, Horizons: []int{1, 3}, Level: .9})
	b := NewScorer(ScorerConfig{Dim: 3, Horizons: []int{1, 3}, Level: .9, Window: 16})
	noisyScorer(a, 0, 300)
	noisyScorer(b, 0, 300)
	for k := range 2 {
		for v := All; v < 3; v++ {
			x, y := a.Running(v, k), b.Running(v, k)
			if x.N != y.N {
				t.Fatalf("N = %d and %d", x.N, y.N)
			}
			near(t, "MSE", x.MSE, y.MSE, 1e-13)
			near(t, "NMSE", x.NMSE, y.NMSE, 1e-13)
			near(t, "SCVSD", x.SCVSD, y.SCVSD, 1e-13)
		}
	}
}

// The scores of one horizon do not depend on which others are scored.
func TestScorerHorizonsAreIndependent(t *testing.T) {
	a := NewScorer(ScorerConfig{Dim: 2, Horizons: []int{3}})
	b := NewScorer(ScorerConfig{Dim: 2, Horizons: []int{1, 3, 5}})
	noisyScorer(a, 0, 200)
	noisyScorer(b, 0, 200)
	if x, y := a.Running(All, 0), b.Running(All, 1); x.MSE != y.MSE || x.N != y.N || x.MASE != y.MASE {
		t.Errorf("%+v and %+v", x, y)
	}
}

func TestScorerState(t *testing.T) {
	c := ScorerConfig{Dim: 2, Horizons: []int{1, 4, 6}, Window: 40, Level: .9}
	for _, cut := range []int{0, 1, 3, 39, 40, 41, 123} {
		whole := NewScorer(c)
		noisyScorer(whole, 0, cut)
		enc := snapshot.NewEncoder(nil)
		whole.State(enc)
		restored := NewScorer(c)
		dec := snapshot.NewDecoder(enc.Bytes())
		restored.State(dec)
		if err := dec.Finish(); err != nil {
			t.Fatal(err)
		}
		noisyScorer(whole, cut, cut+100)
		noisyScorer(restored, cut, cut+100)
		a, b := snapshot.NewEncoder(nil), snapshot.NewEncoder(nil)
		whole.State(a)
		restored.State(b)
		if string(a.Bytes()) != string(b.Bytes()) {
			t.Errorf("restored at %d, the continuation differs", cut)
		}
	}
}

func TestScorerRefusesForeignState(t *testing.T) {
	enc := snapshot.NewEncoder(nil)
	NewScorer(ScorerConfig{Dim: 2, Horizons: []int{1}}).State(enc)
	for _, c := range []struct {
		name  string
		state []byte
		dim   int
	}{
		{"of two variables for three", enc.Bytes(), 3},
		{"of another part", bytes.Replace(enc.Bytes(), []byte("scorer"), []byte("sorter"), 1), 2},
	} {
		dec := snapshot.NewDecoder(c.state)
		NewScorer(ScorerConfig{Dim: c.dim, Horizons: []int{1}}).State(dec)
		if dec.Finish() == nil {
			t.Errorf("a state %s was accepted", c.name)
		}
	}
}

// Whatever bytes are restored, nothing panics then or later.
func FuzzScorerState(f *testing.F) {
	c := ScorerConfig{Dim: 1, Horizons: []int{1, 2}, Window: 8, Level: .9}
	s := NewScorer(c)
	noisyScorer(s, 0, 20)
	enc := snapshot.NewEncoder(nil)
	s.State(enc)
	f.Add(enc.Bytes())
	f.Add(enc.Bytes()[:40])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, state []byte) {
		s := NewScorer(c)
		dec := snapshot.NewDecoder(state)
		s.State(dec)
		noisyScorer(s, 0, 10)
		s.Windowed(All, 1)
	})
}

func TestScorerDoesNotAllocate(t *testing.T) {
	s := NewScorer(ScorerConfig{Dim: 4, Horizons: []int{1, 6, 24}, Window: 50, Level: .9})
	y, f := make([]float64, 4), make([]float64, 24*4)
	if n := testing.AllocsPerRun(200, func() {
		s.Observe(y)
		s.Push(f, f, f, f)
	}); n != 0 {
		t.Errorf("%v allocations per step", n)
	}
}

// The mean of InsideTo over all samples is the coverage, with a scale and a missing value.
func TestScorerInside(t *testing.T) {
	s := NewScorer(ScorerConfig{Dim: 2, Horizons: []int{1, 3}, Level: .9, Scale: []float64{2, .5}})
	var inside, scored [2]float64
	dst := make([]float64, 2)
	for i := range 50 {
		y := []float64{float64(i * i % 7), float64(i % 5)}
		if i == 20 {
			y[1] = math.NaN()
		}
		s.Observe(y)
		for k := range 2 {
			s.InsideTo(dst, k, y)
			for _, v := range dst {
				if !math.IsNaN(v) {
					inside[k] += v
					scored[k]++
				}
			}
		}
		s.Push([]float64{3, 2, 3, 2, 3, 2}, []float64{1, 1, 0, 1, 2, 1}, []float64{4, 3, 5, 3, 4, 3}, nil)
	}
	for k := range 2 {
		score := s.Running(All, k)
		if got := inside[k] / scored[k]; !(math.Abs(got-score.Coverage) <= 1e-12) || got == 0 || got == 1 {
			t.Errorf("horizon %d: %v inside, coverage %v", k, got, score.Coverage)
		}
	}
}

// The mean errors over the horizons 1 to H are those of a Scorer with all these horizons, with
// missing values, steps without a forecast and a scale, of two series together and after a restore.
func TestScorerMeanErrors(t *testing.T) {
	const H = 5
	config := ScorerConfig{Dim: 4, Horizons: []int{H}, Scale: []float64{1, 3, .5, 2}, MeanTo: H}
	every := config
	every.Horizons, every.MeanTo = []int{1, 2, 3, 4, 5}, 0
	var brief, whole []*Scorer
	for _, from := range []int{7, 48} { // a variable is missing there
		a, b := NewScorer(config), NewScorer(every)
		noisyScorer(a, from, from+20)
		enc := snapshot.NewEncoder(nil)
		a.State(enc)
		a = NewScorer(config)
		a.State(snapshot.NewDecoder(enc.Bytes()))
		noisyScorer(a, from+20, from+35)
		noisyScorer(b, from, from+35)
		brief, whole = append(brief, a), append(whole, b)
	}
	var wantMSE, wantNMSE float64
	for k := range H {
		score := Pool(whole, k)
		wantMSE += score.MSE / H
		wantNMSE += score.NMSE / H
	}
	if mse, nmse := MeanErrors(brief); mse != wantMSE || nmse != wantNMSE || !(mse > 0 && nmse > 0) {
		t.Errorf("mean errors %v and %v, want %v and %v", mse, nmse, wantMSE, wantNMSE)
	}
}
