package engine_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/refuse"
	"github.com/orffvar/forecaster/stream/streamtest"
	"github.com/orffvar/forecaster/varmodel/auto"
)

// tierConfig is a configuration with the three tiers of the default model.
func tierConfig(memory int64) engine.Config {
	build := func(tier auto.Tier) func(int) (eval.Model, error) {
		return func(dim int) (eval.Model, error) {
			return auto.New(auto.Config{Dim: dim, Horizon: 1, Seed: 1, Tier: tier})
		}
	}
	return engine.Config{
		Model: "auto", NewModel: build(auto.TierFull), Horizon: 1, Memory: memory,
		Lighter: []engine.LighterModel{{Name: "light", New: build(auto.TierLight)}, {Name: "tiny", New: build(auto.TierTiny)}},
	}
}

// offer applies a record of each of n series with dim variables, rounds times.
func offer(t *testing.T, e *engine.Engine, b *engine.Results, n, dim, rounds int) {
	t.Helper()
	for round := range rounds {
		for s := range n {
			m := stream.Message{Topic: "in", Offset: e.Next()}
			r := stream.Record{Message: &m, Series: fmt.Sprint("s", s), Time: int64(round+1) * 1e9}
			for j := range dim {
				r.Values = append(r.Values, math.Sin(float64(round*(j+1)+s)))
			}
			if err := streamtest.Apply(e, b, &r); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestFault56_MemoryDecides: with a budget the first series get the best model and later ones a lighter one. A
// series that does not fit is refused with the reason. The heap stays below the budget, and every accepted series
// continues.
func TestFault56_MemoryDecides(t *testing.T) {
	const budget = 24 << 20
	before := heap()
	e := streamtest.NewEngine(t, tierConfig(budget))
	b := &engine.Results{}
	offer(t, e, b, 2000, 3, 3)
	count := func(word string) (n int) {
		for _, ev := range b.Events {
			if strings.Contains(ev.Text, word) {
				n++
			}
		}
		return n
	}
	series, light, tiny := e.NumSeries(), count("model light to save memory"), count("model tiny to save memory")
	full := series - light - tiny
	if full == 0 || light == 0 || tiny == 0 || series == 2000 {
		t.Errorf("%d series: %d full, %d light, %d tiny", series, full, light, tiny)
	}
	for i := range b.DeadLetters {
		if l := &b.DeadLetters[i]; l.Reason != refuse.Memory || !strings.Contains(l.Detail, "KiB are in use") {
			t.Fatalf("refused: %s: %s", l.Reason, l.Detail)
		}
	}
	if n := len(b.DeadLetters); n != 3*(2000-series) {
		t.Errorf("%d dead letters for %d series that were refused", n, 2000-series)
	}
	b = nil
	const empty = 256 << 10 // what it holds without series, and the last batch
	if used := heap() - before; used > budget+empty {
		t.Errorf("the heap has grown by %d KiB, the budget is %d, of which %d are in use", used>>10, budget>>10, engine.BudgetUsed(e)>>10)
	}

	state := streamtest.Snapshot(e)
	// The decision is part of the state: another budget changes no series, and the
	// restored engine decides as the one that was not interrupted.
	restored, larger := streamtest.NewEngine(t, tierConfig(budget)), streamtest.NewEngine(t, tierConfig(2*budget))
	var one, two, three engine.Results
	if err := streamtest.Restore(restored, state); err != nil {
		t.Fatal(err)
	}
	if err := streamtest.Restore(larger, state); err != nil {
		t.Fatal(err)
	}
	offerLater := func(e *engine.Engine, b *engine.Results) {
		for s := series - 20; s < series+5; s++ {
			m := stream.Message{Topic: "in", Offset: e.Next()}
			r := stream.Record{Message: &m, Series: fmt.Sprint("s", s), Time: 9e9, Values: []float64{1, 2, 3}}
			if err := streamtest.Apply(e, b, &r); err != nil {
				t.Fatal(err)
			}
		}
	}
	offerLater(e, &one)
	offerLater(restored, &two)
	offerLater(larger, &three)
	same := func(a, b stream.Forecast) bool { return a.Time == b.Time && slices.Equal(a.Yhat, b.Yhat) }
	if !slices.EqualFunc(one.Forecasts, two.Forecasts, same) || len(one.DeadLetters) != 5 || len(two.DeadLetters) != 5 {
		t.Errorf("the restored engine refuses %d, the other %d", len(two.DeadLetters), len(one.DeadLetters))
	}
	if n := len(three.DeadLetters); n != 0 {
		t.Errorf("with twice the budget %d are refused", n)
	}
	if !slices.EqualFunc(one.Forecasts[:20], three.Forecasts[:20], same) {
		t.Error("another budget has changed the forecasts of series that there were")
	}
}

// TestNewVariablesTakeThePlaceOfTheOld: in a full budget, a series with new variables needs memory only for its
// growth.
func TestNewVariablesTakeThePlaceOfTheOld(t *testing.T) {
	c := tierConfig(2 << 20)
	c.SchemaChangeAfter = 1
	e, b := streamtest.NewEngine(t, c), &engine.Results{}
	offer(t, e, b, 50, 3, 1)
	if len(b.DeadLetters) == 0 {
		t.Fatalf("%d series fit", e.NumSeries())
	}
	b.Reset()
	used, last := engine.BudgetUsed(e), fmt.Sprint("s", e.NumSeries()-1)
	r := stream.Record{
		Message: &stream.Message{Topic: "in", Offset: e.Next()}, Series: last, Time: 1000e9, Names: []string{"a", "b", "c"}, Values: []float64{1, 2, 3},
	}
	if err := streamtest.Apply(e, b, &r); err != nil || len(b.DeadLetters) != 0 || len(b.Observations) != 1 {
		t.Errorf("%+v of %s are refused, %d samples, error %v", b.DeadLetters, last, len(b.Observations), err)
	}
	if now := engine.BudgetUsed(e); now != used {
		t.Errorf("%d bytes are in use with other variables, %d before", now, used)
	}
}

// hoarder is a model whose state has a number per sample.
type hoarder struct {
	streamtest.Constant
	samples int
}

func (g *hoarder) NewSeries() eval.Forecaster { return &hoarder{} }
func (g *hoarder) Observe([]float64) error    { g.samples++; return nil }
func (g *hoarder) State(c *snapshot.Codec)    { c.Float64s(make([]float64, g.samples)) }

// TestCostGrows: the cost of a series is that of 8 samples. Beyond 64, whenever the number of samples doubles, it
// becomes larger by what the state has grown since.
func TestCostGrows(t *testing.T) {
	e := streamtest.NewEngine(t, engine.Config{
		NewModel: func(int) (eval.Model, error) { return &hoarder{}, nil }, Model: "hoarder", Horizon: 1, Memory: 1 << 20,
	})
	first := int64(0)
	for n := 1; n <= 300; n++ {
		r := stream.Record{Message: &stream.Message{Topic: "in", Offset: e.Next()}, Series: "s", Time: int64(n) * 1e9, Values: []float64{1}}
		if err := streamtest.Apply(e, &engine.Results{}, &r); err != nil {
			t.Fatal(err)
		}
		if n == 1 {
			first = engine.BudgetUsed(e)
		}
		want := int64(0)
		if n >= 256 {
			want = 8 * (256 - 8)
		} else if n >= 128 {
			want = 8 * (128 - 8)
		}
		if got := engine.BudgetUsed(e) - first; got != want {
			t.Fatalf("after %d samples the cost has grown by %d bytes, want %d", n, got, want)
		}
	}
}

// TestFault56_WideSeries: the extrapolated cost of a wide series is within a fifth of its memory. A series too wide
// for the budget is refused without being made.
func TestFault56_WideSeries(t *testing.T) {
	const dim = 200
	const large = 1 << 40
	for tier, name := range []string{"full", "light", "tiny"} {
		c := tierConfig(large)
		if tier > 0 {
			c.NewModel, c.Lighter = c.Lighter[tier-1].New, nil
		}
		e := streamtest.NewEngine(t, c)
		before := heap()
		offer(t, e, &engine.Results{}, 3, dim, 1)
		held := float64(heap()-before) / 3
		if used := float64(engine.BudgetUsed(e)) / 3; !(used >= .8*held && used <= 4*held) {
			t.Errorf("%s: a series of %d variables costs %.0f bytes, it holds %.0f", name, dim, used, held)
		}
	}
	e := streamtest.NewEngine(t, tierConfig(1<<20))
	b := &engine.Results{}
	offer(t, e, b, 1, 1000, 2)
	if e.NumSeries() != 0 || len(b.DeadLetters) != 2 || b.DeadLetters[0].Reason != refuse.Memory {
		t.Errorf("%d series, %d dead letters", e.NumSeries(), len(b.DeadLetters))
	}
}
