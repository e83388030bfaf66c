package anomaly

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
)

// TestDayProfile: rows that come with the first sample of a bin have the bits of rows that were
// there from the beginning, also behind shifts of their variables and behind a restart.
func TestDayProfile(t *testing.T) {
	const dim = 2
	rng := rand.New(rand.NewPCG(3, 3))
	p, want := newDayProfile(dim), [dayBins][dim]float32{}
	for sample := range 400 {
		p.enter(int64(rng.IntN(dayBins)) * (int64(dayLen) / dayBins))
		steps, row := []float64{rng.NormFloat64(), rng.NormFloat64()}, &want[p.bin]
		if !slices.Equal(p.row(), row[:]) {
			t.Fatalf("sample %d: bin %d has %v, want %v", sample, p.bin, p.row(), *row)
		}
		p.learn(steps)
		for j, step := range steps {
			row[j] = moved(row[j], lanes.Weight(float64(p.counts[p.bin]), 1./dayMost)*step)
		}
		if j := rng.IntN(10 * dim); j < dim {
			d := rng.NormFloat64()
			p.shift(j, d)
			for bin := range want {
				want[bin][j] = moved(want[bin][j], d)
			}
		}
		if sample%20 == 0 {
			enc := snapshot.NewEncoder(nil)
			p.state(enc)
			dec := snapshot.NewDecoder(enc.Bytes())
			p = newDayProfile(dim)
			if p.state(dec); dec.Finish() != nil {
				t.Fatal(dec.Finish())
			}
		}
	}
}
