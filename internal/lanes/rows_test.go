package lanes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/internal/tools/isatest"
	"github.com/orffvar/forecaster/internal/vec"
)

// Every instruction set gives the bits of portable Go for all values.
func TestStandardise(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(14, 14))
		for _, n := range lanesOf {
			for rows := range 5 {
				x, mean, inverse := wilds(t, rng, rows*n), wilds(t, rng, n), wilds(t, rng, n)
				got, want := room(t, rows, n), make([]float64, rows*n)
				Standardise(got, x, mean, inverse, 1.5)
				standardisePortable(want, x, mean, inverse, 1.5)
				sameNumbers(t, fmt.Sprint(rows, " rows of ", n), got, want)
			}
		}
		dst := Rows(2, 2)
		Standardise(dst, []float64{1, 2, 3, 40}, []float64{1, 2}, []float64{.5, 1}, 10)
		sameNumbers(t, "two rows", dst, []float64{1, 10, 0, 0})
	})
}

func TestBound(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(15, 15))
		for _, n := range lanesOf {
			m := NewMoments(n, 1, 30, 10, 1e-12, 2)
			for range 20 {
				m.Add(isatest.Vector(t, rng, n))
				v, origin, unit, last := wilds(t, rng, n), wilds(t, rng, n), wilds(t, rng, n), wilds(t, rng, n)
				got, want := room(t, 1, n), make([]float64, n)
				m.Bound(got, v, origin, unit, last, 3, nil)
				boundPortable(m, want, v, origin, unit, last, m.Floor, m.Ceiling, 3)
				sameNumbers(t, fmt.Sprint("of ", n), got, want)
				move := wilds(t, rng, n)
				floor, ceiling := make([]float64, n), make([]float64, n)
				for j, v := range move {
					floor[j], ceiling[j] = m.Range(j, v)
				}
				m.Bound(got, v, origin, unit, last, 3, move)
				boundPortable(m, want, v, origin, unit, last, floor, ceiling, 3)
				sameNumbers(t, fmt.Sprint("on the move, of ", n), got, want)
			}
		}
		m := NewMoments(4, 1, 30, 10, 1e-12, 2)
		for j := range 4 {
			m.Steps[j], m.Floor[j], m.Ceiling[j] = 2, 0, 20
		}
		dst, ten := Rows(1, 4), []float64{10, 10, 10, 10}
		m.Bound(dst, []float64{.5, 3, math.NaN(), -9}, ten, ten, ten, 6, nil) // steps of 5, 30, 0 and -90, limited to 12
		sameNumbers(t, "forecasts", dst, []float64{15, 20, 10, 0})
		m.Bound(dst, []float64{3, -9, 3, -9}, ten, ten, ten, 6, []float64{1, -1, -1, 1}) // a move extends the range 0 to 20 in its direction
		sameNumbers(t, "on the move", dst, []float64{21, -1, 20, 0})
	})
}

func TestLocalMean(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(18, 18))
		for _, n := range lanesOf {
			create := func() *LocalMean { return NewLocalMean(n, .1, .01, 20, 5, 1e-12) }
			got, want := create(), create()
			for step := range 200 {
				x := wilds(t, rng, n)
				for j := range x {
					if j%7 == 3 {
						x[j] = 5
					} else if x[j] += 5; step < 150 && math.IsInf(x[j], 0) {
						x[j] = 0
					}
				}
				got.Add(x)
				localMeanPortable(want, x)
				for i := range new(LocalMean).fields() {
					row := i * vec.Stride(n)
					sameNumbers(t, fmt.Sprintf("row %d of %d, step %d", i, n, step), got.all[row:row+n], want.all[row:row+n])
				}
			}
		}
		// Mean of 2, 4 and 9, where the last value has half the weight.
		l := NewLocalMean(1, .5, 1./3, 100, 5, 0)
		for _, v := range []float64{2, 4, math.NaN(), 9} {
			l.Add([]float64{v})
		}
		near(t, "mean", l.Mean[0], 6, 1e-14)
		near(t, "variance", l.Variance[0], (4+36)/2., 1e-14) // of 4 around 2, and of 9 around 3
		near(t, "inverse", l.Inverse[0], 1/math.Sqrt(20), 1e-15)
	})
}

func BenchmarkRows(b *testing.B) {
	const n = 7
	x, zero := Rows(3, n), make([]float64, n)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	dst := Rows(3, n)
	m, l := NewMoments(n, .9999, 30, 10, 1e-12, 2), NewLocalMean(n, .02, 1e-4, 30, 10, 1e-12)
	isatest.Each(b, func(b *testing.B) {
		for name, f := range map[string]func(){
			"Standardise": func() { Standardise(dst, x, zero, zero, 10) },
			"Bound":       func() { m.Bound(dst[:n], x[:n], zero, x[n:2*n], x[2*n:], 4, nil) },
			"LocalMean":   func() { l.Add(x[:n]) },
		} {
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					f()
				}
			})
		}
	})
}
