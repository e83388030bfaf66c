package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/internal/tools/isatest"
)

// The solutions of every instruction set satisfy the equations.
func TestToeplitz(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(13, 13))
		for _, order := range []int{1, 2, 3, 8, 47} {
			for columns := 1; columns <= ToeplitzColumns; columns++ {
				s := NewToeplitz(order+order%2, columns)
				s.SetOrder(order)
				for _, stride := range []int{columns, columns + 5} {
					b, r := isatest.Guarded(t, (order-1)*stride+columns), isatest.Guarded(t, (order-1)*stride+columns)
					for i := range b {
						b[i], r[i] = math.NaN(), math.NaN() // values between the rows
					}
					for j := range columns {
						// The autocovariance of a process plus noise.
						s.Power[j], s.Floor[j], s.Constant[j] = 1.5, 1e-9, rng.NormFloat64()
						a := rng.Float64()*1.8 - .9
						for i := range order {
							b[i*stride+j], r[i*stride+j] = rng.NormFloat64(), math.Pow(a, float64(i+1))
						}
					}
					s.Solve(b, r, stride)
					for j := range columns {
						name := fmt.Sprintf("order %d, column %d of %d", order, j, columns)
						side := [3]func(i int) float64{
							func(int) float64 { return s.Constant[j] },
							func(i int) float64 { return b[i*stride+j] },
							func(i int) float64 { return r[i*stride+j] },
						}
						for k, x := range s.X {
							for i := range order {
								var sum float64
								for l := range order {
									v := s.Power[j]
									if i != l {
										v = r[max(i-l, l-i)*stride-stride+j]
									}
									sum += v * x[l*len(s.Power)+j]
								}
								// Eigenvalues are between 1/2 and 20: the condition number is 40.
								near(t, fmt.Sprintf("%s, row %d of equation %d", name, i, k), sum, side[k](i), 1e-12)
							}
						}
						for k, pair := range [][2]int{{0, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}} {
							var sum float64
							for i := range order {
								sum += side[pair[0]](i) * s.X[pair[1]][i*len(s.Power)+j]
							}
							near(t, fmt.Sprintf("%s, product %d", name, k), s.Products[k][j], sum, 1e-11)
						}
					}
				}
			}
		}
	})
}

// If two values of a series determine the next, all weights beyond order 2 are zero. For a series of zeros, all weights
// are zero.
func TestToeplitzStopsAtTheFloor(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		for _, order := range []int{5, 6} {
			s := NewToeplitz(order, 2)
			b, r := make([]float64, 2*order), make([]float64, 2*order)
			for i := range order {
				r[2*i] = math.Cos(float64(i + 1))
				b[2*i], b[2*i+1] = 1, 1
			}
			s.Power[0], s.Floor[0], s.Constant[0] = 1, 1e-9, 1
			s.Power[1], s.Floor[1], s.Constant[1] = 0, 0, 1
			s.Solve(b, r, 2)
			for i := range order {
				want := []float64{2 * math.Cos(1), -1, 0, 0, 0, 0}[i]
				// 1 - cos(1)^2 is .7, and the power of order 2 is only rounding.
				near(t, fmt.Sprint("weight ", i), s.X[2][i*len(s.Power)], want, 1e-13)
				for k := range s.X {
					if v := s.X[k][i*len(s.Power)+1]; v != 0 {
						t.Errorf("nothing to solve, and x%d has %v", k, v)
					}
					if v := s.X[k][i*len(s.Power)]; i >= 2 && v != 0 {
						t.Errorf("element %d of x%d is %v", i, k, v)
					}
				}
			}
		}
	})
}

func BenchmarkToeplitz(b *testing.B) {
	for _, order := range []int{23, 47, 95} {
		b.Run(fmt.Sprint(order), func(b *testing.B) {
			isatest.Each(b, func(b *testing.B) {
				s := NewToeplitz(order, 8)
				side, r := Aligned(order*8), Aligned(order*8)
				for i := range r {
					side[i], r[i] = 1, math.Exp2(-float64(i/8)-1)
				}
				for j := range 8 {
					s.Power[j], s.Floor[j], s.Constant[j] = 1, 1e-9, 1
				}
				for b.Loop() {
					s.Solve(side, r, 8)
				}
			})
		})
	}
}
