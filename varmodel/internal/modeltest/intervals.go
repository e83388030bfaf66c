package modeltest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/eval"
)

// intervalScore holds coverage and width of the intervals of one horizon.
type intervalScore struct {
	Coverage float64
	Each     []float64 // dim: coverage of each coordinate
	Width    float64   // mean width, in units of ProtocolB.Sd
}

// IntervalsOf runs a model with horizon H and intervals of one level over p. It returns the score of each horizon in hs,
// for the intervals issued after the training rows.
func IntervalsOf(t testing.TB, m eval.Model, p *ProtocolB, H int, hs ...int) []intervalScore {
	t.Helper()
	d := len(p.Sd)
	f := m.NewSeries()
	bounder := As[eval.Bounder](t, f)
	lower, upper := make([]float64, H*d), make([]float64, H*d)
	scores, count := make([]intervalScore, len(hs)), make([][]float64, len(hs))
	for i := range hs {
		scores[i].Each, count[i] = make([]float64, d), make([]float64, d)
	}
	for i, row := range p.X {
		if err := f.Observe(row); err != nil {
			t.Fatal(err)
		}
		if !bounder.BoundsTo(lower, upper) || i < p.Train {
			continue
		}
		for n, h := range hs {
			for j, sd := range p.Sd {
				if sd == 0 || i+h >= len(p.X) || math.IsNaN(p.X[i+h][j]) {
					continue
				}
				k, y := (h-1)*d+j, p.X[i+h][j]
				count[n][j]++
				if slack := 1e-9 * math.Abs(y); lower[k]-slack <= y && y <= upper[k]+slack {
					scores[n].Each[j]++
				}
				scores[n].Width += (upper[k] - lower[k]) / sd
			}
		}
	}
	for n := range scores {
		s := &scores[n]
		var all float64
		for j, c := range count[n] {
			s.Coverage += s.Each[j]
			s.Each[j] /= c
			all += c
		}
		s.Coverage, s.Width = s.Coverage/all, s.Width/all
	}
	return scores
}

// RollingWidth returns the mean width of the interval y_t ± c s_t at horizon h, in units of p.Sd, where s_t is the
// standard deviation of the last 100 errors of persistence at this horizon. c is chosen in hindsight, so that the
// interval has the given coverage.
func RollingWidth(p *ProtocolB, h int, coverage float64) float64 {
	const window = 100
	var ratios []float64
	var width float64
	for j, unit := range p.Sd {
		if unit == 0 {
			continue
		}
		for i := p.Train; i+h < len(p.X); i++ {
			var n, sum, square float64
			for k := max(h, i+1-window); k <= i; k++ {
				e := p.X[k][j] - p.X[k-h][j]
				n, sum, square = n+1, sum+e, square+e*e
			}
			sd := math.Sqrt(max(square/n-sum/n*sum/n, 0))
			width += 2 * sd / unit
			switch e := math.Abs(p.X[i+h][j] - p.X[i][j]); {
			case sd > 0:
				ratios = append(ratios, e/sd)
			case e <= 1e-9*math.Abs(p.X[i+h][j]):
				ratios = append(ratios, 0)
			default:
				ratios = append(ratios, math.Inf(1))
			}
		}
	}
	slices.Sort(ratios)
	n := len(ratios)
	return ratios[min(int(coverage*float64(n)), n-1)] * width / float64(n)
}

// Simulated returns a series of n rows with d independent coordinates. step computes the next value from the last
// value and the row number t.
func Simulated(name string, n, d int, step func(rng *rand.Rand, last float64, t int) float64) *ProtocolB {
	rng := rand.New(rand.NewPCG(17, 18))
	x := make([][]float64, n)
	for t := range x {
		x[t] = make([]float64, d)
		for j := range x[t] {
			var last float64
			if t > 0 {
				last = x[t-1][j]
			}
			x[t][j] = step(rng, last, t)
		}
	}
	return NewProtocolB(name, x)
}
