package varmodel

import (
	"math/rand/v2"
	"testing"
)

// Whether the season or the last value is the better forecast of h steps is judged by the
// target and by what was known h samples before it: no sample between them matters, at
// horizons within a season and beyond.
func TestSeasonBaseSeesNoSampleAfterTheOrigin(t *testing.T) {
	const rows = 60
	unit := func(int, int) float64 { return 1 }
	for season := 2; season <= 6; season++ {
		for h := 2; h <= 15; h++ {
			gain := func(between float64) float64 {
				rng := rand.New(rand.NewPCG(uint64(season), uint64(h)))
				b, past := newSeasonBase([]int{h}), newHistory(1, rows)
				push := func(v float64) { past.push([]float64{v}, []float64{v}) }
				for i := range rows {
					v := rng.NormFloat64()
					if i == rows-h { // all samples up to the origin are known
						b.observe(season, past, unit)
					}
					if i >= rows-h && i < rows-1 {
						push(v + between)
						continue
					}
					push(v)
				}
				b.gains[0], b.losses[0] = 0, 0
				b.observe(season, past, unit)
				return b.gains[0]
			}
			if a, b := gain(0), gain(1); a != b {
				t.Errorf("season %d, horizon %d: samples after the origin change the gain from %v to %v", season, h, a, b)
			}
		}
	}
}
