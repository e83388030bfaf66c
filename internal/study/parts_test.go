package study

import (
	"math"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/varmodel/auto"
)

// A part that was made for one kind of series is worth most of what it could be there. The limits are half of
// the gain in the logarithm that was measured with these seeds; over ten other seeds the gains differ by a fifth.
func TestPartsAreWorthWhereTheyWereMadeFor(t *testing.T) {
	for _, c := range []struct {
		kind    string
		part    auto.Ingredient
		horizon int
		gain    float64
	}{
		{"a pipe of 20 steps", "cross", 1, .35},
		{"values that move in bursts", "hold", 1, .03},
		{"smooth sines", "exact", 1, .7},
		{"coupled logistic maps", "iterate", 4, 1.4},
		{"hours of a load", "seasons", 24, .6},
	} {
		kinds := partKinds()
		k := kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.name == c.kind })]
		whole, err := k.errors(t.Context(), auto.Config{})
		if err != nil {
			t.Fatal(err)
		}
		without, err := k.errors(t.Context(), auto.Config{Without: []auto.Ingredient{c.part}})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.Index(ablationHorizons, c.horizon)
		t.Logf("%s, %s: %.3f", c.kind, c.part, without[i]-whole[i])
		if !(without[i]-whole[i] >= c.gain/2) {
			t.Errorf("%s: without %s the logarithm of the error of %d steps is %.3f larger, want %.3f", c.kind, c.part, c.horizon, without[i]-whole[i], c.gain/2)
		}
	}
}

// Each kind has the series that it announces: equal for equal seeds, of finite values, no variable constant.
func TestPartKinds(t *testing.T) {
	for _, k := range partKinds() {
		a, b, other := k.dataset(1).Series[0], k.dataset(1).Series[0], k.dataset(2).Series[0]
		if len(a.Rows) != k.rows || k.hours > 0 != (a.Times != nil) {
			t.Errorf("%s: %d rows, %d times", k.name, len(a.Rows), len(a.Times))
		}
		differ := make([]bool, k.dim)
		for i, row := range a.Rows {
			if len(row) != k.dim || !slices.Equal(row, b.Rows[i]) {
				t.Fatalf("%s: row %d is %v, drawn again %v", k.name, i, row, b.Rows[i])
			}
			for j, v := range row {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("%s: row %d has %v", k.name, i, v)
				}
				differ[j] = differ[j] || v != a.Rows[0][j] && v != other.Rows[i][j]
			}
		}
		if slices.Contains(differ, false) {
			t.Errorf("%s: a variable is constant, or the same for two seeds", k.name)
		}
	}
}
