package auto

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/orffvar/forecaster/eval"
)

// hostile is a stream of seven coordinates that has everything that sensors do:
// a constant, levels that jump, outliers of a million, a value that sticks,
// nonlinear dependence, tiny numbers with bursts, a large offset, and blocks of
// missing samples. clean marks the rows whose errors count.
type hostile struct {
	rng               *rand.Rand
	t                 int
	x                 [7]float64
	jump, stuck       float64
	stuckFor, missing int
	dirty             int // rows for which the last disturbance is among the lags
}

func (s *hostile) Next() (y []float64, clean bool) {
	r := s.rng
	n := func() float64 { return r.NormFloat64() }
	p := s.x
	s.x[0] = 3.7
	s.x[1] = .9*p[1] + n()
	s.x[2] = 3*math.Sin(.2*float64(s.t)) + .3*n()
	s.x[3] = .8*p[3] + n()
	s.x[4] = .5*p[4] + math.Tanh(1.5*p[1]) + .2*n()
	burst := 1.0
	if r.Float64() < 1e-3 {
		burst = 50
	}
	s.x[5] = .8*p[5] + 1e-6*burst*n()
	s.x[6] = .7*p[6] + n()
	s.t++
	s.dirty--
	if s.t > 500 {
		switch u := r.Float64(); {
		case u < 1e-4:
			s.jump = 100 * n()
			s.dirty = 8
		case u < 4e-4 && s.stuckFor == 0:
			s.stuckFor, s.stuck = 300, s.x[3]
		case u < 5e-4 && s.missing == 0:
			s.missing = 30
		}
	}
	y = append([]float64(nil), s.x[:]...)
	y[1] += s.jump
	y[6] += 1e9
	if s.stuckFor > 0 {
		s.stuckFor--
		y[3] = s.stuck
		s.dirty = max(s.dirty, 8)
	}
	if s.t > 500 && r.Float64() < 2e-4 {
		y[2] = math.Copysign(1e6, n())
		s.dirty = 8
	}
	if s.missing > 0 {
		s.missing--
		for j := range y {
			if j%2 == s.missing%2 || s.missing < 15 {
				y[j] = math.NaN()
			}
		}
		s.dirty = max(s.dirty, 8)
	}
	return y, s.dirty <= 0
}

// Everything stays finite, and on clean rows the mixture is at most 5 % worse
// than the best expert of each coordinate. FORECASTER_HOSTILE sets the number
// of samples; 10,000,000 take minutes.
func TestHostileStream(t *testing.T) {
	n := 8_000
	if v := os.Getenv("FORECASTER_HOSTILE"); v != "" {
		var err error
		if n, err = strconv.Atoi(v); err != nil {
			t.Fatal(err)
		}
	}
	const d, H = 7, 1
	s := &hostile{rng: rand.New(rand.NewPCG(13, 14))}
	var names []string // all
	if os.Getenv("FORECASTER_HOSTILE") == "" {
		names = []string{"ar6", "var1", "orff1", "orff3-local", "orff1-mean"}
	}
	f := intervalsAround(t, newAuto(t, Config{Dim: d, Horizon: H, Experts: names}), d, H, []float64{.9}).NewSeries()
	inner := f.(interface{ Unwrap() eval.Forecaster }).Unwrap().(*autoSeries)
	experts := len(inner.Experts())
	sum := make([]float64, d)
	each := make([]float64, d*experts)
	dst, lower, upper := make([]float64, d), make([]float64, d), make([]float64, d)
	for i := range n {
		y, clean := s.Next()
		ok := f.ForecastTo(dst)
		bounded := f.(eval.Bounder).BoundsTo(lower, upper)
		for j := range d {
			if ok && (math.IsNaN(dst[j]) || math.IsInf(dst[j], 0)) || bounded && !(lower[j] <= dst[j] && dst[j] <= upper[j]) {
				t.Fatalf("sample %d, coordinate %d: forecast %v in [%v, %v]", i, j, dst[j], lower[j], upper[j])
			}
			if clean && i > 2000 {
				sum[j] += (y[j] - dst[j]) * (y[j] - dst[j])
				for k := range experts {
					e := y[j] - inner.panel.forecasts[k*d+j]
					each[j*experts+k] += e * e
				}
			}
		}
		if err := f.Observe(y); err != nil {
			t.Fatal(err)
		}
	}
	for j := range d {
		best, name := math.Inf(1), ""
		for k, v := range each[j*experts : (j+1)*experts] {
			if v < best {
				best, name = v, inner.Experts()[k]
			}
		}
		t.Logf("coordinate %d: squared error %.4g, of the best expert, %s, %.4g", j, sum[j], name, best)
		if !(sum[j] <= 1.05*best) {
			t.Errorf("coordinate %d: squared error %g, best expert %s %g", j, sum[j], name, best)
		}
	}
}
