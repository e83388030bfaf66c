package simulate

import (
	"math"
	"math/rand/v2"

	"github.com/orffvar/forecaster/eval/scoring"
)

// Kind is a nature of series, such as random walks or hourly loads.
type Kind struct {
	Name  string
	Dim   int // number of variables
	Rows  int
	Hours int // hours between two rows; 0: no time stamps
	draw  func(rng *rand.Rand, x [][]float64)
}

// Kinds returns series of different natures. None of them was used to choose the default model.
func Kinds() []Kind {
	const rows, day = 1500, 24
	wave := func(t, period int) float64 { return math.Sin(2 * math.Pi * float64(t) / float64(period)) }
	// each draws the variables independently, each value from the previous one.
	each := func(next func(rng *rand.Rand, t int, last float64) float64) func(*rand.Rand, [][]float64) {
		return func(rng *rand.Rand, x [][]float64) {
			last := make([]float64, len(x[0]))
			for t := range x {
				for j := range last {
					last[j] = next(rng, t, last[j])
				}
				copy(x[t], last)
			}
		}
	}
	of := func(l Law) func(*rand.Rand, [][]float64) {
		return func(rng *rand.Rand, x [][]float64) {
			s := l.Series(rng.Uint64())
			for _, row := range x {
				s.Next(row)
			}
		}
	}
	busy := func(t int) float64 { // 1 on weekdays from 9 to 17 o'clock
		if hour := t % day; t/day%7 < 5 && hour >= 9 && hour < 17 {
			return 1
		}
		return 0
	}
	lorenz, logistic, thresholds := Lorenz96(8), LogisticMaps(5), Thresholds(3)
	return []Kind{
		{"random walks", 3, rows, 0, each(func(rng *rand.Rand, _ int, last float64) float64 { return last + rng.NormFloat64() })},
		{"levels that jump", 2, rows, 0, each(func(rng *rand.Rand, t int, last float64) float64 {
			level := math.Round(last/8) * 8
			if t%150 == 149 {
				level += 8 * float64(2*rng.IntN(2)-1)
			}
			return level + rng.NormFloat64()
		})},
		{"damped oscillations", 3, rows, 0, func(rng *rand.Rand, x [][]float64) {
			for t := range x {
				for j := range x[t] {
					x[t][j] = rng.NormFloat64()
					if t > 1 {
						x[t][j] += 1.8*math.Cos(.3+.1*float64(j))*x[t-1][j] - .81*x[t-2][j]
					}
				}
			}
		}},
		{"smooth sines", 2, rows, 0, func(rng *rand.Rand, x [][]float64) {
			for j := range x[0] {
				a, b, at := .05+.1*rng.Float64(), .2+.2*rng.Float64(), 6*rng.Float64()
				for t := range x {
					x[t][j] = math.Sin(a*float64(t)+at) + .5*math.Sin(b*float64(t)) + .01*rng.NormFloat64()
				}
			}
		}},
		{"a pipe of 20 steps", 2, rows, 0, func(rng *rand.Rand, x [][]float64) {
			for t := range x {
				x[t][0] = rng.NormFloat64()
				if t > 0 {
					x[t][0] += .5 * x[t-1][0]
				}
				x[t][1] = .3 * rng.NormFloat64()
				if t >= 20 {
					x[t][1] += x[t-20][0]
				}
			}
		}},
		{"values that move in bursts", 3, rows, 0, func(rng *rand.Rand, x [][]float64) {
			moves := []float64{.9, .9, .9} // probability of the next change
			for t := 1; t < len(x); t++ {
				for j := range x[t] {
					if x[t][j] = x[t-1][j]; rng.Float64() < moves[j] {
						x[t][j], moves[j] = .5*x[t][j]+rng.NormFloat64(), .9
					} else {
						moves[j] = .1
					}
				}
			}
		}},
		{"hours of a load", 2, rows, 1, each(func(rng *rand.Rand, t int, last float64) float64 {
			level := func(t int) float64 { return 3*wave(t, day) + 4*busy(t) }
			return level(t) + .5*(last-level(t-1)) + .7*rng.NormFloat64()
		})},
		{"counts of a day", 2, rows, 1, each(func(rng *rand.Rand, t int, _ float64) float64 {
			mean, n := 4+3*wave(t, day), 0.
			for p := rng.Float64(); p > math.Exp(-mean); p *= rng.Float64() {
				n++
			}
			return n
		})},
		{"months with a trend", 3, 180, 730, func(rng *rand.Rand, x [][]float64) {
			for t := range x {
				for j := range x[t] {
					x[t][j] = 100 * math.Exp(.008*float64(t)+.2*wave(t+3*j, 12)+.03*rng.NormFloat64())
				}
			}
		}},
		{"a few factors of 20 variables", 20, rows / 2, 0, func(rng *rand.Rand, x [][]float64) {
			f, weights := [3]float64{}, make([][3]float64, len(x[0]))
			for j := range weights {
				weights[j] = [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
			}
			for t := range x {
				for k, keep := range []float64{.98, .9, -.7} {
					f[k] = keep*f[k] + math.Sqrt(1-keep*keep)*rng.NormFloat64()
				}
				for j, w := range weights {
					x[t][j] = w[0]*f[0] + w[1]*f[1] + w[2]*math.Tanh(2*f[2]) + .3*rng.NormFloat64()
				}
			}
		}},
		{lorenz.Name, lorenz.Dim, rows, 0, of(lorenz)},
		{logistic.Name, logistic.Dim, rows, 0, of(logistic)},
		{thresholds.Name, thresholds.Dim, rows, 0, of(thresholds)},
	}
}

// Dataset draws a series of the kind. Times, if any, begin on Monday 2026-01-05.
func (k *Kind) Dataset(seed uint64) *scoring.Dataset {
	data := Collect(k.Name, NewWhiteNoise(k.Dim, seed), k.Rows)
	s := &data.Series[0]
	k.draw(rand.New(rand.NewPCG(seed, 31)), s.Rows)
	if k.Hours > 0 {
		const hour, monday = 3600e9, 1_767_571_200e9
		for t := range s.Rows {
			s.Times = append(s.Times, monday+int64(t*k.Hours)*hour)
		}
	}
	return data
}
