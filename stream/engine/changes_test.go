package engine_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/event"
	"github.com/orffvar/forecaster/stream/streamtest"
)

// unruly returns records of several series with all that changes a state: samples,
// missing values, refusals that are remembered, new variables, a series gone bad.
func unruly(rng *rand.Rand, n int) []stream.Record {
	rs := make([]stream.Record, n)
	clock := make(map[string]int64)
	for i := range rs {
		name := fmt.Sprint("s", rng.IntN(2+i/20))
		clock[name] += int64(rng.IntN(3)) * 1e9
		late := int64(rng.IntN(20)/19) * 1e12 // before the first one: counted, as the first may have been wrong
		r := stream.Record{Message: &stream.Message{Topic: "in", Offset: int64(i)}, Series: name, Time: clock[name] - late}
		names := [][]string{{"a", "b"}, {"a", "c", "d"}}[i/(n/2)]
		for j, v := range names {
			if len(names) > 2 || rng.IntN(8) > 0 {
				r.Names = append(r.Names, v)
				r.Values = append(r.Values, []float64{float64(rng.IntN(50)), math.NaN(), 1e60, 666}[max(0, rng.IntN(40)-36)]+float64(j))
			}
		}
		rs[i] = r
	}
	return rs
}

// TestChangesAreAll: a whole state and the later changes give the state, for any history and any time of saving. So
// every change of a series or of an assembly is recorded.
func TestChangesAreAll(t *testing.T) {
	for name, tune := range map[string]func(c *engine.Config){
		"series":   func(*engine.Config) {},
		"shared":   func(c *engine.Config) { c.Scope = engine.Shared },
		"interval": func(c *engine.Config) { c.Interval, c.MaxGap = time.Second, 2 },
		"inputs":   func(c *engine.Config) { c.Interval, c.Exogenous = time.Second, []string{"b", "c"} },
		"assembly": func(c *engine.Config) {
			c.Interval, c.MaxGap = time.Second, 2
			c.Assembly = &assemble.Assembly{Wait: 3 * time.Second, Fill: assemble.FillLast}
		},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(3) {
				rng := rand.New(rand.NewPCG(seed, 1))
				c := streamtest.DriftConfig()
				c.SchemaChangeAfter, c.MetricsWindow, c.Emit = 3, 5, []int{4} // small states: each is written twice
				tune(&c)
				e := streamtest.NewEngine(t, c)
				var b engine.Results
				var whole, got, want []byte
				var changes [][]byte
				for _, r := range unruly(rng, 400) {
					if err := streamtest.Apply(e, &b, &r); err != nil {
						t.Fatal(err)
					}
					switch rng.IntN(20) {
					case 0:
						whole, changes = streamtest.Snapshot(e), nil
						e.Saved()
					case 1, 2:
						if whole == nil {
							break
						}
						changes = append(changes, streamtest.Changes(e))
						e.Saved()
						restored := streamtest.NewEngine(t, c)
						if err := streamtest.Restore(restored, whole, changes...); err != nil {
							t.Fatalf("seed %d: %v", seed, err)
						}
						got, want = streamtest.Snapshot(restored), streamtest.Snapshot(e)
						if !bytes.Equal(got, want) {
							t.Fatalf("seed %d: %d changes do not give the state", seed, len(changes))
						}
						if n := len(streamtest.Changes(restored)); n > 300 && c.Scope != engine.Shared {
							t.Fatalf("a restored engine has %d bytes of changes", n)
						}
						e = restored
					}
				}
				kinds := make(map[string]int)
				for _, ev := range b.Events {
					kinds[ev.Kind]++
				}
				if kinds[event.Series] < 3 || kinds[event.SchemaChange] == 0 || kinds[event.Reset] == 0 && seed == 0 {
					t.Errorf("seed %d: too little happened: %v", seed, kinds)
				}
			}
		})
	}
}
