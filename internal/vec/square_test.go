package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/tools/isatest"
)

// Recursive least squares on a Square and on a Sym agree, step by step.
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
				// Elements are at most 2, or 2/.99^50, with one or two roundings per step.
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

// A Symmetric above the order of its largest Square has equal products and elements.
func TestSymmetricOfBothKinds(t *testing.T) {
	const n, tolerance = 5, 1e-13 // sums of 25 terms of at most 27, each with some roundings of 2^-53
	square, half := NewSymmetric(n, n), NewSymmetric(n, n-1)
	if _, is := square.(*Square); !is {
		t.Errorf("%T up to the order most", square)
	}
	if _, is := half.(*Square); is {
		t.Errorf("%T beyond the order most", half)
	}
	x, got, want := make([]float64, n), make([]float64, n), make([]float64, n)
	square.SetIdentity(3)
	half.SetIdentity(3)
	for step := range 4 {
		for i := range x {
			x[i] = float64((i+1)*(step+2)%7 - 3)
		}
		for _, s := range []Symmetric{square, half} {
			s.Rank1(-.25, x)
			s.Scale(.5)
		}
		h := square.MatVec(want, x)
		near(t, "x S x of a square", h, Dot(x, want), tolerance)
		near(t, "x S x of a half", half.MatVec(got, x), h, tolerance)
		for i := range n {
			near(t, "S x", got[i], want[i], tolerance)
		}
		for i := range n {
			square.RowTo(want, i)
			half.RowTo(got, i)
			for j := range n {
				near(t, "a row", got[j], want[j], tolerance)
				near(t, "an element of a square", square.At(i, j), want[j], 0)
				near(t, "an element of a half", half.At(i, j), got[j], 0)
			}
		}
	}
}
