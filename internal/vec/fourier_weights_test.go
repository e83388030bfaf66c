package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/internal/tools/isatest"
)

// standard returns n numbers of the normal distribution in guarded memory.
func standard(t *testing.T, rng *rand.Rand, n int) []float64 {
	x := isatest.Guarded(t, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

const (
	trig = 1.3e-15 // error of a sine or cosine
	eps  = 0x1p-53 // error of one operation
)

// TestFourierWeights compares with the definition.
func TestFourierWeights(t *testing.T) { isatest.Each(t, testFourierWeights) }

func testFourierWeights(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for _, n := range []int{1, 8, 9, 16, 17, 31, 33, 64, 100} {
		for rows := range 18 {
			inputs, given := 1+(n+rows)%7, (n+rows)%3*Panel
			name := fmt.Sprintf("%d rows, %d frequencies, %d inputs, %d given", rows, n, inputs, given)
			w := randomVector(rng, inputs*n)
			k := (n + rows) % 5
			f := newTestWeights(t, rng, w, inputs, given, rows, k+1, k)
			m := f.row
			x, y := standard(t, rng, inputs), isatest.Guarded(t, rows)
			a, g := slices.Clone(f.rows), slices.Clone(f.g)
			f.PredictTo(y, x)
			phi := f.features(k)
			copy(a[(rows+k)*m:], phi)
			sameBits(t, name+": rows after a product", f.rows, a)

			alone := newTestWeights(t, rng, w, inputs, given, 0, 1, 0)
			copy(alone.Given(), phi[f.len:])
			alone.PredictTo(nil, x)
			sameBits(t, name+": features with the product and alone", phi, alone.features(0))

			// A deferred update gives the same bits.
			if k > 0 {
				later, now := newTestWeights(t, rng, w, inputs, given, rows, k, k), newTestWeights(t, rng, w, inputs, given, rows, 1, 0)
				copy(later.rows, a)
				copy(later.g, g)
				copy(now.rows, a[:rows*m])
				AddOuters(now.rows[:rows*m], g, a[rows*m:(rows+k)*m], rows, k, m)
				copy(now.Given(), phi[f.len:])
				z, want := isatest.Guarded(t, rows), make([]float64, rows)
				later.PredictTo(z, x)
				now.PredictTo(want, x)
				sameBits(t, name+": updated weights and features", later.rows[:(rows+1)*m], now.rows[:(rows+1)*m])
				sameBits(t, name+": products with them", z, want)
			}

			used := make([]bool, f.len)
			for j := range 2 * n {
				p := f.Place(j)
				if used[p] {
					t.Fatalf("%s: two features stand at %d", name, p)
				}
				used[p] = true
				turns, abs := sumOfProducts(column(w, inputs, n, j%n), x)
				want, cos := bigSinCos(turns)
				if j < n {
					want = cos
				}
				tol := trig + 2*math.Pi*float64(inputs+2)*eps*abs
				near(t, name+": feature", phi[p], want, tol)
			}
			for p, v := range phi[:f.len] {
				if !used[p] && v != 0 {
					t.Fatalf("%s: %v stands where no feature is", name, v)
				}
			}
			for r, v := range y {
				weights := clone(a[r*m : (r+1)*m])
				factors := clone(phi)
				for s := range k {
					row := a[(rows+s)*m : (rows+s+1)*m]
					for i, u := range row {
						weights, factors = append(weights, g[s*rows+r]*u), append(factors, phi[i])
					}
				}
				want, abs := sumOfProducts(weights, factors)
				near(t, name+": product", v, want, float64(m+k+3)*eps*abs)
			}
		}
	}
}

// newTestWeights returns random weights with k kept steps, at the end of guarded memory.
func newTestWeights(t *testing.T, rng *rand.Rand, w []float64, inputs, given, outputs, steps, k int) *FourierWeights {
	f := NewFourierWeights(w, inputs, given, outputs, steps)
	f.rows, f.g = standard(t, rng, (outputs+k+1)*f.row), standard(t, rng, k*outputs)
	f.kept = k
	return f
}

func TestFourierWeightsNotFinite(t *testing.T) {
	isatest.Each(t, testFourierWeightsNotFinite)
}

func testFourierWeightsNotFinite(t *testing.T) {
	w := make([]float64, 2*20)
	for i := range w {
		w[i] = 2
	}
	f := NewFourierWeights(w, 2, 0, 1, 1)
	y, phi := make([]float64, 1), f.features(0)
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64} {
		f.PredictTo(y, []float64{bad, 1})
		for j := range 40 {
			if v := phi[f.Place(j)]; v == v {
				t.Fatalf("feature %d of %v is %v", j, bad, v)
			}
		}
		if y[0] == y[0] {
			t.Fatalf("the product with the features of %v is %v", bad, y[0])
		}
	}
	f.rows[0] = 1
	f.PredictTo(y, nil)
	for p, v := range phi {
		if v != 0 || y[0] != 0 {
			t.Fatalf("without inputs feature %d is %v and the product %v", p, v, y[0])
		}
	}
}

// TestFourierWeightsLargeAngles uses exact angles, with and without the reduction of kernels for large inputs.
func TestFourierWeightsLargeAngles(t *testing.T) {
	isatest.Each(t, testFourierWeightsLargeAngles)
}

func testFourierWeightsLargeAngles(t *testing.T) {
	w := randomVector(rand.New(rand.NewPCG(11, 11)), 20)
	f := NewFourierWeights(w, 1, 0, 0, 1)
	phi := f.features(0)
	for e := range 64 {
		x := math.Ldexp(1, e)
		f.PredictTo(nil, []float64{x})
		for k, v := range w {
			sin, cos := bigSinCos(v * x)
			near(t, fmt.Sprintf("cos of %v turns", v*x), phi[f.Place(k)], cos, trig)
			near(t, fmt.Sprintf("sin of %v turns", v*x), phi[f.Place(20+k)], sin, trig)
		}
	}
}

func TestAddOuters(t *testing.T) {
	isatest.Each(t, testAddOuters)
}

func testAddOuters(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 10))
	for m := range 14 {
		for _, panels := range []int{1, 2, 3, 7, 40} {
			for _, k := range []int{0, 1, 2, 3, 8, 9} {
				n := panels * Panel
				a, g, u := standard(t, rng, m*n), standard(t, rng, k*m), standard(t, rng, k*n)
				before := clone(a)
				AddOuters(a, g, u, m, k, n)
				for i, v := range a {
					x, y := []float64{before[i]}, []float64{1}
					for s := range k {
						x, y = append(x, g[s*m+i/n]), append(y, u[s*n+i%n])
					}
					want, abs := sumOfProducts(x, y)
					near(t, fmt.Sprintf("A + G^T U, %d x %d, %d terms", m, n, k), v, want, float64(k+2)*eps*abs)
				}
			}
		}
	}
}

func TestFourierWeightsDoesNotAllocate(t *testing.T) {
	f := NewFourierWeights(make([]float64, 3*20), 3, 0, 2, 3)
	y, x := make([]float64, 2), make([]float64, 3)
	if n := testing.AllocsPerRun(10, func() {
		f.PredictTo(y, x)
		f.Keep(1, y)
	}); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

func BenchmarkFourierWeights(b *testing.B) {
	for _, s := range [][3]int{{5, 100, 5}, {18, 100, 18}, {3, 300, 3}} {
		d, n, m := s[0], s[1], s[2]
		b.Run(fmt.Sprint(s), func(b *testing.B) {
			isatest.Each(b, func(b *testing.B) {
				f := NewFourierWeights(randomVector(rand.New(rand.NewPCG(1, 1)), m*n), m, 0, d, 3)
				y, x := make([]float64, d), make([]float64, m)
				for b.Loop() {
					f.PredictTo(y, x)
				}
			})
		})
	}
}
