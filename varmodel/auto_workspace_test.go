package varmodel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/footprint"
)

// Models that share a Workspace forecast, bit for bit, what models of their own do, in
// whatever order their samples come; and the second of them holds less.
func TestSharedWorkspaceChangesNothing(t *testing.T) {
	const rows, horizon = 700, 3
	for _, tier := range Tiers {
		var work Workspace
		var together, alone []eval.Forecaster
		var x [][][]float64
		for i, d := range []int{2, 3, 3, 9} {
			cfg := AutoConfig{Dim: d, Horizon: horizon, Tier: tier, Seed: uint64(1 + i/3)}
			alone = append(alone, newAuto(t, cfg).NewSeries())
			cfg.Workspace = &work
			together = append(together, newAuto(t, cfg).NewSeries())
			x = append(x, randomSeries(rand.New(rand.NewPCG(71, uint64(i))), rows, d, .02))
		}
		for i := range rows {
			for k, f := range together {
				d := len(x[k][i])
				a, b := make([]float64, horizon*d), make([]float64, horizon*d)
				if f.Observe(x[k][i]) != nil || alone[k].Observe(x[k][i]) != nil {
					t.Fatal("refused")
				}
				if f.ForecastTo(a) != alone[k].ForecastTo(b) || same([][]float64{a}, [][]float64{b}) != nil {
					t.Fatalf("%s, series %d, sample %d: %v, alone %v", tier, k, i, a, b)
				}
			}
		}
		if one, two := footprint.Of(together[1]), footprint.Of(together[1], together[2]); two-one >= one {
			t.Errorf("%s: two series hold %d bytes, one %d", tier, two, one)
		}
	}
}

// A history that grows has the lags of one that had its rows from the beginning, before the
// first sample of a coordinate and after a break, too.
func TestGrowingHistory(t *testing.T) {
	const dim, depth = 2, 50
	rng := rand.New(rand.NewPCG(72, 73))
	x := randomSeries(rng, 300, dim, .3)
	for i := range 20 {
		x[i][1] = math.NaN()
	}
	whole, growing := newHistory(dim, depth), newGrowingHistory(dim, 7, depth)
	for i, y := range x {
		if i == 31 || i == 190 {
			for _, h := range []*history{whole, growing} {
				h.reset()
				h.fill(0, 5)
			}
		}
		guess := []float64{float64(i), -float64(i)}
		whole.push(y, guess)
		growing.push(y, guess)
		if i == 25 {
			growing.reserve(depth - 10)
		}
		for l := range growing.size {
			if a, b := fmt.Sprint(whole.lag(l), whole.observedAt(l)), fmt.Sprint(growing.lag(l), growing.observedAt(l)); a != b {
				t.Fatalf("sample %d, lag %d: %s, in a history that grows %s", i, l, a, b)
			}
		}
	}
	if growing.size != depth {
		t.Errorf("room for %d of %d rows after %d samples", growing.size, depth, len(x))
	}
}

// A history that is to keep more rows loses none on the way, wherever its ring stands.
func TestHistoryKeepsMore(t *testing.T) {
	const depth, more = 50, 200
	for from := 120; from < 120+depth; from++ {
		whole, longer := newHistory(1, more), newHistory(1, depth)
		for i := range from + more {
			if i == from {
				longer.keep(more)
			}
			whole.push([]float64{float64(i)}, nil)
			longer.push([]float64{float64(i)}, nil)
			for l := range min(more, depth+max(0, i-from)) {
				if a, b := whole.lag(l)[0], longer.lag(l)[0]; a != b {
					t.Fatalf("sample %d, lag %d: %v, in a history that kept %d rows before sample %d %v", i, l, a, depth, from, b)
				}
			}
		}
		if longer.size != more {
			t.Errorf("room for %d of %d rows", longer.size, more)
		}
	}
}
