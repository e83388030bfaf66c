package engine_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/refuse"
	"github.com/orffvar/forecaster/stream/streamtest"
)

// TestScripts runs testdata/engine, one engine a file, with the model
// streamtest.Drift. `go test ./stream -run Scripts -rewrite` writes the
// results into the files.
//
//	load horizon=2 levels=(.8) interval=1s ...     makes the engine; settings are those of Config
//	step                                           applies records, one a line:
//	    [@offset] [now=TIME] series time values    a=1 b=- with names, 1 - without; - is missing; times in seconds
//	    [@offset] reject                           a message that could not be decoded
//	    ... # REASON                               the record is refused; # and other words: it is no sample
//	restart                                        restores a new engine from a snapshot
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata/engine", func(t *testing.T, path string) {
		s := &script{}
		datadriven.RunTest(t, path, s.run)
	})
}

type script struct {
	config engine.Config
	engine *engine.Engine
	offset int64
}

func (s *script) run(t *testing.T, d *datadriven.TestData) string {
	t.Helper()
	var err error
	switch d.Cmd {
	case "load":
		s.config, s.offset = scriptConfig(t, d), 0
		if s.engine, err = engine.New(s.config); err != nil {
			return err.Error() + "\n"
		}
		return ""
	case "step":
		var b engine.Results
		var want, got []refuse.Reason
		for line := range strings.Lines(d.Input) {
			line, comment, _ := strings.Cut(line, "#")
			if reason := refuse.Reason(strings.TrimSpace(comment)); slices.Contains(refuse.Reasons, reason) {
				want = append(want, reason)
			}
			if err := s.step(t, d, &b, line); err != nil {
				return render(&b) + "fatal: " + err.Error() + "\n"
			}
		}
		for _, l := range b.DeadLetters {
			got = append(got, l.Reason)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: records are refused as %v, want %v", d.Pos, got, want)
		}
		return render(&b)
	case "restart":
		state := streamtest.Snapshot(s.engine)
		if s.engine, err = engine.New(s.config); err != nil {
			t.Fatal(err)
		}
		if err := streamtest.Restore(s.engine, state); err != nil {
			return err.Error() + "\n"
		}
		return ""
	}
	d.Fatalf(t, "no such command: %s", d.Cmd)
	return ""
}

func scriptConfig(t *testing.T, d *datadriven.TestData) engine.Config {
	t.Helper()
	c := engine.Config{Model: "drift", Horizon: 1}
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		return v
	}
	assembly := func() *assemble.Assembly {
		if c.Assembly == nil {
			c.Assembly = &assemble.Assembly{}
		}
		return c.Assembly
	}
	for _, a := range d.CmdArgs {
		v := a.Vals[0]
		switch a.Key {
		case "horizon":
			c.Horizon = int(number(v))
		case "emit":
			for _, v := range a.Vals {
				c.Emit = append(c.Emit, int(number(v)))
			}
		case "levels":
			for _, v := range a.Vals {
				c.Levels = append(c.Levels, number(v))
			}
		case "variables":
			c.Variables = a.Vals
		case "scope":
			c.Scope = engine.Scope(v)
		case "baseline": // with another model, as the reference
			c.Baselines = []engine.Baseline{{Name: v, Reference: true, New: func(dim, horizon int) (eval.Model, error) {
				return streamtest.NewDrift(dim, horizon, 0), nil
			}}}
		case "interval":
			c.Interval = time.Duration(number(v) * 1e9)
		case "wait":
			assembly().Wait = time.Duration(number(v) * 1e9)
		case "wait-for-late":
			assembly().WaitForLate = v == "true"
		case "fill":
			assembly().Fill = assemble.Fill(v)
		case "max-ahead":
			c.MaxAhead = time.Duration(number(v) * 1e9)
		case "max-gap":
			c.MaxGap = int(number(v))
		case "schema-change-after":
			c.SchemaChangeAfter = int(number(v))
		case "metrics-every":
			c.MetricsEvery = int(number(v))
		case "metrics-window":
			c.MetricsWindow = int(number(v))
		case "max-series":
			c.MaxSeries = int(number(v))
		case "max-dim":
			c.MaxDim = int(number(v))
		case "max-name":
			c.MaxName = int(number(v))
		case "max-abs":
			c.MaxAbs = number(v)
		default:
			d.Fatalf(t, "no such setting: %s", a.Key)
		}
	}
	c.NewModel = func(dim int) (eval.Model, error) {
		return streamtest.NewDrift(dim, c.Horizon, len(c.Levels)), nil
	}
	return c
}

func (s *script) step(t *testing.T, d *datadriven.TestData, b *engine.Results, line string) error {
	t.Helper()
	number := func(s string) float64 {
		if s == "-" {
			return math.NaN()
		}
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		return v
	}
	m := &stream.Message{Topic: "in", Offset: s.offset, Value: []byte(strings.TrimSpace(line))}
	r := &stream.Record{Message: m}
	fields := strings.Fields(line)
	for len(fields) > 0 {
		if at, ok := strings.CutPrefix(fields[0], "@"); ok {
			m.Offset = int64(number(at))
		} else if now, ok := strings.CutPrefix(fields[0], "now="); ok {
			m.Time = int64(number(now) * 1e9)
		} else {
			break
		}
		fields = fields[1:]
	}
	s.offset = m.Offset + 1
	if fields[0] == "reject" {
		streamtest.Reject(s.engine, b, m, &refuse.Error{Reason: refuse.Malformed, Detail: "as the decoder says"})
		return nil
	}
	r.Series, _ = strconv.Unquote(`"` + fields[0] + `"`)
	if r.Series == "''" {
		r.Series = ""
	}
	r.Time = int64(number(fields[1]) * 1e9)
	for _, f := range fields[2:] {
		if name, v, ok := strings.Cut(f, "="); ok {
			r.Names = append(r.Names, name)
			f = v
		}
		r.Values = append(r.Values, number(f))
	}
	return streamtest.Apply(s.engine, b, r)
}

// render prints a batch, one point a line.
func render(b *engine.Results) string {
	var out strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	for _, e := range b.Events {
		line("event %s %s: %s: %s", e.Series, seconds(e.Time), e.Kind, e.Text)
	}
	for _, l := range b.DeadLetters {
		line("refused %s: %s: %s", l.Message.Origin(), l.Reason, l.Detail)
	}
	for _, o := range b.Observations {
		line("observed %s %s:%s", o.Series.Name, seconds(o.Time), values(o.Series, func(j int) string {
			s := short(o.Y[j])
			if !math.IsNaN(o.Residual[j]) {
				s += fmt.Sprintf(" (error %s", short(o.Residual[j]))
				s += ")"
			}
			return s
		}))
	}
	for _, f := range b.Forecasts {
		line("forecast %s %s + %d = %s:%s", f.Series.Name, seconds(f.Origin), f.Horizon, seconds(f.Time), values(f.Series, func(j int) string {
			s := short(f.Yhat[j])
			for l := range len(f.Lower) / len(f.Yhat) {
				i := l*len(f.Yhat) + j
				s += fmt.Sprintf(" [%s, %s]", short(f.Lower[i]), short(f.Upper[i]))
			}
			return s
		}))
	}
	for _, m := range b.Metrics {
		s := m.Score
		line("metric %s %s %s %s + %d: n=%d mse=%s skill=%s var=%s coverage=%s", m.Series.Name, seconds(m.Time), m.Model, m.Target, m.Horizon,
			s.N, short(s.MSE), short(s.SkillVsNaive), short(s.SkillVsVAR), short(s.Coverage))
	}
	return out.String()
}

func values(s *stream.Series, value func(j int) string) string {
	var out string
	for j, name := range s.Variables {
		out += " " + name + "=" + value(j)
	}
	return out
}

func seconds(t int64) string { return strconv.FormatFloat(float64(t)/1e9, 'g', -1, 64) + "s" }

func short(v float64) string {
	if math.IsNaN(v) {
		return "-"
	}
	return strconv.FormatFloat(v, 'g', 5, 64)
}
