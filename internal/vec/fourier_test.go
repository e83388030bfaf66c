package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// guardedOf returns n zeros that end where memory ends.
func guardedOf[T Float](t *testing.T, n int) []T {
	size := int(unsafe.Sizeof(T(0)))
	room := guarded(t, (n*size+7)/8)
	if n == 0 {
		return nil
	}
	all := unsafe.Slice((*T)(unsafe.Pointer(&room[0])), len(room)*8/size)
	return all[len(all)-n:]
}

func randomOf[T Float](t *testing.T, rng *rand.Rand, n int) []T {
	x := guardedOf[T](t, n)
	for i := range x {
		x[i] = T(rng.NormFloat64())
	}
	return x
}

func wide[T Float](x []T) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

func TestFourier(t *testing.T) {
	each(t, func(t *testing.T) {
		t.Run("float64", func(t *testing.T) { testFourier[float64](t, 1.3e-15, 0x1p-53) })
		t.Run("float32", func(t *testing.T) { testFourier[float32](t, 6e-7, 0x1p-24) })
	})
}

// testFourier compares with the definition: trig is the error of sine and cosine,
// eps that of one operation.
func testFourier[T Float](t *testing.T, trig, eps float64) {
	rng := rand.New(rand.NewPCG(6, 6))
	for _, n := range []int{1, 8, 9, 16, 17, 31, 33, 64, 100} {
		for _, rows := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 17} {
			inputs, given := 1+(n+rows)%7, (n+rows)%3*Panel[T]()
			name := fmt.Sprintf("%d rows, %d frequencies, %d inputs, %d given", rows, n, inputs, given)
			w := randomVector(rng, inputs*n)
			for i, v := range w {
				w[i] = float64(T(v))
			}
			f := NewFourier[T](w, inputs)
			m := f.Len() + given
			x, a, g, u := randomOf[T](t, rng, inputs), randomOf[T](t, rng, rows*m), randomOf[T](t, rng, rows), randomOf[T](t, rng, m)
			phi, y := randomOf[T](t, rng, m), guardedOf[T](t, rows)
			before := append([]T(nil), a...)
			const scale = 0.3
			f.Step(&FourierStep[T]{y, a, g, u, phi, x, scale})

			alone := guardedOf[T](t, f.Len())
			f.FeaturesTo(alone, x, scale)
			used := make([]bool, f.Len())
			for j := range 2 * n {
				p := f.Place(j)
				if used[p] {
					t.Fatalf("%s: two features stand at %d", name, p)
				}
				used[p] = true
				turns, abs := sumOfProducts(column(w, inputs, n, j%n), wide(x))
				want, cos := bigSinCos(turns)
				if j < n {
					want = cos
				}
				tol := scale * (trig + 2*math.Pi*float64(inputs+2)*eps*abs + 4*eps)
				near(t, name+": feature", float64(phi[p]), float64(T(scale))*want, tol)
			}
			for p, v := range alone {
				if v != phi[p] {
					t.Fatalf("%s: feature %d is %v in one pass and %v alone", name, p, phi[p], v)
				}
				if !used[p] && v != 0 {
					t.Fatalf("%s: %v stands where no feature is", name, v)
				}
			}
			// An update kept back must leave the same weights when it comes alone.
			AddOuterOf(before, 1, g, u)
			for k, v := range before {
				if v != a[k] {
					t.Fatalf("%s: weight %d is %v in one pass and %v alone", name, k, a[k], v)
				}
			}
			for r, v := range y {
				want, abs := sumOfProducts(wide(a[r*m:(r+1)*m]), wide(phi))
				near(t, name+": product", float64(v), want, float64(m+2)*eps*abs)
			}
		}
	}
}

func TestFourierNotFinite(t *testing.T) {
	each(t, func(t *testing.T) {
		f := NewFourier[float64](make([]float64, 2*20), 2)
		phi := make([]float64, f.Len())
		for _, bad := range []float64{math.NaN(), math.Inf(1)} {
			f.FeaturesTo(phi, []float64{bad, 1}, 1)
			for j := range 40 {
				if v := phi[f.Place(j)]; !math.IsNaN(v) {
					t.Fatalf("feature %d of %v is %v", j, bad, v)
				}
			}
		}
	})
}

func TestAddMatMul32(t *testing.T) {
	each(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(9, 9))
		for _, m := range []int{0, 1, 4, 7} {
			for _, n := range []int{1, 3, 15, 16, 17, 63, 64, 70, 600} {
				for _, k := range []int{0, 1, 8, 9} {
					a, b, c := vector32(t, rng, m*k), vector32(t, rng, k*n), vector32(t, rng, m*n)
					before := append([]float32(nil), c...)
					AddMatMul32(c, 0.7, a, b, m, n, k)
					for i := range c {
						row, col := []float64{1}, []float64{float64(before[i])}
						for l := range k {
							row = append(row, float64(float32(0.7))*float64(a[i/n*k+l]))
							col = append(col, float64(b[l*n+i%n]))
						}
						want, abs := sumOfProducts(row, col)
						near(t, fmt.Sprintf("C + A B, %d x %d x %d", m, n, k), float64(c[i]), want, tolerance32(k+2, abs))
					}
				}
			}
		}
	})
}

func TestFourierDoesNotAllocate(t *testing.T) {
	f := NewFourier[float32](make([]float64, 3*20), 3)
	m := f.Len()
	y, a, g, u, phi, x := make([]float32, 2), make([]float32, 2*m), make([]float32, 2), make([]float32, m), make([]float32, m), make([]float32, 3)
	s := FourierStep[float32]{y, a, g, u, phi, x, 1}
	if n := testing.AllocsPerRun(10, func() {
		f.Step(&s)
		MatVecOf(y, a, phi)
		AddMatMulOf(a, 1, y, u, 2, m, 1)
	}); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

func BenchmarkFourier(b *testing.B) {
	for _, s := range [][3]int{{5, 100, 5}, {18, 100, 18}, {3, 300, 3}} {
		d, n, m := s[0], s[1], s[2]
		b.Run(fmt.Sprint(s), func(b *testing.B) {
			b.Run("float64", func(b *testing.B) { benchmarkFourier[float64](b, d, n, m) })
			b.Run("float32", func(b *testing.B) { benchmarkFourier[float32](b, d, n, m) })
		})
	}
}

func benchmarkFourier[T Float](b *testing.B, d, n, inputs int) {
	eachBench(b, func(b *testing.B) {
		f := NewFourier[T](randomVector(rand.New(rand.NewPCG(1, 1)), inputs*n), inputs)
		m := f.Len()
		y, a, g, u, phi, x := make([]T, d), Aligned[T](d*m), make([]T, d), Aligned[T](m), Aligned[T](m), make([]T, inputs)
		s := FourierStep[T]{y, a, g, u, phi, x, 1}
		for b.Loop() {
			f.Step(&s)
		}
	})
}
