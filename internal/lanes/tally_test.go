package lanes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/internal/tools/isatest"
)

// The sums of Tally agree with the definitions, computed by plain loops over the samples. Values are missing in all
// places, and two horizons wait in reverse order.
func TestTally(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		for _, n := range isatest.Lengths {
			for _, rows := range []int{TallyForecasts, TallyReferences, TallyErrors} {
				testTally(t, n, rows)
			}
		}
	})
}

func testTally(t *testing.T, n, rows int) {
	const horizons = 2
	rng := rand.New(rand.NewPCG(8, 8))
	odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1)}
	kept, size := TallyRows(rows), TallySize(rows, n)
	sums, errs, totals := isatest.Guarded(t, horizons*size), isatest.Guarded(t, horizons*n), isatest.Guarded(t, horizons*3)
	want := make([]float64, horizons*size)
	targets := make([][]float64, horizons*n) // scored targets
	target, waiting := isatest.Guarded(t, n), isatest.Guarded(t, horizons*n*rows)
	offsets := []int{n * rows, 0}
	for range 30 {
		draw := func() float64 {
			if rng.IntN(8) == 0 {
				return odd[rng.IntN(len(odd))]
			}
			return 10 + rng.NormFloat64()
		}
		for j := range target {
			target[j] = draw()
		}
		for i := range waiting {
			waiting[i] = draw()
		}
		before := slices.Clone(waiting)
		Tally(totals, sums, errs, waiting, offsets, target, rows)
		for k, offset := range offsets {
			forecast := func(row, j int) float64 { return before[offset+row*n+j] }
			var wantCount, wantSE, wantAE float64
			for j, y := range target {
				if v := waiting[offset+j]; v == v {
					t.Fatalf("%d of %d: %v still waits", j, n, v)
				}
				e, naive := y-forecast(TallyForecast, j), 0.
				if rows > TallyErrors {
					naive = y - forecast(TallyNaive, j)
				}
				got := errs[k*n+j]
				if math.IsNaN(e+naive) || math.IsInf(e, 0) || math.IsInf(naive, 0) {
					if !math.IsNaN(got) {
						t.Fatalf("%d of %d: error %v of a target that is not scored", j, n, got)
					}
					continue
				}
				if got != e {
					t.Fatalf("%d of %d: error %v, want %v", j, n, got, e)
				}
				targets[k*n+j] = append(targets[k*n+j], y)
				wantCount, wantSE, wantAE = wantCount+1, wantSE+e*e, wantAE+math.Abs(e)
				add := func(row int, v float64) { want[k*size+row*n+j] += v }
				add(TallyCount, 1)
				add(TallySE, e*e)
				add(TallySE2, e*e*e*e)
				add(TallyAE, math.Abs(e))
				if rows == TallyErrors {
					continue
				}
				add(TallyNaiveSE, naive*naive)
				add(TallyNaiveAE, math.Abs(naive))
				if r := y - forecast(TallyReference, j); !math.IsNaN(r) && !math.IsInf(r, 0) {
					add(TallyRefCount, 1)
					add(TallyRefOwnSE, e*e)
					add(TallyRefSE, r*r)
				}
				if rows == TallyReferences {
					continue
				}
				lower, upper := forecast(TallyLower, j), forecast(TallyUpper, j)
				if w := upper - lower; !math.IsNaN(w) && !math.IsInf(w, 0) {
					add(TallyBounded, 1)
					add(TallyWidth, w)
					if y < lower || y > upper {
						add(TallyMissed, 1)
					}
					add(TallyExcess, max(lower-y, 0)+max(y-upper, 0))
				}
			}
			near(t, "count", totals[3*k], wantCount, 0)
			near(t, "se", totals[3*k+1], wantSE, float64(n+2)*0x1p-53*wantSE)
			near(t, "ae", totals[3*k+2], wantAE, float64(n+2)*0x1p-53*wantAE)
		}
	}
	for i, y := range targets {
		mean, m2 := 0., 0.
		for _, v := range y {
			mean += v / float64(len(y))
		}
		for _, v := range y {
			m2 += (v - mean) * (v - mean)
		}
		k, j := i/n, i%n
		want[k*size+TallyMean*n+j], want[k*size+TallyM2*n+j] = mean, m2
	}
	for i := range sums {
		row, j := i%size/n, i%size%n
		// Thirty terms of one sign, each rounded a few times. The sums of Welford's method have larger errors: that of
		// the mean, near 10, times deviations.
		tolerance := 100 * 0x1p-53 * math.Abs(want[i])
		if row == TallyM2 {
			tolerance = 10_000 * 0x1p-53
		}
		near(t, fmt.Sprintf("row %d of %d, %d of %d", row, kept, j, n), sums[i], want[i], tolerance)
	}
}

func BenchmarkTally(b *testing.B) {
	for _, n := range []int{1, 7, 31} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			isatest.Each(b, func(b *testing.B) {
				const horizons = 8
				totals, sums, errs := make([]float64, horizons*3), make([]float64, horizons*TallySize(TallyForecasts, n)), make([]float64, horizons*n)
				waiting, target := make([]float64, horizons*n*TallyForecasts), make([]float64, n)
				offsets := make([]int, horizons)
				for k := range offsets {
					offsets[k] = k * n * TallyForecasts
				}
				for b.Loop() {
					Tally(totals, sums, errs, waiting, offsets, target, TallyForecasts)
				}
			})
		})
	}
}
