package vec

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/internal/tools/isatest"
)

func BenchmarkFeatures(b *testing.B) {
	for _, s := range [][2]int{{5, 100}, {18, 100}, {31, 100}, {100, 1000}} {
		m, d := s[0], s[1]
		b.Run(fmt.Sprintf("m=%d,D=%d", m, d), func(b *testing.B) {
			isatest.Each(b, func(b *testing.B) {
				rng := rand.New(rand.NewPCG(1, 1))
				w, x, phi := randomVector(rng, m*d), randomVector(rng, m), make([]float64, 2*d)
				for b.Loop() {
					Features(phi, w, x, 0.1)
				}
			})
		})
	}
}

func BenchmarkMatTVec(b *testing.B) {
	for _, s := range [][2]int{{129, 7}, {200, 5}, {200, 31}, {100, 1000}} {
		m, n := s[0], s[1]
		b.Run(fmt.Sprintf("%dx%d", m, n), func(b *testing.B) {
			isatest.Each(b, func(b *testing.B) {
				rng := rand.New(rand.NewPCG(1, 1))
				a, x, y := randomVector(rng, m*n), randomVector(rng, m), make([]float64, n)
				for b.Loop() {
					MatTVec(y, a, x)
				}
			})
		})
	}
}

// One step of recursive least squares: a product, and one or two rank-1 terms.
func BenchmarkSym(b *testing.B) {
	for _, n := range []int{13, 36, 49, 97, 104, 208, 400, 1008} {
		for terms := 1; terms <= 2; terms++ {
			b.Run(fmt.Sprintf("n=%d,terms=%d", n, terms), func(b *testing.B) {
				isatest.Each(b, func(b *testing.B) {
					rng := rand.New(rand.NewPCG(1, 1))
					s, x, q := NewSym(n), randomVector(rng, n), make([]float64, n)
					s.SetIdentity(1)
					for b.Loop() {
						s.MatVec(q, x)
						for range terms {
							s.Rank1(-1e-9, q)
						}
					}
				})
			})
		}
	}
}

func BenchmarkCholesky(b *testing.B) {
	for _, n := range []int{25, 50, 100} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 1))
			s, c, x := NewSym(n), NewCholesky(n), randomVector(rng, 7*n)
			s.RankK(1, randomVector(rng, 4*n))
			b.Run("RankK4", func(b *testing.B) {
				isatest.Each(b, func(b *testing.B) {
					for b.Loop() {
						s.RankK(1e-9, x[:4*n])
					}
				})
			})
			b.Run("Factor", func(b *testing.B) {
				isatest.Each(b, func(b *testing.B) {
					for b.Loop() {
						c.Factor(s, 1, 0)
					}
				})
			})
			b.Run("Solve7", func(b *testing.B) {
				isatest.Each(b, func(b *testing.B) {
					for b.Loop() {
						c.Solve(x)
					}
				})
			})
		})
	}
}

func BenchmarkUDU(b *testing.B) {
	for _, n := range []int{36, 104} {
		for terms := 1; terms <= 2; terms++ {
			b.Run(fmt.Sprintf("n=%d,terms=%d", n, terms), func(b *testing.B) {
				isatest.Each(b, func(b *testing.B) {
					rng := rand.New(rand.NewPCG(1, 1))
					s, x, q := NewUDU(n, new(UDUScratch)), randomVector(rng, 64*n), make([]float64, n)
					s.SetIdentity(1)
					for i := 0; b.Loop(); i++ {
						s.Project(x[i%64*n : (i%64+1)*n])
						s.Observe(q, 1)
						if terms > 1 {
							s.ProjectUnit(i % n)
							s.Observe(q, 1000)
						}
						s.Scale(1.001)
					}
				})
			})
		}
	}
}
