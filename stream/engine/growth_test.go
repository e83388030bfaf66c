package engine_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/streamtest"
	"github.com/orffvar/forecaster/varmodel/auto"
	"github.com/orffvar/forecaster/varmodel/interval"
)

const growAfter = 32

// growingConfig is a configuration of the default model that grows; tier names one that does
// not.
func growingConfig(tier auto.Tier) engine.Config {
	build := func(tier auto.Tier) func(int) (eval.Model, error) {
		return func(dim int) (eval.Model, error) {
			m, err := auto.New(auto.Config{Dim: dim, Horizon: 3, Seed: 1, Tier: tier, Exogenous: 1})
			if err != nil {
				return nil, err
			}
			return interval.WithIntervals(m, interval.Config{Dim: dim, Horizon: 3, Levels: []float64{.8}})
		}
	}
	c := engine.Config{
		Config: assemble.Config{Exogenous: []string{"u"}, Interval: time.Minute, MaxGap: 3},
		Model:  "auto", NewModel: build(tier), Horizon: 3, Levels: []float64{.8},
	}
	if tier == "" {
		c.NewModel = build(auto.TierFull)
		c.Lighter, c.GrowAfter = []engine.LighterModel{{Name: "young", New: build(auto.TierYoung)}}, growAfter
	}
	return c
}

// growing are records of two series with missing values, a gap that is filled in and one that
// is not; the second series begins later.
func growing(n int) (list []stream.Record) {
	at := func(i int) int64 {
		minute := i
		if i > 11 {
			minute += 2
		}
		if i > 25 {
			minute += 50
		}
		return int64(minute) * int64(time.Minute)
	}
	for i := range n {
		for s := range 2 {
			if s == 1 && i < 20 {
				continue
			}
			t := float64(i)
			r := stream.Record{
				Message: &stream.Message{Topic: "in", Offset: int64(len(list))}, Series: fmt.Sprint("s", s), Time: at(i + 1),
				Names: []string{"a", "b", "u"}, Values: []float64{math.Sin(t*t) + t/9, math.Cos(t/5 + float64(s)), math.Sin(t / 3)},
			}
			if i%13 == 5 {
				r.Values[1] = math.NaN()
			}
			list = append(list, r)
		}
	}
	return list
}

// forecastsOf applies the records and returns the forecasts of each series after each sample of
// it, as text; restart, unless nil, returns the engine to go on with before a record.
func forecastsOf(t *testing.T, c engine.Config, records []stream.Record, restart func(i int, e *engine.Engine) *engine.Engine) map[string][]string {
	t.Helper()
	e, out := streamtest.NewEngine(t, c), make(map[string][]string)
	for i := range records {
		if restart != nil {
			e = restart(i, e)
		}
		var b engine.Results
		if err := streamtest.Apply(e, &b, &records[i]); err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, f := range b.Forecasts {
			text += fmt.Sprint(f.Horizon, f.Yhat, f.Lower)
		}
		out[records[i].Series] = append(out[records[i].Series], text)
	}
	return out
}

// TestGrowth: a series forecasts as the young model does until the better one has caught up, and
// from then on, bit for bit, as if it had begun with that. A restart at any point changes nothing.
func TestGrowth(t *testing.T) {
	records := growing(120)
	got := forecastsOf(t, growingConfig(""), records, nil)
	young, full := forecastsOf(t, growingConfig(auto.TierYoung), records, nil), forecastsOf(t, growingConfig(auto.TierFull), records, nil)
	for s, forecasts := range got {
		first := 0 // sample after which the full tier forecasts
		for i, f := range forecasts {
			switch {
			case f == full[s][i] && f != young[s][i] && first == 0:
				first = i
			case first == 0 && f != young[s][i]:
				t.Fatalf("series %s, sample %d: %s, of the young tier %s", s, i, f, young[s][i])
			case first > 0 && f != full[s][i]:
				t.Fatalf("series %s, sample %d: %s, of the full tier %s", s, i, f, full[s][i])
			}
		}
		// The better model learns three samples with each new one from the 32nd on: after n, it
		// has learnt 3 (n - 31), and all of them after the 47th, which has the index 46. The
		// samples that are filled in count.
		if filled := map[string]int{"s0": 5, "s1": 3}[s]; first+filled != growAfter+growAfter/2-2 {
			t.Errorf("series %s has grown after %d samples", s, first)
		}
	}
	again := forecastsOf(t, growingConfig(""), records, func(i int, e *engine.Engine) *engine.Engine {
		if i%3 > 0 && (i < growAfter || i > 2*growAfter+10) {
			return e
		}
		restored := streamtest.NewEngine(t, growingConfig(""))
		if err := streamtest.Restore(restored, streamtest.Snapshot(e)); err != nil {
			t.Fatal(err)
		}
		return restored
	})
	for s := range got {
		if !slices.Equal(got[s], again[s]) {
			t.Errorf("restarts have changed the forecasts of series %s", s)
		}
	}
}

// TestGrowthWithinTheBudget: series grow as long as the memory suffices. The others report that they keep the light
// model, and no series that fits with it is refused.
func TestGrowthWithinTheBudget(t *testing.T) {
	const series, budget = 60, 24 << 20
	c := tierConfig(budget)
	c.Lighter, c.GrowAfter = []engine.LighterModel{{Name: "young", New: func(dim int) (eval.Model, error) {
		return auto.New(auto.Config{Dim: dim, Horizon: 1, Seed: 1, Tier: auto.TierYoung})
	}}}, growAfter
	before := heap()
	e, b := streamtest.NewEngine(t, c), &engine.Results{}
	offer(t, e, b, series, 3, 60)
	kept := 0
	for _, ev := range b.Events {
		if strings.Contains(ev.Text, "keeps model young to save memory") {
			kept++
		}
	}
	if len(b.DeadLetters) > 0 || kept == 0 || kept == series {
		t.Errorf("%d of %d series keep the young model, %d records are refused", kept, series, len(b.DeadLetters))
	}
	state := streamtest.Snapshot(e)
	used := engine.BudgetUsed(e)
	b = nil
	if held := heap() - before; used > budget || held > uint64(used) {
		t.Errorf("%d of %d KiB are in use, the heap has grown by %d", used>>10, budget>>10, held>>10)
	}
	restored := streamtest.NewEngine(t, c)
	if err := streamtest.Restore(restored, state); err != nil {
		t.Fatal(err)
	}
	if got := engine.BudgetUsed(restored); got != used {
		t.Errorf("%d bytes are in use, %d in the restored engine", used, got)
	}
}

// TestGrownSeriesCostWhatTheyHold: a grown series costs as much of the budget as a series that began with its
// model. A restored state costs as much as the saved one, also when it replaces another.
func TestGrownSeriesCostWhatTheyHold(t *testing.T) {
	const series, budget = 5, 64 << 20
	full := tierConfig(budget)
	grown := full
	grown.Lighter, grown.GrowAfter = []engine.LighterModel{{Name: "young", New: func(dim int) (eval.Model, error) {
		return auto.New(auto.Config{Dim: dim, Horizon: 1, Seed: 1, Tier: auto.TierYoung})
	}}}, growAfter
	used := func(c engine.Config, rounds int) (int64, *engine.Engine) {
		e, b := streamtest.NewEngine(t, c), &engine.Results{}
		offer(t, e, b, series, 3, rounds)
		return engine.BudgetUsed(e), e
	}
	young, _ := used(grown, growAfter-1)
	want, _ := used(full, 60)
	got, _ := used(grown, 60)
	if got != want || !(young > 0 && young < want) {
		t.Errorf("%d bytes are in use before the growth and %d after it, want %d as with the full model from the start", young, got, want)
	}
	// The better model is paid for while it catches up, also at the sample that measures others again.
	late := grown
	late.GrowAfter = 100
	if got, _ := used(late, 150); got != want {
		t.Errorf("%d bytes are in use by those that grow late, want %d", got, want)
	}
	want, e := used(full, 300)
	if want <= got {
		t.Errorf("%d bytes are in use after 300 samples, %d after 60: what the models hold is not measured again", want, got)
	}
	older := streamtest.NewEngine(t, full)
	if err := streamtest.Restore(older, streamtest.Snapshot(e)); err != nil {
		t.Fatal(err)
	}
	if got := engine.BudgetUsed(older); got != want {
		t.Errorf("%d bytes are in use after a restore, want %d as measured", got, want)
	}
	want, e = used(grown, 60)
	other := streamtest.NewEngine(t, grown)
	offer(t, other, &engine.Results{}, series+3, 3, 40)
	for range 2 {
		if err := streamtest.Restore(other, streamtest.Snapshot(e)); err != nil {
			t.Fatal(err)
		}
		if got := engine.BudgetUsed(other); got != want {
			t.Errorf("%d bytes are in use after a restore, want %d", got, want)
		}
	}
}
