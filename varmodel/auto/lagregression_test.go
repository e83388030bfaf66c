package auto

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
	"github.com/orffvar/forecaster/varmodel/series"
)

// lagRegressionOf learns the rows of x one after the other.
func lagRegressionOf(x [][]float64, horizon, season int, observed func(t, j int) bool) (*lagRegression, *series.Scaler) {
	d := len(x[0])
	l, s, seen := newLagRegression(d, horizon, season, new(Workspace)), series.NewScaler(d), make([]bool, d)
	for t, y := range x {
		for j := range seen {
			seen[j] = observed == nil || observed(t, j)
		}
		s.Add(y)
		l.Push(y, seen)
		l.learn(s)
	}
	l.predict(s, func(int) []float64 { return nil })
	return l, s
}

// The inputs at an origin are the differences from its value: of the mean, of block means of
// its lags, which are computed here one by one, and the waves of the season. The rows have
// moved several times by then.
func TestLagRegressionInputs(t *testing.T) {
	const d, rows, season, back = 3, 700, 7, 5
	x := modeltest.RandomSeries(rand.New(rand.NewPCG(51, 52)), rows, d, 0)
	l, s := lagRegressionOf(x, 12, season, nil)
	l.prepare(1, back)
	phi, at := make([]float64, l.stride), rows-1-back
	for j := range d {
		v := x[at][j]
		l.inputsTo(phi, 1, j, v, s)
		want, first := []float64{s.Mean[j] - v}, 1
		for _, edge := range l.edges {
			sum := 0.
			for lag := first; lag <= edge; lag++ {
				sum += x[at-lag][j]
			}
			want = append(want, sum/float64(edge-first+1)-v)
			first = edge + 1
		}
		for k := 1; k <= lagHarmonics; k++ {
			sin, cos := math.Sincos(2 * math.Pi * float64(k*(at+1)) / season) // samples are counted from 1
			want = append(want, s.Steps[j]*sin, s.Steps[j]*cos)
		}
		for i, w := range want {
			if !(math.Abs(phi[i]-w) <= 1e-10) { // rounding of sums of 32 values, and of angles up to 2000
				t.Errorf("coordinate %d, input %d: %v, want %v", j, i, phi[i], w)
			}
		}
		if last := l.edges[len(l.edges)-1]; last != lagReach {
			t.Fatalf("the oldest lag is %d", last)
		}
	}
}

// Waves that never change are forecast at all anchors, and a wave on another level and of another
// size in the same way: nothing but differences in typical increments is learnt.
func TestLagRegressionOfWaves(t *testing.T) {
	const horizon = 48
	wave := func(t int) float64 { return math.Sin(2*math.Pi*float64(t)/31) + .5*math.Cos(2*math.Pi*float64(t)/13) }
	const rows = 3000
	x, shifted := make([][]float64, rows), make([][]float64, rows)
	for i := range x {
		x[i] = []float64{wave(i)}
		shifted[i] = []float64{4096 + 8*wave(i)}
	}
	l, s := lagRegressionOf(x, horizon, 0, nil)
	m, _ := lagRegressionOf(shifted, horizon, 0, nil)
	var steps []int
	for _, g := range l.groups {
		steps = append(steps, g.steps...)
	}
	for _, h := range steps[:slices.Index(steps, horizon)+1] {
		k := h - 1
		want := s.Within(0, wave(rows-1+h), 0)
		if got := l.path[k]; !(math.Abs(got-want) <= .02) { // the ridge; the waves have a variance of .6
			t.Errorf("%d steps ahead: %v, want %v", h, got, want)
		}
		if got := (m.path[k] - 4096) / 8; !(math.Abs(got-l.path[k]) <= 1e-6) { // rounding near 4096, in the equations
			t.Errorf("%d steps ahead, shifted: %v, not %v", h, got, l.path[k])
		}
	}
}

// A coordinate without samples of its own behaves like the others. Here its targets are missing.
func TestLagRegressionSharesWhatIsCommon(t *testing.T) {
	const rows, d = 2000, 3
	rng := rand.New(rand.NewPCG(53, 54))
	x := make([][]float64, rows)
	for i := range x {
		x[i] = make([]float64, d)
		for j := range x[i] {
			if i > 0 {
				x[i][j] = .5 * x[i-1][j]
			}
			x[i][j] += rng.NormFloat64()
		}
	}
	seen := func(t, j int) bool { return j < 2 || t%2 == 0 } // of two neighbours one is missing
	l, s := lagRegressionOf(x, 3, 0, seen)
	if trace := l.groups[0].gram[2].Trace(); trace != 0 {
		t.Errorf("targets that are missing were learnt: %v", trace)
	}
	if trace := l.groups[0].gram[1].Trace(); !(trace > 0) {
		t.Errorf("nothing was learnt: %v", trace)
	}
	// The best forecast two steps ahead is a quarter of the value.
	errors, zero := 0., 0.
	for j := range d {
		want := x[rows-1][j] / 4
		errors += math.Abs(l.path[d+j] - want)
		zero += math.Abs(x[rows-1][j] - want)
	}
	if !(errors <= .25*zero+.1*s.Steps[0]) { // some twenty weights from 4000 origins: a standard error of .07
		t.Errorf("two steps ahead %v, the last values are %v", l.path[d:2*d], x[rows-1])
	}
}

// After a break no origin has targets on both sides of the break, and lags are those of the new run.
func TestLagRegressionAfterABreak(t *testing.T) {
	l := newLagRegression(1, 6, 0, new(Workspace))
	s, seen := series.NewScaler(1), []bool{true}
	push := func(v float64) {
		s.Add([]float64{v})
		l.Push([]float64{v}, seen)
		l.learn(s)
	}
	for i := range 40 {
		push(float64(i % 5))
	}
	g := l.groups[1] // of 5 to 8 steps
	learnt := g.origins
	l.interrupt()
	push(100)
	l.prepare(0, 0)
	phi := make([]float64, l.stride)
	l.inputsTo(phi, 0, 0, 100, s)
	for i, v := range phi[1 : 1+len(l.edges)] {
		if v != 0 {
			t.Errorf("block %d after a break: %v", i, v)
		}
	}
	for range g.last + lagFirst + lagBatch - 2 {
		push(100)
	}
	if g.origins != learnt {
		t.Errorf("%d origins were learnt across a break", g.origins-learnt)
	}
	if push(100); g.origins != learnt+lagBatch {
		t.Errorf("%d origins, want %d", g.origins, learnt+lagBatch)
	}
}

// An old group learns one origin in 1, 1, 2 or 4, with the weight of all: origins are learnt or wait, and the weights are
// a geometric sum.
func TestLagRegressionThinsOrigins(t *testing.T) {
	const rows = 4000
	rng := rand.New(rand.NewPCG(61, 62))
	x, level := make([][]float64, rows), 0.
	for i := range x {
		level = .95*level + rng.NormFloat64()
		x[i] = []float64{level}
	}
	l, _ := lagRegressionOf(x, 32, 0, nil)
	for i, want := range []int{1, 1, 2, 4} {
		g := l.groups[i]
		if g.thin() != want {
			t.Errorf("group of %d steps: one origin in %d, want %d", g.last, g.thin(), want)
		}
		if n := rows - g.last - lagFirst; g.origins+g.waiting != n {
			t.Errorf("group of %d steps: %d origins and %d that wait, want %d together", g.last, g.origins, g.waiting, n)
		}
		// The origins of a batch decay together, so the weight differs by half a batch of forgetting: 32 / 2 * .0002.
		if sum := (1 - math.Pow(lagForget, float64(g.origins))) / (1 - lagForget); !(math.Abs(g.weight/sum-1) <= .0032) {
			t.Errorf("group of %d steps: weight %.1f, want %.1f", g.last, g.weight, sum)
		}
		// The mean square of the first input is that of all origins: AR(.95) has 100 independent values in 4000, and the
		// groups share most origins. Without the weight it would be a half or a quarter.
		first := g.gram[0].At(0, 0) / g.weight
		if all := l.groups[0].gram[0].At(0, 0) / l.groups[0].weight; !(math.Abs(first/all-1) <= .2) {
			t.Errorf("group of %d steps: mean square %.2f, want %.2f", g.last, first, all)
		}
	}
}
