package study

import (
	"slices"
	"testing"

	"github.com/orffvar/forecaster/eval/simulate"
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
		kinds := simulate.Kinds()
		k := kinds[slices.IndexFunc(kinds, func(k simulate.Kind) bool { return k.Name == c.kind })]
		whole, err := partErrors(t.Context(), &k, auto.Config{})
		if err != nil {
			t.Fatal(err)
		}
		without, err := partErrors(t.Context(), &k, auto.Config{Without: []auto.Ingredient{c.part}})
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
