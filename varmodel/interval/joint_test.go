package interval

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/varmodel"
	"github.com/orffvar/forecaster/varmodel/auto"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

func withJoint(m eval.Model, err error, dim, horizon int, level float64) (eval.Model, error) {
	levels := []float64{level, .5}
	if err == nil {
		m, err = WithIntervals(m, Config{Dim: dim, Horizon: horizon, Levels: levels})
	}
	if err == nil {
		m, err = WithJoint(m, JointConfig{Dim: dim, Horizon: horizon, Levels: levels})
	}
	return m, err
}

// The region holds its level however the errors of the coordinates depend on one
// another, and with heavy tails; that of a single interval a coordinate would not.
// Of 6000 samples the standard deviation of the share inside is 0.005; overlapping
// horizons have fewer independent ones.
func TestJointCoverage(t *testing.T) {
	const d, horizon, n = 6, 4, 7000
	for _, c := range []struct {
		name         string
		common, tail float64
	}{{"independent", 0, 0}, {"dependent", .9, 0}, {"heavy tails", .5, 4}} {
		r := rand.New(rand.NewPCG(3, 61))
		x := make([][]float64, n)
		state := make([]float64, d)
		for i := range x {
			shared := r.NormFloat64()
			scale := 1.0
			if c.tail > 0 { // Student's t
				var chi float64
				for range int(c.tail) {
					z := r.NormFloat64()
					chi += z * z / c.tail
				}
				scale = 1 / math.Sqrt(chi)
			}
			x[i] = make([]float64, d)
			for j := range state {
				state[j] = .5*state[j] + scale*(c.common*shared+math.Sqrt(1-c.common*c.common)*r.NormFloat64())
				x[i][j] = state[j]
			}
		}
		for _, level := range []float64{.9, .5} {
			v, err := varmodel.NewVAR(varmodel.VARConfig{Dim: d, Order: 1, Horizon: horizon})
			m, err := withJoint(v, err, d, horizon, level)
			if err != nil {
				t.Fatal(err)
			}
			data := &scoring.Dataset{Variables: make([]string, d), Series: []scoring.Series{{Rows: x}}}
			res, err := scoring.Prequential(m, data, scoring.Options{Horizon: horizon, Levels: []float64{level, .5}, From: 1000, Joint: true})
			if err != nil {
				t.Fatal(err)
			}
			one, last := res.Score(scoring.All, 0), res.Score(scoring.All, horizon-1)
			t.Logf("%s, level %.1f: inside the region %.3f and %.3f, each in its interval %.3f", c.name, level, one.Joint, last.Joint, one.Coverage)
			if !(math.Abs(one.Joint-level) <= .015) || !(math.Abs(last.Joint-level) <= .02) {
				t.Errorf("%s, level %.1f: %.3f and %.3f", c.name, level, one.Joint, last.Joint)
			}
		}
	}
}

// The region waits for errors of a coordinate that has moved; then exact forecasts count, too. Persistence is exact in every
// other row.
func TestJointWaitsForACoordinateThatMoves(t *testing.T) {
	const rest = 100
	p, err := varmodel.NewPersistence(varmodel.PersistenceConfig{Dim: 1, Horizon: 1})
	m, err := withJoint(p, err, 1, 1, .9)
	if err != nil {
		t.Fatal(err)
	}
	f := m.NewSeries()
	for i := range rest + 2*jointAfter {
		y := 5.
		if i >= rest {
			y = float64((i - rest) / 2 % 2)
		}
		if err := f.Observe([]float64{y}); err != nil {
			t.Fatal(err)
		}
		if ok := modeltest.As[eval.JointBounder](t, f).JointTo(make([]float64, 1), make([]float64, 1)); ok != (i-rest+1 >= jointAfter) {
			t.Fatalf("a region %v after %d rows that move", ok, i-rest+1)
		}
	}
}

// The region of the default model on the nine series, after the first fifth.
func TestProtocolJoint(t *testing.T) {
	modeltest.Measuring(t)
	for _, name := range modeltest.Nine {
		p := modeltest.LoadB(t, name)
		d := len(p.Sd)
		a, err := auto.New(auto.Config{Dim: d, Horizon: 12})
		m, err := withJoint(a, err, d, 12, .9)
		if err != nil {
			t.Fatal(err)
		}
		data := &scoring.Dataset{Variables: make([]string, d), Series: []scoring.Series{{Rows: p.X}}}
		res, err := scoring.Prequential(m, data, scoring.Options{
			Horizon: 12, Horizons: []int{1, 12}, Levels: []float64{.9, .5}, From: len(p.X) / 5, Joint: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		one, last := res.Score(scoring.All, 0), res.Score(scoring.All, 1)
		t.Logf("%-16s %2d variables: inside at 1 %.3f, at 12 %.3f (coverage of each interval %.3f, %.3f)", name, d, one.Joint, last.Joint, one.Coverage, last.Coverage)
		if len(p.X) > 2000 && (!(math.Abs(one.Joint-.9) <= .02) || !(math.Abs(last.Joint-.9) <= .03)) {
			t.Errorf("%s: %.3f and %.3f", name, one.Joint, last.Joint)
		}
	}
}
