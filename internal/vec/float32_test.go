package vec

import (
	"fmt"
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
			}
		}
	})
}
