package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/tools/isatest"
)

// The recursion of least squares on a Square and on a Sym, step by step.
func TestSquare(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(12, 12))
		for n := 1; n <= 33; n++ {
			a, b := NewSquare(n), NewSym(n)
			a.SetIdentity(2)
			b.SetIdentity(2)
			x, y, want := isatest.Guarded(t, n), isatest.Guarded(t, n), isatest.Guarded(t, n)
			for step := range 50 {
				for i := range x {
					x[i] = rng.NormFloat64()
				}
				h := a.MatVec(y, x)
				b.MatVec(want, x)
				// Elements are at most 2, or 2/.99^50, and lose a rounding or two a step.
				tolerance := float64(n) * 100 * 0x1p-53 * 5 * 4
				near(t, fmt.Sprint("x S x of ", n), h, Dot(x, want), tolerance*float64(n)*4)
				for i := range y {
					near(t, fmt.Sprintf("element %d of %d", i, n), y[i], want[i], tolerance)
				}
				a.Rank1(-1/(1+h), y)
				b.Rank1(-1/(1+h), y)
				a.Scale(1 / .99)
				b.Scale(1 / .99)
				for i := range n {
					for j := range i {
						if p, q := a.a[i*a.stride+j], a.a[j*a.stride+i]; math.Float64bits(p) != math.Float64bits(q) {
							t.Fatalf("step %d: elements (%d, %d) of %d differ: %v and %v", step, i, j, n, p, q)
						}
					}
				}
			}
			for i := range n {
				a.RowTo(y, i)
				b.RowTo(want, i)
				for j := range y {
					near(t, fmt.Sprintf("row %d of %d", i, n), y[j], want[j], float64(n)*100*0x1p-53*20)
				}
			}
			enc := snapshot.NewEncoder(nil)
			a.State(enc)
			restored := NewSquare(n)
			dec := snapshot.NewDecoder(enc.Bytes())
			restored.State(dec)
			if err := dec.Finish(); err != nil {
				t.Fatal(err)
			}
			sameBits(t, "restored", restored.a, a.a)
		}
	})
}
