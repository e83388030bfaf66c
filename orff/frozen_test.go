package orff_test

import (
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/orffvar/forecaster/orff/internal/maptest"
	"github.com/orffvar/forecaster/orff/internal/optional"
	"github.com/orffvar/forecaster/orff/random"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Blocks that are not kept are redrawn from their seed, perhaps by a later version of the program: the draws of a seed,
// and their order, must never change. Each number is a weighted sum of the features of a map at one point.
func TestDrawsAreFrozen(t *testing.T) {
	const file = "testdata/draws.json"
	got := map[string]float64{}
	for _, c := range contracts() {
		if c.noRedraw {
			continue
		}
		m := maptest.Must(c.build(12, random.Block(42, 1)))
		r := random.Block(42, 2)
		optional.Redraw(m, &r)
		phi := maptest.Features(m, c.x, m.Dims().Features)
		var s float64
		for i, v := range phi {
			s += v * float64(i+1)
		}
		got[c.name] = s
	}
	if *update {
		b, err := json.MarshalIndent(got, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, append(b, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{}
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	if len(want) != len(got) {
		t.Errorf("%d maps in %s, %d in the contract suite", len(want), file, len(got))
	}
	for name, v := range got {
		// Angles of up to a hundred turns are sums and functions whose last bits differ between processors.
		maptest.Near(t, name, v, want[name], 1e-10)
	}
}
