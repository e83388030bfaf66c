package series

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// A history that grows has the lags of one that had its rows from the beginning, before the
// first sample of a coordinate and after a break, too.
func TestGrowingHistory(t *testing.T) {
	const dim, depth = 2, 50
	rng := rand.New(rand.NewPCG(72, 73))
	x := modeltest.RandomSeries(rng, 300, dim, .3)
	for i := range 20 {
		x[i][1] = math.NaN()
	}
	whole, growing := NewHistory(dim, depth), NewGrowingHistory(dim, 7, depth)
	for i, y := range x {
		if i == 31 || i == 190 {
			for _, h := range []*History{whole, growing} {
				h.Reset()
				h.Fill(0, 5)
			}
		}
		guess := []float64{float64(i), -float64(i)}
		whole.Push(y, guess)
		growing.Push(y, guess)
		if i == 25 {
			growing.Reserve(depth - 10)
		}
		for l := range growing.size {
			if a, b := fmt.Sprint(whole.Lag(l), whole.ObservedAt(l)), fmt.Sprint(growing.Lag(l), growing.ObservedAt(l)); a != b {
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
		whole, longer := NewHistory(1, more), NewHistory(1, depth)
		for i := range from + more {
			if i == from {
				longer.Keep(more)
			}
			whole.Push([]float64{float64(i)}, nil)
			longer.Push([]float64{float64(i)}, nil)
			for l := range min(more, depth+max(0, i-from)) {
				if a, b := whole.Lag(l)[0], longer.Lag(l)[0]; a != b {
					t.Fatalf("sample %d, lag %d: %v, in a history that kept %d rows before sample %d %v", i, l, a, depth, from, b)
				}
			}
		}
		if longer.size != more {
			t.Errorf("room for %d of %d rows", longer.size, more)
		}
	}
}
