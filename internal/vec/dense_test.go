package vec

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/internal/tools/isatest"
)

const precision = 200 // bits of the reference

// sumOfProducts returns the sum of x[i] y[i], correctly rounded, and the sum of their absolute values.
func sumOfProducts(x, y []float64) (sum, abs float64) {
	s := new(big.Float).SetPrec(precision)
	for i := range x {
		p := new(big.Float).SetPrec(precision).Mul(big.NewFloat(x[i]), big.NewFloat(y[i]))
		s.Add(s, p)
		abs += math.Abs(x[i] * y[i])
	}
	sum, _ = s.Float64()
	return sum, abs
}

// tolerance bounds the rounding error of a sum of n products, in any order, where abs is the sum of their absolute
// values (Higham 2002, section 3.1).
func tolerance(n int, abs float64) float64 { return float64(n+2) * 0x1p-53 * abs }

// column returns column j of a, m x n.
func column(a []float64, m, n, j int) []float64 {
	c := make([]float64, m)
	for i := range c {
		c[i] = a[i*n+j]
	}
	return c
}

func clone(x []float64) []float64 { return append([]float64(nil), x...) }

func sameBits(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			t.Fatalf("%s: element %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

func TestDotAndAxpy(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 1))
		for _, n := range isatest.Lengths {
			x, y := isatest.Vector(t, rng, n), isatest.Vector(t, rng, n)
			want, abs := sumOfProducts(x, y)
			near(t, fmt.Sprint("dot ", n), Dot(x, y), want, tolerance(n, abs))

			before := clone(y)
			const alpha = -1.7
			Axpy(alpha, x, y)
			for i := range y {
				want, abs := sumOfProducts([]float64{alpha, 1}, []float64{x[i], before[i]})
				near(t, fmt.Sprint("axpy ", n), y[i], want, tolerance(2, abs))
			}
		}
	})
}

func TestMatrixVector(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(2, 2))
		for _, m := range []int{0, 1, 2, 3, 4, 5, 7, 8, 31} {
			for _, n := range isatest.Lengths {
				name := fmt.Sprintf("%d x %d", m, n)
				a, x, y := isatest.Vector(t, rng, m*n), isatest.Vector(t, rng, n), isatest.Vector(t, rng, m)
				MatVec(y, a, x)
				for i := range y {
					want, abs := sumOfProducts(a[i*n:(i+1)*n], x)
					near(t, "A x, "+name, y[i], want, tolerance(n, abs))
				}

				z := isatest.Vector(t, rng, n)
				MatTVec(z, a, y)
				for j := range z {
					want, abs := sumOfProducts(column(a, m, n, j), y)
					near(t, "A^T x, "+name, z[j], want, tolerance(m, abs))
				}

				sum := clone(z)
				AddMatTVec(sum, a, y)
				for j := range sum {
					want, abs := sumOfProducts(append(column(a, m, n, j), 1), append(clone(y), z[j]))
					near(t, "y + A^T x, "+name, sum[j], want, tolerance(m+1, abs))
				}

				g, u := isatest.Vector(t, rng, m), isatest.Vector(t, rng, n)
				before := clone(a)
				const alpha = 0.3
				AddOuter(a, alpha, g, u)
				for k := range a {
					i, j := k/n, k%n
					want, abs := sumOfProducts([]float64{alpha * g[i], 1}, []float64{u[j], before[k]})
					near(t, "outer, "+name, a[k], want, tolerance(3, abs))
				}
			}
		}
	})
}

// A portable kernel of several operations in one loop gives the bits of the separate operations: results of earlier
// versions stay equal.
func TestPortableGroupsAreExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, n := range isatest.Lengths {
		x, y, z := isatest.Vector(t, rng, n), isatest.Vector(t, rng, n), isatest.Vector(t, rng, n)
		s, u := dotsPortable(x, y, z)
		sameBits(t, "two products", []float64{s, u}, []float64{dotPortable(x, z), dotPortable(y, z)})
		a, f := isatest.Vector(t, rng, 4*n), [4]float64{.1, -3, 7, 1e-9}
		want := clone(y)
		for k, v := range f {
			axpyPortable(v, a[k*n:(k+1)*n], want)
		}
		axpysPortable(&f, a, y)
		sameBits(t, "four terms", y, want)
	}
}

func TestMatrixMatrix(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(4, 4))
		for _, m := range []int{0, 1, 3, 4, 5, 9} {
			for _, n := range []int{0, 1, 2, 3, 4, 5, 8, 13, 17, 36, 300} {
				for _, k := range []int{0, 1, 3, 4, 8, 9, 21, 300} {
					if n == 300 && k == 300 {
						continue // n or k alone crosses a panel in other cases
					}
					name := fmt.Sprintf("%d x %d x %d", m, n, k)
					a, b, bt, c := isatest.Vector(t, rng, m*k), isatest.Vector(t, rng, k*n), isatest.Vector(t, rng, n*k), isatest.Vector(t, rng, m*n)
					before := clone(c)
					const alpha = -0.6
					AddMatMul(c, alpha, a, b, m, n, k)
					for i := range c {
						row := append([]float64{before[i]}, a[i/n*k:(i/n+1)*k]...)
						col := append([]float64{1}, column(b, k, n, i%n)...)
						for j := range row[1:] {
							row[1+j] *= alpha
						}
						want, abs := sumOfProducts(row, col)
						near(t, "C + A B, "+name, c[i], want, tolerance(k+2, abs))
					}
					MatMulT(c, a, bt, m, n, k)
					for i := range c {
						want, abs := sumOfProducts(a[i/n*k:(i/n+1)*k], bt[i%n*k:(i%n+1)*k])
						near(t, "A B^T, "+name, c[i], want, tolerance(k, abs))
					}
				}
			}
		}
	})
}

// A value that is not finite reaches exactly the results whose formula has it.
func TestNotFinite(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			for _, n := range []int{1, 3, 4, 5, 8, 9, 13, 40} {
				for at := range n {
					const m = 5
					x, ones := make([]float64, n), make([]float64, n)
					a := make([]float64, m*n)
					for i := range x {
						x[i], ones[i] = 1, 1
					}
					for i := range a {
						a[i] = 1
					}
					x[at] = bad
					same := func(what string, got float64) {
						t.Helper()
						if got != bad && !(math.IsNaN(got) && math.IsNaN(bad)) {
							t.Errorf("%s of length %d with %v at %d gives %v", what, n, bad, at, got)
						}
					}
					same("Dot", Dot(x, ones))
					y := make([]float64, m)
					MatVec(y, a, x)
					for _, v := range y {
						same("MatVec", v)
					}
					z := make([]float64, n)
					a[2*n+at] = bad
					MatTVec(z, a, []float64{1, 1, 1, 1, 1})
					for j, v := range z {
						if j == at {
							same("MatTVec", v)
						} else if v != m {
							t.Errorf("MatTVec: %v at %d reached column %d: %v", bad, at, j, v)
						}
					}
					a[2*n+at] = 1
					AddOuter(a, 1, []float64{0, 0, bad, 0, 0}, ones)
					for i, v := range a {
						if i/n == 2 {
							same("AddOuter", v)
						} else if v != 1 {
							t.Errorf("AddOuter: %v reached row %d: %v", bad, i/n, v)
						}
					}
					sin, cos := make([]float64, n), make([]float64, n)
					SinCos(sin, cos, x)
					for j := range sin {
						if nan := math.IsNaN(sin[j]) && math.IsNaN(cos[j]); nan != (j == at) {
							t.Errorf("SinCos: %v at %d of %d gives %v, %v at %d", bad, at, n, sin[j], cos[j], j)
						}
					}
				}
			}
		}
	})
}

func TestHadamard(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for n := 1; n <= 4096; n *= 2 {
		x := isatest.Vector(t, rng, n)
		want := clone(x)
		hadamardPortable(want)
		// Definition: H_ij = (-1)^popcount(i and j).
		for _, i := range []int{0, n / 3, n - 1} {
			s := make([]float64, n)
			for j := range s {
				s[j] = 1 - 2*float64(bits.OnesCount(uint(i&j))%2)
			}
			sum, abs := sumOfProducts(s, x)
			near(t, fmt.Sprintf("H x, length %d", n), want[i], sum, tolerance(n, abs))
		}
		isatest.Each(t, func(t *testing.T) {
			y := isatest.Guarded(t, n)
			copy(y, x)
			Hadamard(y)
			sameBits(t, fmt.Sprintf("H x, length %d", n), y, want)
		})
	}
	Hadamard(nil)
}

// TestNarrow: conversions agree with those of Go.
func TestNarrow(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(9, 9))
		special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.NaN(), 1e39, -1e39, 1e-46, 1e-40, math.MaxFloat32, .1}
		for _, n := range isatest.Lengths {
			x, want := isatest.Vector(t, rng, n), make([]float64, n)
			for i := range x {
				if rng.IntN(2) == 0 {
					x[i] = special[rng.IntN(len(special))]
				}
				want[i] = float64(float32(x[i]))
			}
			half, got := make([]float32, n+1), isatest.Guarded(t, n)
			half[n] = 7
			Narrow(half, x)
			Widen(got, half[:n])
			sameBits(t, fmt.Sprintf("%d numbers", n), got, want)
			if half[n] != 7 {
				t.Fatalf("%d numbers: one more is written", n)
			}
		}
	})
}

func TestMulAndScale(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(8, 8))
		for _, n := range isatest.Lengths {
			x, y := isatest.Vector(t, rng, n), isatest.Vector(t, rng, n)
			product, scaled := make([]float64, n), make([]float64, n)
			for i := range x {
				product[i] = x[i] * y[i]
				scaled[i] = product[i] * 1.7
			}
			Mul(x, y)
			sameBits(t, "x y", x, product)
			other := isatest.Guarded(t, n)
			ScaleTo(other, 1.7, x)
			sameBits(t, "1.7 x y elsewhere", other, scaled)
			sameBits(t, "x y", x, product)
			Scale(1.7, x)
			sameBits(t, "1.7 x y", x, scaled)
		}
	})
}

// Each condition of a check is wrong alone in one call, and the panic is that of the check.
func TestWrongShapesPanic(t *testing.T) {
	of := func(n int) []float64 { return make([]float64, n) }
	sym, square, udu, chol := NewSym(3), NewSquare(3), NewUDU(3, new(UDUScratch)), NewCholesky(3)
	at := func(f func(i, j int)) []func() {
		return []func(){func() { f(-1, 0) }, func() { f(0, -1) }, func() { f(3, 0) }, func() { f(0, 3) }}
	}
	rows := func(f func(dst []float64, i int)) []func() {
		return []func(){func() { f(of(3), -1) }, func() { f(of(3), 3) }, func() { f(of(2), 0) }}
	}
	pair := func(f func(y, x []float64)) []func() {
		return []func(){func() { f(of(2), of(3)) }, func() { f(of(3), of(2)) }}
	}
	weights := NewFourierWeights(of(6), 3, 0, 2, 1)
	for name, calls := range map[string][]func(){
		"Dot":        {func() { Dot(of(2), of(3)) }},
		"Mul":        {func() { Mul(of(2), of(3)) }},
		"Hadamard":   {func() { Hadamard(of(3)) }},
		"Axpy":       {func() { Axpy(1, of(2), of(3)) }},
		"ScaleTo":    {func() { ScaleTo(of(2), 1, of(3)) }},
		"MatVec":     {func() { MatVec(of(2), of(6), of(2)) }},
		"MatTVec":    {func() { MatTVec(of(2), of(6), of(2)) }},
		"AddMatTVec": {func() { AddMatTVec(of(2), of(6), of(2)) }},
		"AddOuter":   {func() { AddOuter(of(6), 1, of(2), of(2)) }},
		"MatMulT": {
			func() { MatMulT(of(5), of(8), of(12), 2, 3, 4) }, func() { MatMulT(of(6), of(7), of(12), 2, 3, 4) },
			func() { MatMulT(of(6), of(8), of(11), 2, 3, 4) },
		},
		"AddMatMul": {
			func() { AddMatMul(of(5), 1, of(8), of(12), 2, 3, 4) }, func() { AddMatMul(of(6), 1, of(7), of(12), 2, 3, 4) },
			func() { AddMatMul(of(6), 1, of(8), of(11), 2, 3, 4) },
		},
		"ColumnDots": {
			func() { ColumnDots(of(3), of(24), of(24)) }, func() { ColumnDots(of(8), of(8), of(16)) },
			func() { ColumnDots(of(8), of(12), of(12)) }, func() { ColumnDots(of(0), of(8), of(8)) },
		},
		"AddLagged": {
			func() { AddLagged(of(16), of(16), of(8), 0, 1) }, func() { AddLagged(of(16), of(16), of(8), 4, 1) },
			func() { AddLagged(of(16), of(16), of(8), 8, -1) }, func() { AddLagged(of(17), of(16), of(16), 8, 1) },
			func() { AddLagged(of(16), of(17), of(16), 8, 1) }, func() { AddLagged(of(32), of(32), of(16), 8, 1) },
		},
		"NewFourierWeights": {
			func() { NewFourierWeights(of(6), 0, 0, 1, 1) }, func() { NewFourierWeights(nil, 3, 0, 1, 1) },
			func() { NewFourierWeights(of(7), 3, 0, 1, 1) }, func() { NewFourierWeights(of(6), 3, -1, 1, 1) },
			func() { NewFourierWeights(of(6), 3, 0, -1, 1) }, func() { NewFourierWeights(of(6), 3, 0, 1, 0) },
		},
		"FourierWeights.PredictTo": pair(func(y, x []float64) { weights.PredictTo(y[1:], x) }),
		"AddOuters": {
			func() { AddOuters(nil, of(4), nil, 2, 2, 0) }, func() { AddOuters(of(14), of(4), of(14), 2, 2, 7) },
			func() { AddOuters(of(16), of(4), of(15), 2, 2, 8) }, func() { AddOuters(of(15), of(4), of(16), 2, 2, 8) },
			func() { AddOuters(of(16), of(3), of(16), 2, 2, 8) },
		},
		"NewToeplitz": {func() { NewToeplitz(0, 1) }, func() { NewToeplitz(1, 0) }, func() { NewToeplitz(1, ToeplitzColumns+1) }},
		"Toeplitz": {
			func() { NewToeplitz(3, 2).Solve(of(6), of(6), 1) }, func() { NewToeplitz(3, 2).Solve(of(5), of(6), 2) },
			func() { NewToeplitz(3, 2).Solve(of(6), of(5), 2) },
		},
		"LogTo":         {func() { LogTo(of(2), of(3)) }},
		"SinCos":        {func() { SinCos(of(2), of(3), of(3)) }, func() { SinCos(of(3), of(2), of(3)) }},
		"Features":      {func() { Features(of(3), of(6), of(6), 1) }, func() { Features(of(4), of(5), of(3), 1) }},
		"New":           {func() { NewSym(-1) }, func() { NewSquare(0) }, func() { NewUDU(0, new(UDUScratch)) }, func() { NewCholesky(-1) }},
		"Sym.MatVec":    pair(sym.MatVec),
		"Sym.Rank":      {func() { sym.Rank1(1, of(2)) }, func() { sym.RankK(1, of(4)) }, func() { sym.AddRows(1, of(9)) }},
		"Sym.At":        at(func(i, j int) { sym.At(i, j) }),
		"Sym.Set":       at(func(i, j int) { sym.Set(i, j, 1) }),
		"Sym.RowTo":     rows(sym.RowTo),
		"Sym.Add":       {func() { sym.Add(1, NewSym(2)) }},
		"Square.MatVec": pair(func(y, x []float64) { square.MatVec(y, x) }),
		"Square.Rank1":  {func() { square.Rank1(-1, of(2)) }, func() { square.Rank1(1, of(3)) }, func() { square.Rank1(math.NaN(), of(3)) }},
		"Square.At":     at(func(i, j int) { square.At(i, j) }),
		"Square.RowTo":  rows(square.RowTo),
		"UDU": {
			func() { udu.Project(of(2)) }, func() { udu.ProjectUnit(-1) }, func() { udu.ProjectUnit(3) },
			func() { udu.Observe(of(2), 1) }, func() { udu.CopyTo(NewSym(2)) },
		},
		"Cholesky": {
			func() { chol.Factor(NewSym(2), 0, 0) }, func() { chol.FactorBlock(sym, -8, 0, 0) },
			func() { chol.FactorBlock(NewSym(16), 4, 0, 0) }, func() { chol.FactorBlock(sym, 8, 0, 0) }, func() { chol.Solve(of(4)) },
		},
	} {
		for i, call := range calls {
			func() {
				defer func() {
					if _, ok := recover().(string); !ok {
						t.Errorf("%s, call %d: took wrong shapes", name, i)
					}
				}()
				call()
			}()
		}
	}
}

func FuzzDot(f *testing.F) {
	f.Add(uint64(1), 13, 0.0)
	f.Add(uint64(2), 65, math.Inf(1))
	f.Add(uint64(3), 0, math.NaN())
	f.Fuzz(func(t *testing.T, seed uint64, n int, extra float64) {
		n &= 255
		rng := rand.New(rand.NewPCG(seed, seed))
		x, y := isatest.Vector(t, rng, n), isatest.Vector(t, rng, n)
		if n > 0 {
			x[rng.IntN(n)] = extra
		}
		isatest.Each(t, func(t *testing.T) {
			got := Dot(x, y)
			finite := true
			for i := range x {
				p := x[i] * y[i]
				finite = finite && math.Abs(p) < 1e300 && !math.IsNaN(p) && (p == 0 || math.Abs(p) > 1e-300)
			}
			if !finite {
				return // the call must only not fail; TestNotFinite checks values
			}
			want, abs := sumOfProducts(x, y)
			near(t, "dot", got, want, tolerance(n, abs))
		})
	})
}
