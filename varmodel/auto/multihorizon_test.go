package auto

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval/snapshot"
)

// The share of a mixture that knows half of the outcome, at the right size, goes to
// 1; of one that exaggerates to its slope; of noise it is 0 nearly always: with one
// standard error subtracted it is positive with probability .16, and small.
func TestShrinkage(t *testing.T) {
	for _, c := range []struct {
		name      string
		size      float64 // of the part of the forecast that is right
		noise     float64
		low, high float64
	}{
		{"right", 1, 0, .9, 1},
		{"twice too large", 2, 0, .45, .55},
		{"noise", 0, 1, 0, .05},
	} {
		const d, every = 3, 10
		rng := rand.New(rand.NewPCG(19, 20))
		m := newMixture(d, 1, every, 0, true, nil)
		for j := range d {
			m.steps.Square[j], m.steps.Count[j] = 1, 1
		}
		s := shrinkage{every: every, errors: 1}
		y, last := make([]float64, d), make([]float64, d)
		for range 200 * every {
			for j := range d {
				known := rng.NormFloat64()
				m.out[j] = c.size*known + c.noise*rng.NormFloat64()
				y[j] = known + rng.NormFloat64()
			}
			s.Observe(m, y, last, last)
		}
		if !(s.factor >= c.low && s.factor <= c.high) {
			t.Errorf("%s: share %.3f, want %g to %g", c.name, s.factor, c.low, c.high)
		}
	}
}

// A random walk has nothing to learn. Over eight walks of five variables the loss against persistence is .1 % at 24
// steps after the first quarter, with a standard deviation of .2 % from walk to walk: the limit is three standard
// errors of the mean above.
func TestHorizonsOfARandomWalk(t *testing.T) {
	const rows, d, H, walks = 1000, 5, 24, 8
	var loss float64
	for seed := range uint64(walks) {
		rng := rand.New(rand.NewPCG(seed, 77))
		s := newAuto(t, Config{Dim: d, Horizon: H}).NewSeries()
		walk, forecast := make([]float64, rows*d), make([]float64, H*d)
		for i := d; i < len(walk); i++ {
			walk[i] = walk[i-d] + rng.NormFloat64()
		}
		var got, base float64
		for i := range rows - H {
			x, target := walk[i*d:][:d], walk[(i+H)*d:][:d]
			if err := s.Observe(x); err != nil {
				t.Fatal(err)
			}
			if s.ForecastTo(forecast); i < rows/4 {
				continue
			}
			for j, v := range target {
				got += math.Pow(v-forecast[(H-1)*d+j], 2)
				base += math.Pow(v-x[j], 2)
			}
		}
		loss += (got/base - 1) / walks
	}
	if !(loss <= .003) {
		t.Errorf("a loss of %.4f", loss)
	}
}

// A horizon without terms takes the shrinkage of the shorter horizons. A horizon with many terms has its own.
func TestShrinkageOfShorterHorizons(t *testing.T) {
	o := &multihorizon{anchors: make([]anchor, 3)}
	o.anchors[0].shrinkage = shrinkage{terms: 1e9, factor: .8}
	o.anchors[1].shrinkage = shrinkage{terms: shorterTerms, factor: .4}
	o.shrink()
	for k, want := range []float64{.8, .6, .6} {
		if got := o.anchors[k].factor; !(math.Abs(got-want) <= 1e-6) {
			t.Errorf("anchor %d: %v, want %v", k, got, want)
		}
	}
}

// The target of a long horizon is the sample without the season of the target: when both are
// larger by 8, the same is learnt. Samples are small integers, so differences are exact.
func TestLongHorizonsLearnTheRemainder(t *testing.T) {
	learnt := func(season float64, learn bool) []byte {
		m := newAuto(t, Config{Dim: 2, Horizon: 6}).(*auto)
		s := m.NewSeries().(*autoSeries)
		rng := rand.New(rand.NewPCG(1, 2))
		for range 200 {
			if err := s.Observe([]float64{float64(rng.IntN(9)), float64(rng.IntN(5))}); err != nil {
				t.Fatal(err)
			}
		}
		o := s.multihorizon
		for _, a := range o.anchors {
			for i := range a.origins {
				for j := range a.origins[i].season {
					a.origins[i].season[j] = season
				}
			}
		}
		if learn {
			o.learn(s, &outcome{sample: []float64{3 + season, 1 + season}})
		}
		c := snapshot.NewEncoder(nil)
		for k := range o.anchors {
			o.anchors[k].mixture.State(c)
			o.anchors[k].shrinkage.State(c)
		}
		m.direct.State(c)
		return c.Bytes()
	}
	want := learnt(0, true)
	if !bytes.Equal(learnt(8, true), want) {
		t.Error("a season of the target changes the learnt state")
	}
	if bytes.Equal(learnt(0, false), want) {
		t.Error("nothing is learnt")
	}
}
