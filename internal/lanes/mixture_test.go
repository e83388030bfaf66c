package lanes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/internal/tools/isatest"
	"github.com/orffvar/forecaster/internal/vec"
)

// A mixture of every instruction set agrees with the formulas, element by element.
func TestMixture(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(11, 11))
		for _, experts := range []int{1, 2, 3, 10} {
			for _, n := range []int{1, 3, 4, 5, 7, 8, 9, 12, 16, 31} {
				name := fmt.Sprintf("%d experts, %d variables", experts, n)
				prior := make([]float64, experts)
				for k := range prior {
					prior[k] = rng.Float64()
				}
				cfg := MixtureConfig{Experts: experts, Variables: n, Every: 1 + rng.IntN(2), Prior: prior, Limit: 1.5}
				if rng.IntN(2) == 0 {
					cfg.PriorRounds = 2
				}
				m, stride := NewMixture(cfg), vec.Stride(n)
				at := func(k, j int) int { return k*stride + j }
				for k := range experts {
					for j := range n {
						m.Weights[at(k, j)], m.Regret[at(k, j)] = rng.Float64(), rng.NormFloat64()
						m.Square[at(k, j)], m.Gain[at(k, j)] = rng.Float64(), rng.NormFloat64()
					}
				}
				f, x, inverse, out, y := isatest.Vector(t, rng, experts*n), isatest.Vector(t, rng, n), make([]float64, stride), make([]float64, stride), make([]float64, stride)
				for j := range y {
					y[j] = math.NaN()
				}
				for j := range n {
					inverse[j], out[j], m.Rounds[j] = rng.ExpFloat64(), rng.NormFloat64(), float64(rng.IntN(4))
					if rng.IntN(4) > 0 {
						y[j] = rng.NormFloat64()
					}
				}
				const limit = 1000
				given := f
				if rng.IntN(2) == 0 { // rows of whole registers
					given = isatest.Guarded(t, experts*stride)
					for k := range experts {
						copy(given[k*stride:], f[k*n:(k+1)*n])
					}
				}
				m.Aggregate(given, x, inverse, limit)
				for j := range n {
					var low, high, mean, abs float64
					for k := range experts {
						want := min(max((f[k*n+j]-x[j])*inverse[j], -limit), limit)
						near(t, "z, "+name, m.Z[at(k, j)], want, 0x1p-52*math.Abs(want))
						z, part := m.Z[at(k, j)], m.Weights[at(k, j)]*m.Z[at(k, j)]
						low, high = min(low, z), max(high, z)
						mean, abs = mean+part, abs+math.Abs(part)
					}
					// Each of both sums has at most this number of roundings.
					near(t, "mean, "+name, m.Mean[j], mean, 2*float64(experts+1)*0x1p-53*abs)
					if m.Low[j] != low || m.High[j] != high {
						t.Errorf("%s: bounds %v and %v, want %v and %v", name, m.Low[j], m.High[j], low, high)
					}
				}

				before := *m
				before.Regret, before.Square, before.Gain = slices.Clone(m.Regret), slices.Clone(m.Square), slices.Clone(m.Gain)
				before.Rounds = slices.Clone(m.Rounds)
				m.Learn(out, y)
				for j := range n {
					var slope, due float64
					if y[j] == y[j] {
						slope = min(max(out[j]-y[j], -cfg.Limit), cfg.Limit) * 2 / float64(cfg.Every)
						if cfg.Every == 1 {
							due = 1
						}
					}
					rounds, trust := before.Rounds[j]+due, 1.0
					if cfg.PriorRounds > 0 {
						trust = rounds / (rounds + cfg.PriorRounds)
					}
					if m.Rounds[j] != rounds || m.Outcomes[j] != 0 && due == 1 {
						t.Errorf("%s: %v rounds and %v outcomes, want %v", name, m.Rounds[j], m.Outcomes[j], rounds)
					}
					var sum float64
					want := make([]float64, experts)
					for k := range experts {
						i := at(k, j)
						g := before.Gain[i] + slope*(out[j]-m.Z[i])
						size := math.Abs(before.Gain[i]) + math.Abs(slope)*(math.Abs(out[j])+math.Abs(m.Z[i]))
						regret, square, gain := before.Regret[i], before.Square[i], g
						if due == 1 {
							regret, square, gain = regret+g, square+g*g, 0
						}
						// A few roundings of numbers of this size.
						near(t, "gain, "+name, m.Gain[i], gain, 0x1p-50*size)
						near(t, "regret, "+name, m.Regret[i], regret, 0x1p-50*(size+math.Abs(regret)))
						near(t, "square, "+name, m.Square[i], square, 0x1p-49*(size*size+square))
						want[k] = max(m.Regret[i], 0) / (1 + m.Square[i])
						sum += want[k]
					}
					for k := range experts {
						w := prior[k]
						if sum > 0 {
							w = want[k]/sum*trust + prior[k]*(1-trust)
						}
						near(t, "weight, "+name, m.Weights[at(k, j)], w, 0x1p-49)
					}
				}
				for _, v := range [][]float64{m.Z, m.Mean, m.Regret, m.Gain} {
					for i, u := range v {
						if i%stride >= n && u != 0 {
							t.Fatalf("%s: %v beyond the variables", name, u)
						}
					}
				}
			}
		}
	})
}

// The clipped errors and their scale agree with portable Go: they have no long sums. Outcomes are missing, zero or huge.
func TestMixtureOfRelativeErrors(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(12, 12))
		const n, experts = 13, 3
		create := func() *Mixture {
			return NewMixture(MixtureConfig{
				Experts: experts, Variables: n, Every: 2, Prior: []float64{.5, .25, .25},
				Relative: true, Smallest: 1e-6, Winsor: 10, After: 30, Rate: .01,
			})
		}
		got, want := create(), create()
		out, y := make([]float64, vec.Stride(n)), make([]float64, vec.Stride(n))
		for step := range 300 {
			for j := range y {
				y[j] = math.NaN()
				if j < n {
					out[j], y[j] = rng.NormFloat64(), wild(rng)
				}
				if rng.IntN(5) == 0 {
					y[j] = out[j]
				}
			}
			for i := range got.Z {
				if i%vec.Stride(n) < n {
					got.Z[i] = rng.NormFloat64()
				}
			}
			copy(want.Z, got.Z)
			for j := n; j < len(y); j++ {
				y[j] = math.NaN()
			}
			got.Learn(out, y)
			regretsPortable(want, out, y)
			for _, v := range [][2][]float64{{got.Scale, want.Scale}, {got.Seen, want.Seen}, {got.Outcomes, want.Outcomes}, {got.Rounds, want.Rounds}} {
				sameNumbers(t, fmt.Sprint("step ", step), v[0][:n], v[1][:n])
			}
			for i, w := range want.Gain {
				// Tolerance: a few roundings of the terms. Regrets of huge errors stay huge.
				near(t, "gain", got.Gain[i], w, 1e-12*(1+math.Abs(w)))
			}
		}
	})
}

func BenchmarkMixture(b *testing.B) {
	isatest.Each(b, func(b *testing.B) {
		const experts, n = 10, 7
		m := NewMixture(MixtureConfig{Experts: experts, Variables: n, Every: 1, Prior: make([]float64, experts), Limit: 25})
		f, x, inverse := make([]float64, experts*n), make([]float64, n), make([]float64, vec.Stride(n))
		b.Run("Aggregate", func(b *testing.B) {
			for b.Loop() {
				m.Aggregate(f, x, inverse, 1e6)
			}
		})
		b.Run("Learn", func(b *testing.B) {
			for b.Loop() {
				m.Learn(inverse, inverse)
			}
		})
	})
}

// If the current round already has more outcomes than the new length, it ends with the next outcome. All its outcomes
// count, each with the rate at its time.
func TestMixtureWithShorterRounds(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		m := NewMixture(MixtureConfig{Experts: 2, Variables: 3, Every: 8, Prior: []float64{.5, .5}, Limit: 10})
		stride := vec.Stride(3)
		out, y := make([]float64, stride), make([]float64, stride)
		for j := range 3 {
			out[j], m.Z[j], m.Z[stride+j] = 1, 0, 1 // the first expert has the outcome, 0
		}
		for range 5 {
			m.Learn(out, y)
		}
		if m.Rounds[0] != 0 || m.Regret[0] != 0 {
			t.Fatalf("%g rounds with a regret of %g after five of eight outcomes", m.Rounds[0], m.Regret[0])
		}
		m.SetEvery(4)
		m.Learn(out, y)
		// The gain is 2/8 five times and 2/4 once, times an error and a distance of 1: exact.
		for j := range 3 {
			if m.Rounds[j] != 1 || m.Outcomes[j] != 0 || m.Regret[j] != 1.75 || m.Regret[stride+j] != 0 {
				t.Errorf("%g rounds, %g outcomes, regrets %g and %g, want 1, 0, 1.75 and 0", m.Rounds[j], m.Outcomes[j], m.Regret[j], m.Regret[stride+j])
			}
		}
	})
}
