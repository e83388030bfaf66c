package auto

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// pod is a simulated service metric: a day of two peaks and a lunch dip, weekends, days of other height, an
// autoregression, and spikes.
type pod struct {
	peaks, dip, weekend float64 // hour of the peaks after 10:30 and 15:30; hour of the third peak after 20:00; height of weekends
	shift               float64 // hours
	amplitude, unit     float64
	keep, sd            float64 // autoregression of the relative deviation
}

// podOf draws a pod near the fleet.
func podOf(r *rand.Rand, fleet pod, minutes int) pod {
	p := fleet
	p.peaks, p.dip, p.weekend = p.peaks+.2*r.NormFloat64(), p.dip+.2*r.NormFloat64(), p.weekend+.04*r.NormFloat64()
	p.amplitude, p.unit = .5+r.Float64(), math.Pow(10, -2+6*r.Float64())
	p.keep, p.sd = math.Pow(.7+.27*r.Float64(), float64(minutes)/5), .03+.07*r.Float64()
	return p
}

// samples returns n samples from row first of the first week on.
func (p pod) samples(r *rand.Rand, first, n, perDay int) []float64 {
	x, rest, height := make([]float64, n), 0., 1.
	for i := range x {
		row := first + i
		hour := math.Mod(24*float64(row%perDay)/float64(perDay)+p.shift, 24)
		if row%perDay == 0 {
			height = 1 + .03*r.NormFloat64()
		}
		peak := func(at, width float64) float64 { return math.Exp(-(hour - at) * (hour - at) / width / width) }
		v := 1 + p.amplitude*(peak(10.5+p.peaks, 2.5)+.9*peak(15.5+p.peaks, 2.8)+.3*peak(20+p.dip, 2)-.35*peak(12.8, .6))
		if row/perDay%7 >= 5 {
			v *= p.weekend
		}
		rest = p.keep*rest + p.sd*math.Sqrt(1-p.keep*p.keep)*r.NormFloat64()
		v = v*height*(1+rest) + .02*r.NormFloat64()
		if r.Float64() < .002 {
			v += 1.5 * r.ExpFloat64()
		}
		x[i] = v * p.unit
	}
	return x
}

// heirKinds are new series beside four pods of a fleet, by their samples.
var heirKinds = []struct {
	name  string
	limit float64 // of the ratio of errors a quarter of a day ahead in the first day
	make  func(r *rand.Rand, p pod, first, n, perDay int) []float64
}{
	{"a pod like the others", .6, func(r *rand.Rand, p pod, first, n, perDay int) []float64 { return p.samples(r, first, n, perDay) }},
	{"another time zone", 1.3, func(r *rand.Rand, p pod, first, n, perDay int) []float64 {
		p.shift = 24 * r.Float64()
		return p.samples(r, first, n, perDay)
	}},
	{"a tenth of the amplitude", 1.5, func(r *rand.Rand, p pod, first, n, perDay int) []float64 {
		p.amplitude /= 10
		return p.samples(r, first, n, perDay)
	}},
	{"five times the amplitude", .6, func(r *rand.Rand, p pod, first, n, perDay int) []float64 {
		p.amplitude *= 5
		return p.samples(r, first, n, perDay)
	}},
	{"random walk", 1.4, func(r *rand.Rand, _ pod, _, n, _ int) []float64 {
		x := make([]float64, n)
		for i := 1; i < n; i++ {
			x[i] = x[i-1] + .05*r.NormFloat64()
		}
		return x
	}},
	{"white noise", 2.2, func(r *rand.Rand, _ pod, _, n, _ int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = 2 + .3*r.NormFloat64()
		}
		return x
	}},
	{"first sample 20 times too large", 1.1, func(r *rand.Rand, p pod, first, n, perDay int) []float64 {
		x := p.samples(r, first, n, perDay)
		x[0] *= 20
		return x
	}},
}

// TestProtocolHeirs prints the mean absolute errors of new series beside four older pods over those alone, geometric means of
// 24 series, 1 step, a quarter of a day and a day ahead, by the age of the series.
func TestProtocolHeirs(t *testing.T) {
	modeltest.Measuring(t)
	const minutes, perDay, fleets = 60, 24, 12
	const monday = modeltest.FirstOf2026 + 4*daySpan // the weekends of the pods are those of the clock
	horizons, ages := []int{1, perDay / 4, perDay}, []int{1, 2, 3, 7, 14}
	learn := func(s *autoSeries, x []float64, first int, each func(i int)) {
		for i, v := range x {
			s.SetTime(monday + int64(first+i)*minutes*60e9)
			if err := s.Observe([]float64{v}); err != nil {
				t.Fatal(err)
			}
			each(i)
		}
	}
	series := func() *autoSeries { return newAuto(t, Config{Dim: 1, Horizon: perDay}).NewSeries().(*autoSeries) }
	errors := func(s *autoSeries, x []float64, first int) (sums [][3]float64) {
		sums = make([][3]float64, len(ages))
		out, age := make([]float64, perDay), 0
		learn(s, x, first, func(i int) {
			if i < 10 || !s.ForecastTo(out) {
				return
			}
			for i >= ages[age]*perDay {
				age++
			}
			for k, h := range horizons {
				if i+h < len(x) {
					sums[age][k] += math.Abs(out[h-1] - x[i+h])
				}
			}
		})
		return sums
	}
	for _, kind := range heirKinds {
		logs := make([][3]float64, len(ages))
		for seed := range uint64(fleets) {
			r := rand.New(rand.NewPCG(seed, 77))
			fleet := pod{peaks: 2*r.Float64() - 1, dip: 2*r.Float64() - 1, weekend: .4 + .4*r.Float64()}
			first := 22*perDay + r.IntN(7*perDay)
			var older []eval.Forecaster
			for range 4 {
				s := series()
				learn(s, podOf(r, fleet, minutes).samples(r, 0, first, perDay), 0, func(int) {})
				older = append(older, s)
			}
			for range 2 {
				x := kind.make(r, podOf(r, fleet, minutes), first, ages[len(ages)-1]*perDay, perDay)
				heir := series()
				heir.Inherit(older, monday+int64(first)*minutes*60e9)
				with, alone := errors(heir, x, first), errors(series(), x, first)
				for i := range logs {
					for k := range horizons {
						logs[i][k] += math.Log(with[i][k]/alone[i][k]) / (2 * fleets)
					}
				}
			}
		}
		line := ""
		for i, age := range ages {
			line += fmt.Sprintf(" | to day %d:", age)
			for k := range horizons {
				line += fmt.Sprintf(" %.2f", math.Exp(logs[i][k]))
			}
		}
		t.Logf("%-32s%s", kind.name, line)
		if ratio := math.Exp(logs[0][1]); !(ratio < kind.limit) {
			t.Errorf("%s: %.2f of the error alone in the first day", kind.name, ratio)
		}
	}
}
