package scoring

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval/snapshot"
)

// results are all that a scorer says after a sample.
func results(s *Scorer, y []float64) string {
	text := ""
	inside := make([]float64, s.c.Dim)
	for k := range s.c.Horizons {
		s.InsideTo(inside, k, y)
		text += fmt.Sprint(s.Errors(k), s.Loss(k), inside)
		for v := All; v < s.c.Dim; v++ {
			text += fmt.Sprint(s.Running(v, k), s.Windowed(v, k))
		}
	}
	mse, nmse := MeanErrors([]*Scorer{s})
	return text + fmt.Sprint(mse, nmse)
}

// TestScorerWithEverything: a scorer with a window, intervals, joint regions, a scale and mean errors says the same after
// a restart in any sample, and the same as one without a scale whose samples were scaled. The factors are powers of two, so
// that no number is rounded.
func TestScorerWithEverything(t *testing.T) {
	const dim, longest = 2, 5
	scale := []float64{4, .5}
	config := ScorerConfig{Dim: dim, Horizons: []int{1, 3, longest}, Window: 24, Level: .9, Joint: true, Scale: scale, MeanTo: longest}
	plain := config
	plain.Scale = nil
	a, b := NewScorer(config), NewScorer(plain)
	rng := rand.New(rand.NewPCG(5, 6))
	row := func(n int) (x, scaled []float64) {
		for i := range n {
			x = append(x, rng.NormFloat64())
			scaled = append(scaled, x[i]*scale[i%dim])
		}
		return x, scaled
	}
	for i := range 100 {
		y, scaled := row(dim)
		if i%17 == 5 {
			y[1], scaled[1] = math.NaN(), math.NaN()
		}
		skip := i > 10 && i%13 == 0
		enc := snapshot.NewEncoder(nil)
		a.State(enc)
		a = NewScorer(config)
		dec := snapshot.NewDecoder(enc.Bytes())
		a.State(dec)
		if err := dec.Finish(); err != nil {
			t.Fatal(err)
		}
		if skip {
			a.Skip(y)
			b.Skip(scaled)
		} else {
			a.Observe(y)
			b.Observe(scaled)
		}
		if got, want := results(a, y), results(b, scaled); got != want {
			t.Fatalf("sample %d: got\n%s\nwant\n%s", i, got, want)
		}
		var x, s [6][]float64
		for k := range x {
			x[k], s[k] = row(dim * longest)
			for j := range x[k] {
				width := float64(k%2*2-1) * 4 * rng.Float64()
				if k > 1 && k < 6 {
					x[k][j], s[k][j] = x[0][j]+width, s[0][j]+width*scale[j%dim]
				}
			}
		}
		switch i % 7 {
		case 3: // no forecast
		case 5:
			a.Push(x[0], nil, nil, nil)
			b.Push(s[0], nil, nil, nil)
		default:
			a.Push(x[0], x[2], x[3], x[1])
			b.Push(s[0], s[2], s[3], s[1])
			if i%2 == 0 {
				a.PushJoint(x[4], x[5])
				b.PushJoint(s[4], s[5])
			}
		}
	}
	if s := a.Running(All, 1); !(s.Joint > 0 && s.Joint < s.Coverage && s.Coverage < 1 && s.Width > 0) {
		t.Errorf("%+v", s)
	}
	if s := NoScore(); s.N != 0 || s.MSE == s.MSE || s.Coverage == s.Coverage || s.Joint == s.Joint {
		t.Errorf("no score is %+v", s)
	}
}

// TestJointRegions: the share of samples inside all intervals at once, of those that have a region.
func TestJointRegions(t *testing.T) {
	s := NewScorer(ScorerConfig{Dim: 2, Horizons: []int{1}, Joint: true})
	for i, c := range []struct{ low, high []float64 }{
		{[]float64{0, 0}, []float64{2, 2}},                           // both inside
		{[]float64{1, 1}, []float64{1, 1}},                           // on the edge
		{[]float64{0, 1.5}, []float64{2, 2}},                         // the second below
		{[]float64{0, 0}, []float64{.5, 2}},                          // the first above
		{[]float64{math.NaN(), 0}, []float64{0, 2}},                  // no region
		{[]float64{0, math.NaN()}, []float64{2, 2}},                  // no region
		{[]float64{.5, -math.MaxFloat64}, []float64{math.Inf(1), 1}}, // both inside
	} {
		s.Observe([]float64{1, 1})
		s.Push([]float64{1, 1}, nil, nil, nil)
		s.PushJoint(c.low, c.high)
		s.Observe([]float64{1, 1})
		if want := []float64{1, 1, 2. / 3, .5, .5, .5, .6}[i]; math.Abs(s.Running(All, 0).Joint-want) > 1e-15 {
			t.Errorf("after region %d: %v inside, want %v", i, s.Running(All, 0).Joint, want)
		}
	}
}

// TestScorerConfigs: a configuration against its documentation panics.
func TestScorerConfigs(t *testing.T) {
	for _, c := range []struct {
		config ScorerConfig
		want   any // nil: valid
	}{
		{ScorerConfig{Dim: 1, Horizons: []int{1}}, nil},
		{ScorerConfig{Dim: 1, Horizons: []int{1}, Level: .999}, nil},
		{ScorerConfig{Dim: 2, Horizons: []int{1, 2}, Scale: []float64{1, 1}}, nil},
		{ScorerConfig{Horizons: []int{1}}, "scoring: Scorer without variables"},
		{ScorerConfig{Dim: 1}, "scoring: Scorer without horizons"},
		{ScorerConfig{Dim: 1, Horizons: []int{0}}, "scoring: horizons are not ascending positive numbers"},
		{ScorerConfig{Dim: 1, Horizons: []int{2, 2}}, "scoring: horizons are not ascending positive numbers"},
		{ScorerConfig{Dim: 1, Horizons: []int{1}, Window: -1}, "scoring: negative window or horizon"},
		{ScorerConfig{Dim: 1, Horizons: []int{1}, MeanTo: -1}, "scoring: negative window or horizon"},
		{ScorerConfig{Dim: 1, Horizons: []int{1}, Level: 1}, "scoring: level outside [0, 1)"},
		{ScorerConfig{Dim: 1, Horizons: []int{1}, Level: -.1}, "scoring: level outside [0, 1)"},
		{ScorerConfig{Dim: 1, Horizons: []int{1}, Level: math.NaN()}, "scoring: level outside [0, 1)"},
		{ScorerConfig{Dim: 2, Horizons: []int{1}, Scale: []float64{1}}, "scoring: not one scale per variable"},
	} {
		func() {
			defer func() {
				if got := recover(); got != c.want {
					t.Errorf("%+v: %v, want %v", c.config, got, c.want)
				}
			}()
			NewScorer(c.config)
		}()
	}
	s := NewScorer(ScorerConfig{Dim: 2, Horizons: []int{1, 2}})
	for _, at := range [][2]int{{-2, 0}, {2, 0}, {0, -1}, {0, 2}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("variable %d at horizon %d has a score", at[0], at[1])
				}
			}()
			s.Running(at[0], at[1])
		}()
	}
}
