package lanes

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/internal/isa/isatest"
)

// What Tally adds up, against the definitions in plain loops over the samples, with
// values that are missing in all places.
func TestTally(t *testing.T) {
	isatest.Each(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(8, 8))
		odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1)}
		for _, n := range isatest.Lengths {
			for _, rows := range []int{TallyForecasts, TallyLower} {
				kept := TallySums
				if rows == TallyLower {
					kept = TallySumsShort
				}
				sums, errs := isatest.Guarded(t, n*kept), isatest.Guarded(t, n)
				want := make([]float64, n*kept)
				targets := make([][]float64, n) // that were scored
				target, forecasts := isatest.Guarded(t, n), isatest.Guarded(t, n*rows)
				for range 30 {
					draw := func() float64 {
						if rng.IntN(8) == 0 {
							return odd[rng.IntN(len(odd))]
						}
						return 10 + rng.NormFloat64()
					}
					for j := range target {
						target[j] = draw()
						for r := range rows {
							forecasts[r*n+j] = draw()
						}
					}
					count, se, ae := Tally(sums, errs, forecasts, target)
					var wantCount, wantSE, wantAE float64
					for j, y := range target {
						e, naive := y-forecasts[j], y-forecasts[n+j]
						if math.IsNaN(e+naive) || math.IsInf(e, 0) || math.IsInf(naive, 0) {
							if !math.IsNaN(errs[j]) {
								t.Fatalf("%d of %d: error %v of a target that is not scored", j, n, errs[j])
							}
							continue
						}
						if errs[j] != e {
							t.Fatalf("%d of %d: error %v, want %v", j, n, errs[j], e)
						}
						targets[j] = append(targets[j], y)
						wantCount, wantSE, wantAE = wantCount+1, wantSE+e*e, wantAE+math.Abs(e)
						add := func(row int, v float64) { want[row*n+j] += v }
						add(TallyCount, 1)
						add(TallySE, e*e)
						add(TallySE2, e*e*e*e)
						add(TallyAE, math.Abs(e))
						add(TallyNaiveSE, naive*naive)
						add(TallyNaiveAE, math.Abs(naive))
						if r := y - forecasts[2*n+j]; !math.IsNaN(r) && !math.IsInf(r, 0) {
							add(TallyRefCount, 1)
							add(TallyRefOwnSE, e*e)
							add(TallyRefSE, r*r)
						}
						if rows == TallyLower {
							continue
						}
						lower, upper := forecasts[3*n+j], forecasts[4*n+j]
						if w := upper - lower; !math.IsNaN(w) && !math.IsInf(w, 0) {
							add(TallyBounded, 1)
							add(TallyWidth, w)
							if y < lower || y > upper {
								add(TallyMissed, 1)
							}
							add(TallyExcess, max(lower-y, 0)+max(y-upper, 0))
						}
					}
					near(t, "count", count, wantCount, 0)
					near(t, "se", se, wantSE, float64(n+2)*0x1p-53*wantSE)
					near(t, "ae", ae, wantAE, float64(n+2)*0x1p-53*wantAE)
				}
				for j, y := range targets {
					mean, m2 := 0., 0.
					for _, v := range y {
						mean += v / float64(len(y))
					}
					for _, v := range y {
						m2 += (v - mean) * (v - mean)
					}
					want[TallyMean*n+j], want[TallyM2*n+j] = mean, m2
				}
				for i := range sums {
					// Thirty terms of one sign, each rounded a few times; more for what
					// Welford's method adds up: errors of the mean, near 10, times deviations.
					tolerance := 100 * 0x1p-53 * math.Abs(want[i])
					if i/max(n, 1) == TallyM2 {
						tolerance = 10_000 * 0x1p-53
					}
					near(t, fmt.Sprintf("row %d, %d of %d", i/n, i%n, n), sums[i], want[i], tolerance)
				}
			}
		}
	})
}

func BenchmarkTally(b *testing.B) {
	for _, n := range []int{1, 7, 31} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			isatest.Each(b, func(b *testing.B) {
				// Several in turn: what was just stored is not loaded at once.
				const turns = 8
				sums, errs := make([]float64, turns*n*TallySums), make([]float64, n)
				forecasts, target := make([]float64, n*TallyForecasts), make([]float64, n)
				for i := 0; b.Loop(); i++ {
					at := i % turns * n * TallySums
					Tally(sums[at:at+n*TallySums], errs, forecasts, target)
				}
			})
		})
	}
}
