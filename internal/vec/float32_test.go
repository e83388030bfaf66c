package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// vector32 returns n random numbers in guarded memory.
func vector32(t *testing.T, rng *rand.Rand, n int) []float32 {
	x := make([]float32, 0)
	if n > 0 {
		room := guarded(t, (n+1)/2) // ends where memory ends
		all := unsafe.Slice((*float32)(unsafe.Pointer(&room[0])), 2*len(room))
		x = all[len(all)-n:]
	}
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}

func widen(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

func tolerance32(n int, abs float64) float64 { return float64(n+2) * 0x1p-24 * abs }

func TestMatrixVector32(t *testing.T) {
	each(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(2, 2))
		for _, m := range []int{0, 1, 2, 3, 5, 8, 9, 31} {
			for _, n := range lengths {
				name := fmt.Sprintf("%d x %d", m, n)
				a, x, y := vector32(t, rng, m*n), vector32(t, rng, n), vector32(t, rng, m)
				g, u := vector32(t, rng, m), vector32(t, rng, n)
				MatVec32(y, a, x)
				for i := range y {
					want, abs := sumOfProducts(widen(a[i*n:(i+1)*n]), widen(x))
					near(t, "A x, "+name, float64(y[i]), want, tolerance32(n, abs))
				}
				z := vector32(t, rng, n)
				sum := append([]float32(nil), z...)
				AddMatTVec32(sum, a, y)
				for j := range sum {
					want, abs := sumOfProducts(append(column(widen(a), m, n, j), 1), append(widen(y), float64(z[j])))
					near(t, "y + A^T x, "+name, float64(sum[j]), want, tolerance32(m+1, abs))
				}
				before := append([]float32(nil), a...)
				AddOuter32(a, 0.3, g, u)
				for k := range a {
					want, abs := sumOfProducts([]float64{float64(float32(0.3) * g[k/n]), 1}, []float64{float64(u[k%n]), float64(before[k])})
					near(t, "outer, "+name, float64(a[k]), want, tolerance32(2, abs))
				}
				b := append([]float32(nil), a...)
				UpdateMatVec32(y, a, g, u, x)
				AddOuter32(b, 1, g, u)
				want := make([]float32, m)
				MatVec32(want, b, x)
				for i := range b {
					if a[i] != b[i] {
						t.Fatalf("%s: fused update differs at %d", name, i)
					}
				}
				for i := range want {
					if y[i] != want[i] {
						t.Fatalf("%s: fused product differs at %d", name, i)
					}
				}
			}
		}
	})
}

func TestFeatures32(t *testing.T) {
	each(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 3))
		for _, m := range []int{0, 1, 2, 5, 18} {
			for _, d := range lengths {
				w, x, phi := vector32(t, rng, m*d), vector32(t, rng, m), vector32(t, rng, 2*d)
				const scale = 0.5
				Features32(phi, w, x, scale)
				for j := range d {
					angle, abs := sumOfProducts(column(widen(w), m, d, j), widen(x))
					sin, cos := bigSinCos(angle)
					tol := scale * (6e-7 + 2*math.Pi*tolerance32(m, abs))
					name := fmt.Sprintf("%d x %d, frequency %d", m, d, j)
					near(t, "cos, "+name, float64(phi[j]), scale*cos, tol)
					near(t, "sin, "+name, float64(phi[d+j]), scale*sin, tol)
				}
			}
		}
		bad := []float32{float32(math.NaN()), float32(math.Inf(1))}
		for _, v := range bad {
			phi := make([]float32, 2)
			Features32(phi, []float32{1}, []float32{v}, 1)
			if phi[0] == phi[0] || phi[1] == phi[1] {
				t.Errorf("%v gives %v, want NaN", v, phi)
			}
		}
	})
}
