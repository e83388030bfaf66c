package engine_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/drift"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/streamtest"
)

// TestConfigs: each field that is invalid is named with its limits and its value, and values at the limits are valid.
func TestConfigs(t *testing.T) {
	made := func(int) (eval.Model, error) { return streamtest.Constant{}, nil }
	long := strings.Repeat("x", 256)
	baseline := func(name string) engine.Baseline {
		return engine.Baseline{Name: name, New: func(int, int) (eval.Model, error) { return streamtest.Constant{}, nil }}
	}
	reference := func(name string) engine.Baseline {
		b := baseline(name)
		b.Reference = true
		return b
	}
	const lighter, ofBaseline = "each of Lighter must have a name and a constructor", "each of Baselines must have a name of less than 256 bytes and a constructor"
	const shards, emit = "each of Shards must have NewModel and as many of Lighter as the engine", "Emit must be ascending within [1, 4], got "
	for _, c := range []struct {
		name   string
		change func(c *engine.Config)
		want   string // "": valid
	}{
		{"defaults", func(*engine.Config) {}, ""},
		{"long name", func(c *engine.Config) { c.Model = long[1:] }, ""},
		{"longer name", func(c *engine.Config) { c.Model = long }, fmt.Sprintf("Model must have a name of less than 256 bytes, got %q", long)},
		{"no name", func(c *engine.Config) { c.Model = "" }, `Model must have a name of less than 256 bytes, got ""`},
		{"no model", func(c *engine.Config) { c.NewModel = nil }, "NewModel must be set"},
		{"scope series", func(c *engine.Config) { c.Scope = engine.PerSeries }, ""},
		{"scope shared", func(c *engine.Config) { c.Scope = engine.Shared }, ""},
		{"another scope", func(c *engine.Config) { c.Scope = "x" }, `Scope must be "series" or "shared", got "x"`},
		{"baseline without a name", func(c *engine.Config) { c.Baselines = []engine.Baseline{baseline("")} }, ofBaseline},
		{"baseline with a long name", func(c *engine.Config) { c.Baselines = []engine.Baseline{baseline(long[1:])} }, ""},
		{"baseline with a longer name", func(c *engine.Config) { c.Baselines = []engine.Baseline{baseline(long)} }, ofBaseline},
		{"baseline without a model", func(c *engine.Config) { c.Baselines = []engine.Baseline{{Name: "a"}} }, ofBaseline},
		{"baseline with the name of the model", func(c *engine.Config) { c.Baselines = []engine.Baseline{baseline("drift")} }, `the name "drift" is used by two models`},
		{"two baselines with a name", func(c *engine.Config) { c.Baselines = []engine.Baseline{baseline("a"), baseline("a")} }, `the name "a" is used by two models`},
		{"two references", func(c *engine.Config) { c.Baselines = []engine.Baseline{reference("a"), reference("b")} }, "at most one of Baselines can be the Reference, got 2"},
		{"negative memory", func(c *engine.Config) { c.Memory = -1 }, "Memory must be >= 0, got -1"},
		{"lighter model", func(c *engine.Config) { c.Lighter = []engine.LighterModel{{Name: "a", New: made}} }, ""},
		{"lighter model without a name", func(c *engine.Config) { c.Lighter = []engine.LighterModel{{New: made}} }, lighter},
		{"lighter model without a constructor", func(c *engine.Config) { c.Lighter = []engine.LighterModel{{Name: "a"}} }, lighter},
		{"shard", func(c *engine.Config) { c.Shards = []engine.Constructors{{NewModel: made}} }, ""},
		{"shard without a model", func(c *engine.Config) { c.Shards = []engine.Constructors{{}} }, shards},
		{"shard with another number of lighter models", func(c *engine.Config) {
			c.Shards = []engine.Constructors{{NewModel: made, Lighter: []engine.LighterModel{{Name: "a", New: made}}}}
		}, shards},
		{"negative growth", func(c *engine.Config) { c.GrowAfter = -1 }, "GrowAfter must be >= 0, got -1"},
		{"no horizon", func(c *engine.Config) { c.Horizon, c.Emit = 0, nil }, "Horizon must be >= 1, got 0"},
		{"horizon 1", func(c *engine.Config) { c.Horizon, c.Emit = 1, nil }, ""},
		{"all horizons", func(c *engine.Config) { c.Emit = []int{1, 2, 3, 4} }, ""},
		{"horizon 0", func(c *engine.Config) { c.Emit = []int{0, 1} }, emit + "[0 1]"},
		{"horizon beyond the last", func(c *engine.Config) { c.Emit = []int{1, 5} }, emit + "[1 5]"},
		{"equal horizons", func(c *engine.Config) { c.Emit = []int{1, 1} }, emit + "[1 1]"},
		{"descending horizons", func(c *engine.Config) { c.Emit = []int{2, 1} }, emit + "[2 1]"},
		{"level 0", func(c *engine.Config) { c.Levels = []float64{0} }, "Levels must be inside (0, 1), got 0"},
		{"level 1", func(c *engine.Config) { c.Levels = []float64{.5, 1} }, "Levels must be inside (0, 1), got 1"},
		{"negative metrics", func(c *engine.Config) { c.MetricsEvery, c.MetricsWindow = -1, -2 }, "MetricsEvery must be >= 0, got -1; MetricsWindow must be >= 0, got -2"},
		{"no metrics", func(c *engine.Config) { c.MetricsEvery, c.MetricsWindow = 0, 0 }, ""},
		{"pool", func(c *engine.Config) { c.Pool = stream.AllSeries + " b" }, ""},
		{"another pool", func(c *engine.Config) { c.Pool = "b" }, fmt.Sprintf(`Pool must be %s or begin with it and a blank, got "b"`, stream.AllSeries)},
		{"joint region without levels", func(c *engine.Config) { c.Levels, c.Joint = nil, true }, "Joint needs Levels"},
		{"intervals without levels", func(c *engine.Config) {
			c.Levels, c.Intervals = nil, func(int) (eval.Intervals, error) { return nil, nil }
		}, "Intervals need Levels"},
		{"a field of the assembler", func(c *engine.Config) { c.MaxGap, c.GrowAfter = -2, -1 }, "MaxGap must be >= 0, got -2; GrowAfter must be >= 0, got -1"},
	} {
		config := streamtest.DriftConfig()
		c.change(&config)
		_, err := engine.New(config)
		got := ""
		if err != nil {
			got = strings.ReplaceAll(strings.ReplaceAll(err.Error(), "stream: ", ""), "\n", "; ")
		}
		if got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestConfigIsCopied: an engine does not follow later changes of the slices of its configuration.
func TestConfigIsCopied(t *testing.T) {
	results := func(change bool) string {
		c := streamtest.DriftConfig()
		made := c.NewModel
		c.Shards = []engine.Constructors{{NewModel: made}}
		e := streamtest.NewEngine(t, c)
		if change {
			c.Emit[0], c.Levels[0], c.Baselines[0], c.Shards[0] = 3, .1, engine.Baseline{}, engine.Constructors{}
		}
		var b engine.Results
		rs := streamtest.Records(100, 4)
		for i := range rs {
			if err := streamtest.Apply(e, &b, &rs[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := e.Restore(e.Encoded(true)); err != nil {
			t.Fatal(err)
		}
		return text(&b)
	}
	if results(true) != results(false) {
		t.Error("results follow the changes")
	}
}

// TestConstructors: the error of each constructor ends the engine and names the part that was not made.
func TestConstructors(t *testing.T) {
	boom := errors.New("boom")
	for want, change := range map[string]func(c *engine.Config){
		"stream: model drift of 1 variable: boom": func(c *engine.Config) { c.NewModel = func(int) (eval.Model, error) { return nil, boom } },
		"stream: baseline persistence of 1 variable: boom": func(c *engine.Config) {
			c.Baselines[0].New = func(int, int) (eval.Model, error) { return nil, boom }
		},
		"stream: intervals of 1 variable: boom":      func(c *engine.Config) { c.Intervals = func(int) (eval.Intervals, error) { return nil, boom } },
		"stream: drift detector of 1 variable: boom": func(c *engine.Config) { c.Drift = func(int) (drift.Watch, error) { return nil, boom } },
		"boom": func(c *engine.Config) {
			c.Evaluation.Follow = func(*stream.Series) (engine.Follower, error) { return nil, boom }
		},
		"no": func(c *engine.Config) {
			c.NewModel = func(dim int) (eval.Model, error) { return stubborn{streamtest.NewDrift(dim, 1, 0)}, nil }
		},
	} {
		for _, memory := range []int64{0, 1 << 30} { // with a limit, the series is measured before
			c := streamtest.DriftConfig()
			c.Memory = memory
			change(&c)
			var b engine.Results
			err := streamtest.Apply(streamtest.NewEngine(t, c), &b, &stream.Record{Message: &stream.Message{}, Series: "s", Values: []float64{1}})
			if err == nil || !strings.HasSuffix(err.Error(), ": "+want) || len(b.DeadLetters) > 0 {
				t.Errorf("got %v and %d dead letters, want %s", err, len(b.DeadLetters), want)
			}
		}
	}
}

// TestSkills: the errors of the model and of each baseline are counted apart, and compared with those of the reference.
func TestSkills(t *testing.T) {
	c := streamtest.DriftConfig()
	c.Horizon, c.Emit, c.Levels, c.MetricsEvery, c.MetricsWindow, c.Pool, c.Evaluation.MeanTo = 1, nil, nil, 12, 0, stream.AllSeries, 1
	c.NewModel = func(dim int) (eval.Model, error) { return streamtest.NewDrift(dim, 1, 0), nil }
	e := streamtest.NewEngine(t, c)
	if mse, nmse := e.MeanErrors("drift"); !math.IsNaN(mse) || !math.IsNaN(nmse) {
		t.Errorf("errors %g and %g before the first series", mse, nmse)
	}
	var b engine.Results
	var drifted, constant float64 // sums of squared errors
	v := 0.
	for i := range 12 {
		last, mean := v, v/max(1, float64(i-1)) // the first value is 0
		v = float64(i * i)
		if i > 0 {
			drifted += (v - last - mean) * (v - last - mean) / 11
			constant += v * v / 11 // streamtest.Constant forecasts 0
		}
		r := stream.Record{Message: &stream.Message{Offset: int64(i)}, Series: "s", Time: int64(i+1) * 1e9, Values: []float64{v}}
		if err := streamtest.Apply(e, &b, &r); err != nil {
			t.Fatal(err)
		}
	}
	skills := map[string]float64{"drift": 0, "persistence": 1 - constant/drifted, "var1": 0}
	for _, m := range b.Metrics {
		want := map[string]float64{"drift": drifted, "persistence": constant, "var1": drifted}[m.Model]
		if math.Abs(m.Score.MSE-want) > 1e-9*want || math.Abs(m.Score.SkillVsVAR-skills[m.Model]) > 1e-9 {
			t.Errorf("%s of %s: mean squared error %g, want %g; skill %g, want %g", m.Model, m.Target, m.Score.MSE, want, m.Score.SkillVsVAR, skills[m.Model])
		}
		if mse, nmse := e.MeanErrors(m.Model); math.Abs(mse-want) > 1e-9*want || math.Abs(nmse-m.Score.NMSE) > 1e-9 {
			t.Errorf("%s: mean errors %g and %g, want %g and %g", m.Model, mse, nmse, want, m.Score.NMSE)
		}
	}
	if len(b.Metrics) != 6 { // of one variable and of all, for three models
		t.Errorf("%d metrics", len(b.Metrics))
	}
}

// seasonal is a model with seasons that it finds after two samples.
type seasonal struct{ *streamtest.Drift }

type seasonalSeries struct {
	eval.Forecaster
	n *int
}

func (m seasonal) NewSeries() eval.Forecaster { return seasonalSeries{m.Drift.NewSeries(), new(int)} }

func (s seasonalSeries) Observe(y []float64) error {
	*s.n++
	return s.Forecaster.Observe(y)
}

func (s seasonalSeries) AppendSeasons(dst []int) []int {
	if *s.n < 2 {
		return dst
	}
	return append(dst, 24, 7, 12)
}

func (s seasonalSeries) Phases() eval.Phases { return eval.Phases{} }

// TestSeasons: the seasons of a model are visited with the strongest first, and an event has them when they change.
func TestSeasons(t *testing.T) {
	c := streamtest.DriftConfig()
	c.NewModel = func(dim int) (eval.Model, error) { return seasonal{streamtest.NewDrift(dim, 4, 2)}, nil }
	e := streamtest.NewEngine(t, c)
	for i := range 3 {
		var b engine.Results
		r := stream.Record{Message: &stream.Message{Offset: int64(i)}, Series: "s", Time: int64(i+1) * 1e9, Values: []float64{1}}
		if err := streamtest.Apply(e, &b, &r); err != nil {
			t.Fatal(err)
		}
		var events, visited []string
		for _, event := range b.Events {
			events = append(events, event.Text)
		}
		e.Seasons(func(s *stream.Series, seasons []int) { visited = append(visited, fmt.Sprint(s.Name, seasons)) })
		if got, want := fmt.Sprint(events, visited), []string{"[new series of 1 variable] []", "[seasons of 7, 12 and 24 samples] [s[24 7 12]]", "[] [s[24 7 12]]"}[i]; got != want {
			t.Errorf("sample %d: got %s, want %s", i, got, want)
		}
	}
}
