package vec

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/internal/tools/isatest"
)

func TestColumnDots(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(10, 10))
		for _, n := range []int{0, 1, 2, 4, 8, 16, 24, 32, 72} {
			for _, m := range []int{0, 1, 2, 3, 4, 5, 8, 47} {
				if n < 8 {
					m *= 8
				}
				a, x, y := isatest.Vector(t, rng, m*n), isatest.Vector(t, rng, m*n), isatest.Vector(t, rng, n)
				ColumnDots(y, a, x)
				for j := range y {
					want, abs := sumOfProducts(column(a, m, n, j), column(x, m, n, j))
					near(t, fmt.Sprintf("column %d of %d x %d", j, m, n), y[j], want, tolerance(m, abs))
				}
			}
		}
	})
}

func TestAddLagged(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(11, 11))
		for _, n := range []int{8, 16, 24, 40} {
			for _, m := range []int{0, 1, 2, 3, 4, 9} {
				for _, k := range []int{0, 1, 3, 8} {
					for _, shift := range []int{0, 1, 4, n} {
						c, f, x := isatest.Vector(t, rng, 2*m*n), isatest.Vector(t, rng, 2*k*n), isatest.Vector(t, rng, m*n+max(k-1, 0)*shift)
						before := clone(c)
						AddLagged(c, f, x, n, shift)
						for at := range c {
							second, i, j := at/(m*n), at/n%m, at%n
							row, col := []float64{before[at]}, []float64{1}
							for l := range k {
								row, col = append(row, f[(2*l+second)*n+j]), append(col, x[i*n+j+l*shift])
							}
							want, abs := sumOfProducts(row, col)
							near(t, fmt.Sprintf("(%d, %d) of %d x %d, %d terms", i, j, m, n, k), c[at], want, tolerance(k+1, abs))
						}
					}
				}
			}
		}
	})
}

func BenchmarkLagged(b *testing.B) {
	const lags, k = 48, 8
	for _, n := range []int{8, 24, 104} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			isatest.Each(b, func(b *testing.B) {
				rng := rand.New(rand.NewPCG(1, 1))
				a, x, y := Aligned(2*lags*n), Aligned((lags+k)*n), make([]float64, n)
				f := randomVector(rng, 2*k*n)
				b.Run("ColumnDots", func(b *testing.B) {
					for b.Loop() {
						ColumnDots(y, a[:lags*n], x[:lags*n])
					}
				})
				b.Run("AddLagged", func(b *testing.B) {
					for b.Loop() {
						AddLagged(a, f, x, n, n)
					}
				})
			})
		})
	}
}
