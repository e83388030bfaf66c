package wire

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/streamtest"
)

// adjusted are settings after a restart, by the settings before it beside restartedWith.
var adjusted = []struct {
	before string
	sets   []string
}{
	{"", []string{
		"model.horizon=12", "model.horizon=1", "model.levels=0.5,0.95", "model.levels=", "model.intervals=quantile", "model.joint=true",
		"model.influence=true", "model.anomaly.false_alarms=0.01", "model.anomaly.alarms=1 per day", "model.anomaly.normal_after=50", "model.anomaly.min_duration=3",
		"model.anomaly.level_sets=true", "model.anomaly.rules=x1 above", "model.limits=x1 <= 1", "evaluate.window=800", "pipeline.emit=1,3",
	}},
	{"model.horizon=1", []string{"model.horizon=3"}},
	{"model.levels=", []string{"model.levels=0.8"}},
	{"model.intervals=quantile", []string{"model.horizon=2", "model.horizon=6", "model.levels=0.7"}},
	{"model.joint=true", []string{"model.horizon=6", "model.levels=0.9; model.horizon=2"}},
	{"model.influence=true", []string{"model.influence=false"}},
	{"model.anomaly.level_sets=true", []string{"model.anomaly.level_sets=false"}},
	{"model.limits=x1 <= 1", []string{"model.limits=x2 >= 0"}},
	{"pipeline.emit=1", []string{"pipeline.emit="}},
}

var restartedWith = []string{"model.horizon=4", "model.levels=0.8,0.9", "evaluate.window=160", "evaluate.interval=50", "pipeline.interval=1h", "pipeline.max_gap=3"}

// TestAdjustable: the models go on over a restart with other settings that only add
// outputs: the forecasts of one step are those of an engine that was never stopped, in every
// model.
func TestAdjustable(t *testing.T) {
	tried := make(map[string]bool)
	for _, m := range models {
		for _, a := range adjusted {
			if m.influence == nil && a.before == "model.influence=true" {
				continue
			}
			keys := m.example
			if m.inputs {
				keys += ", calendar: [hour]"
			}
			t.Run(m.name+" "+a.before, func(t *testing.T) {
				restart(t, keys, a.before, slices.DeleteFunc(slices.Clone(a.sets), func(s string) bool {
					return m.influence == nil && strings.Contains(s, "influence")
				}))
			})
			for _, sets := range a.sets {
				for _, s := range separate(sets) {
					key, _, _ := strings.Cut(s, "=")
					tried[key] = true
				}
			}
		}
	}
	for _, key := range Adjustable {
		if !tried[key] {
			t.Errorf("%s was not tried", key)
		}
	}
}

// TestAdjustableIsInThePage: docs/checkpoint-format.md lists the settings.
func TestAdjustableIsInThePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/checkpoint-format.md")
	if err != nil {
		t.Fatal(err)
	}
	want := "Some settings only add outputs: `" + strings.Join(Adjustable, "`, `") + "`. "
	if !strings.Contains(string(page), want) {
		t.Errorf("the page does not say %q", want)
	}
}

// restart compares an engine with the keys below model: and the settings before with those
// that go on from its state after other settings.
func restart(t *testing.T, keys, before string, after []string) {
	learnt, more := 300, 60
	if before == "" {
		learnt = 2000
	}
	rows := walk(learnt+more, 3)
	first := adjustedTo(t, keys, before)
	running := engineOf(t, first)
	apply(t, running, rows[:learnt], 0)
	saved := streamtest.Snapshot(running)
	went := apply(t, running, rows[learnt:], learnt)
	want, bounds := oneStep(went), firstBounds(went)
	if len(want) != 3*more {
		t.Fatalf("%d forecasts of one step for %d samples", len(want), more)
	}
	for _, sets := range after {
		t.Run(sets, func(t *testing.T) {
			c := adjustedTo(t, keys, before+"; "+sets)
			for _, d := range checkpoint.Compare(Settings(first), Settings(c)) {
				if !slices.Contains(Adjustable, d.Key) {
					t.Fatal(d)
				}
			}
			e := engineOf(t, c)
			if err := streamtest.Restore(e, saved); err != nil {
				t.Fatal(err)
			}
			got := apply(t, e, rows[learnt:], learnt)
			if !slices.Equal(oneStep(got), want) {
				t.Error("the forecasts of one step are others")
			}
			if strings.HasPrefix(sets, "model.horizon=") {
				// Quantile intervals have not learnt from the forecast that was under way.
				same := sameBits
				if c.Model.Intervals == "quantile" {
					same = func(a, b float64) bool { return math.Abs(a-b) < .05 }
				}
				if now := firstBounds(got); !slices.EqualFunc(now, bounds, same) || slices.ContainsFunc(now, math.IsNaN) {
					t.Errorf("the bounds of the first forecast of one step are %v, were %v", now, bounds)
				}
			}
			forecasts := make(map[int]int)
			for _, f := range got.Forecasts {
				forecasts[f.Horizon]++
			}
			for _, h := range Emitted(c) {
				if forecasts[h] != more {
					t.Errorf("%d forecasts of horizon %d for %d samples", forecasts[h], h, more)
				}
			}
			if err := streamtest.Restore(engineOf(t, c), streamtest.Snapshot(e)); err != nil {
				t.Error(err)
			}
		})
	}
}

// firstBounds returns the intervals, and the joint region if there is one, of the first forecast of
// one step.
func firstBounds(b *engine.Results) []float64 {
	for i := range b.Forecasts {
		if f := &b.Forecasts[i]; f.Horizon == 1 {
			return slices.Concat(f.Lower, f.Upper, f.JointLower, f.JointUpper)
		}
	}
	return nil
}

func sameBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

// separate returns the settings in a text with semicolons between them.
func separate(sets string) []string {
	return strings.FieldsFunc(strings.ReplaceAll(sets, "; ", ";"), func(r rune) bool { return r == ';' })
}

// adjustedTo returns the configuration of the keys below model: and of settings, and makes
// what takes long small.
func adjustedTo(t *testing.T, keys, sets string) *config.Config {
	t.Helper()
	all := slices.DeleteFunc(slices.Clone(restartedWith), func(s string) bool {
		key, _, _ := strings.Cut(s, "=")
		return strings.Contains(sets, key+"=")
	})
	all = append(all, separate(sets)...)
	c, err := loaded(t, keys, all...)
	if err != nil {
		t.Fatal(err)
	}
	c.Model.Frequencies = min(c.Model.Frequencies, 30)
	c.Model.Kernel.Window = min(c.Model.Kernel.Window, 40)
	return c
}

func engineOf(t *testing.T, c *config.Config) *engine.Engine {
	t.Helper()
	e, err := NewEngine(c, stream.AllSeries)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// walk returns samples of a coupled autoregression with a season of a day.
func walk(n, dim int) [][]float64 {
	r := random.New(5)
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, dim)
		for j := range rows[i] {
			rows[i][j] = math.Sin(2*math.Pi*float64(i)/24) + .6*(r.Uniform()-.5)
			if i > 0 {
				rows[i][j] += .5*rows[i-1][j] + .2*rows[i-1][(j+1)%dim]
			}
		}
	}
	return rows
}

// apply returns what the engine makes of rows an hour apart, the first of which has the
// offset from.
func apply(t *testing.T, e *engine.Engine, rows [][]float64, from int) *engine.Results {
	t.Helper()
	b := new(engine.Results)
	for i, y := range rows {
		at := int64(from + i)
		if err := streamtest.Apply(e, b, &stream.Record{Message: &stream.Message{Offset: at}, Series: "s", Time: at * 3600e9, Values: y}); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func oneStep(b *engine.Results) (all []float64) {
	for _, f := range b.Forecasts {
		if f.Horizon == 1 {
			all = append(all, f.Yhat...)
		}
	}
	return all
}

// TestWhatIsNewStarts: after a restart with another horizon or other levels the scores and the
// intervals of the horizons that were there go on, and those of new ones begin.
func TestWhatIsNewStarts(t *testing.T) {
	const learnt, more = 400, 40
	rows := walk(learnt+more, 2)
	restarted := func(before, sets string) (*engine.Results, map[int]float64) {
		e := engineOf(t, adjustedTo(t, "type: var2", before))
		apply(t, e, rows[:learnt], 0)
		next := engineOf(t, adjustedTo(t, "type: var2", before+"; "+sets))
		if err := streamtest.Restore(next, streamtest.Snapshot(e)); err != nil {
			t.Fatal(err)
		}
		b, n := apply(t, next, rows[learnt:], learnt), make(map[int]float64)
		var scores engine.Results
		next.AppendScores(&scores)
		for _, m := range scores.Metrics {
			if m.Target == stream.AllTargets && m.Model == "var2" {
				n[m.Horizon] = float64(m.Score.N)
			}
		}
		return b, n
	}
	bounded := func(b *engine.Results, horizon int) (n int) {
		for _, f := range b.Forecasts {
			if f.Horizon == horizon && !math.IsNaN(f.Lower[0]) {
				n++
			}
		}
		return n
	}

	b, n := restarted("evaluate.window=0; model.horizon=2", "model.horizon=4")
	if !(n[1] >= learnt) || !(n[2] >= learnt) || n[4] != more-4 {
		t.Errorf("longer: scores over %v samples", n)
	}
	if k := bounded(b, 4); k == 0 || k == more {
		t.Errorf("longer: %d of %d intervals of the last horizon", k, more)
	}
	b, n = restarted("evaluate.window=0; model.horizon=4", "model.horizon=2")
	if !(n[1] >= learnt) || !(n[2] >= learnt) || bounded(b, 2) != more {
		t.Errorf("shorter: scores over %v samples, %d of %d intervals", n, bounded(b, 2), more)
	}
	b, _ = restarted("model.levels=0.8", "model.levels=0.5,0.8")
	if bounded(b, 4) != more {
		t.Errorf("other levels: %d of %d intervals", bounded(b, 4), more)
	}
}

// TestAnchorsGoOn: the default model keeps what it has learnt about the anchor horizons that the
// old and the new horizon have in common: its forecasts stay close to those of an engine that was
// never stopped, at least three times as close as those of a model whose horizons are new. The laws bring the new ones
// close as well; the measured ratio is 5.
func TestAnchorsGoOn(t *testing.T) {
	const learnt, more = 2000, 20
	rows := walk(learnt+more, 2)
	running := engineOf(t, adjustedTo(t, "type: auto", "model.horizon=4"))
	apply(t, running, rows[:learnt], 0)
	saved := streamtest.Snapshot(running)
	want := apply(t, running, rows[learnt:], learnt)
	distance := func(before []byte) (sum float64) {
		e := engineOf(t, adjustedTo(t, "type: auto", "model.horizon=8"))
		if err := streamtest.Restore(e, before); err != nil {
			t.Fatal(err)
		}
		forecasts := make(map[string][]float64)
		for _, f := range apply(t, e, rows[learnt:], learnt).Forecasts {
			forecasts[fmt.Sprint(f.Origin, f.Horizon)] = f.Yhat
		}
		for _, f := range want.Forecasts {
			if f.Horizon > 1 {
				for j, v := range forecasts[fmt.Sprint(f.Origin, f.Horizon)] {
					sum += math.Abs(v - f.Yhat[j])
				}
			}
		}
		return sum
	}
	short := engineOf(t, adjustedTo(t, "type: auto", "model.horizon=1"))
	apply(t, short, rows[:learnt], 0)
	if kept, begun := distance(saved), distance(streamtest.Snapshot(short)); !(kept < begun/3) {
		t.Errorf("forecasts of the anchors differ by %.3g, and by %.3g when they begin", kept, begun)
	}
}
