package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// A mixture of every implementation against the formulas, element by element.
func TestMixture(t *testing.T) {
	each(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(11, 11))
		for _, experts := range []int{1, 2, 3, 10} {
			for _, n := range []int{1, 3, 4, 5, 7, 8, 9, 12, 16, 31} {
				name := fmt.Sprintf("%d experts, %d variables", experts, n)
				m, stride := NewMixture(experts, n), Stride(n)
				at := func(k, j int) int { return k*stride + j }
				for k := range experts {
					for j := range n {
						m.Weights[at(k, j)], m.Regret[at(k, j)] = rng.Float64(), rng.NormFloat64()
						m.Square[at(k, j)], m.Gain[at(k, j)] = rng.Float64(), rng.NormFloat64()
					}
				}
				f, x, inverse, out := vector(t, rng, experts*n), vector(t, rng, n), make([]float64, stride), make([]float64, stride)
				for j := range n {
					inverse[j], out[j], m.Slope[j] = rng.ExpFloat64(), rng.NormFloat64(), rng.NormFloat64()
					m.Trust[j], m.Due[j] = rng.Float64(), float64(rng.IntN(2))
				}
				const limit = 1000
				m.Aggregate(f, x, inverse, limit)
				for j := range n {
					var low, high float64
					w, z := make([]float64, experts), make([]float64, experts)
					for k := range experts {
						want := min(max((f[k*n+j]-x[j])*inverse[j], -limit), limit)
						near(t, "z, "+name, m.Z[at(k, j)], want, 0x1p-52*math.Abs(want))
						z[k], w[k] = m.Z[at(k, j)], m.Weights[at(k, j)]
						low, high = min(low, z[k]), max(high, z[k])
					}
					mean, abs := sumOfProducts(w, z)
					near(t, "mean, "+name, m.Mean[j], mean, tolerance(experts, abs))
					if m.Low[j] != low || m.High[j] != high {
						t.Errorf("%s: bounds %v and %v, want %v and %v", name, m.Low[j], m.High[j], low, high)
					}
				}

				before := *m
				before.Regret, before.Square, before.Gain = clone(m.Regret), clone(m.Square), clone(m.Gain)
				m.Regrets(out)
				for j := range n {
					var sum float64
					want := make([]float64, experts)
					for k := range experts {
						i := at(k, j)
						g := before.Gain[i] + m.Slope[j]*(out[j]-m.Z[i])
						size := math.Abs(before.Gain[i]) + math.Abs(m.Slope[j])*(math.Abs(out[j])+math.Abs(m.Z[i]))
						regret, square, gain := before.Regret[i], before.Square[i], g
						if m.Due[j] == 1 {
							regret, square, gain = regret+g, square+g*g, 0
						}
						// A few roundings of numbers of this size.
						near(t, "gain, "+name, m.Gain[i], gain, 0x1p-50*size)
						near(t, "regret, "+name, m.Regret[i], regret, 0x1p-50*(size+math.Abs(regret)))
						near(t, "square, "+name, m.Square[i], square, 0x1p-49*(size*size+square))
						want[k] = max(m.Regret[i], 0) / (1 + m.Square[i])
						sum += want[k]
					}
					near(t, "sum, "+name, m.Sum[j], sum, 0x1p-49*sum)
					for k := range experts {
						w := 0.0
						if sum > 0 {
							w = want[k] / sum * m.Trust[j]
						}
						near(t, "weight, "+name, m.Weights[at(k, j)], w, 0x1p-49)
					}
				}
				for _, v := range [][]float64{m.Z, m.Mean, m.Regret, m.Gain, m.Weights, m.Sum} {
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

func BenchmarkMixture(b *testing.B) {
	eachBench(b, func(b *testing.B) {
		const experts, n = 10, 7
		m := NewMixture(experts, n)
		f, x, inverse := make([]float64, experts*n), make([]float64, n), make([]float64, Stride(n))
		b.Run("Aggregate", func(b *testing.B) {
			for b.Loop() {
				m.Aggregate(f, x, inverse, 1e6)
			}
		})
		b.Run("Regrets", func(b *testing.B) {
			for b.Loop() {
				m.Regrets(inverse)
			}
		})
	})
}
