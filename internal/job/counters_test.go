package job

import (
	"reflect"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
	"github.com/orffvar/forecaster/stream/refuse"
	"github.com/orffvar/forecaster/stream/run"
)

// A partition that comes back goes on counting: all earlier counts are added, and gauges have
// their present values.
func TestCountsOutliveAPartition(t *testing.T) {
	fill := func(c *counters, n int64) {
		for _, v := range []reflect.Value{reflect.ValueOf(c).Elem(), reflect.ValueOf(&c.Stats).Elem()} {
			for i := range v.NumField() {
				if f := v.Field(i); f.Kind() == reflect.Int64 && f.CanSet() {
					f.SetInt(n)
				}
			}
		}
	}
	var now, past counters
	fill(&now, 1)
	fill(&past, 100)
	now.DeadLetters, past.DeadLetters = map[refuse.Reason]int64{refuse.Late: 1}, map[refuse.Reason]int64{refuse.Late: 100, refuse.Memory: 100}
	now.SinkRetries, past.SinkRetries = map[string]int64{"503": 1}, map[string]int64{"503": 100, "429": 100}
	for i := range now.Stages {
		now.Stages[i], past.Stages[i] = run.StageStats{Count: 1, Elapsed: 1}, run.StageStats{Count: 100, Elapsed: 100}
	}
	sum := now.plus(past)
	for i, s := range sum.Stages {
		if s.Count != 101 || s.Elapsed != 101 {
			t.Errorf("stage %v: %+v", run.Stage(i), s)
		}
	}
	if d, r := sum.DeadLetters, sum.SinkRetries; d[refuse.Late] != 101 || d[refuse.Memory] != 100 || r["503"] != 101 || r["429"] != 100 {
		t.Errorf("refused %v, repeated %v", d, r)
	}
	gauges := map[string]bool{"Series": true, "Watermark": true, "Next": true, "CheckpointBytes": true, "Refused": true}
	v := reflect.ValueOf(sum.Stats)
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		if f := v.Field(i); f.Kind() == reflect.Int64 && f.Int() != 101 && !gauges[name] {
			t.Errorf("%s is %d, want the sum 101", name, f.Int())
		}
	}
	if sum.Damaged != 101 {
		t.Errorf("Damaged is %d", sum.Damaged)
	}
}

// The notes name the rates that are configured and their resets, and the counters that are not.
func TestCounterNotes(t *testing.T) {
	courses := func(resets int, names ...string) *assemble.Courses {
		s := &stream.Series{Name: "s", Variables: names}
		c := new(assemble.Courses)
		total := 0.
		for i := range 400 {
			if total += float64(1 + i*i%17); resets > 0 && i%100 == 99 {
				total, resets = 0, resets-1
			}
			row := make([]float64, len(names))
			for j := range row {
				row[j] = total
			}
			c.Add(s, row)
		}
		return c
	}
	const advice = "; forecasts are of the count. For rates per second add --set "
	for _, c := range []struct {
		rate   []string
		resets int64
		of     *assemble.Courses
		want   []string
	}{
		{nil, 0, new(assemble.Courses), nil},
		{[]string{"a", "b"}, 0, new(assemble.Courses), []string{"a, b: differences per second, as pipeline.rate asks; 0 resets"}},
		{[]string{"a"}, 1, new(assemble.Courses), []string{"a: differences per second, as pipeline.rate asks; 1 reset"}},
		{nil, 0, courses(0, "x"), []string{"x rises as a counter does, without a reset" + advice + "pipeline.rate=x"}},
		{nil, 0, courses(1, "x"), []string{"x rises as a counter does, with 1 reset" + advice + "pipeline.rate=x"}},
		{[]string{"a"}, 2, courses(2, "x", "y"), []string{
			"a: differences per second, as pipeline.rate asks; 2 resets",
			"x, y rise as a counter does, with 4 resets" + advice + "pipeline.rate=x,y",
		}},
	} {
		cfg := config.Default()
		cfg.Pipeline.Rate = c.rate
		if got := CounterNotes(cfg, c.of, c.resets); !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// A late sample is no step of a series: it neither makes nor hides a gap.
func TestLateSamplesAreNoSteps(t *testing.T) {
	g := NewGapWatch(config.Default())
	for i := range int64(300) {
		g.Add("s", i*60e9)
		if i%40 == 39 {
			g.Add("s", (i-2)*60e9) // again, and late
		}
	}
	if got := g.Hint(); got != "" {
		t.Errorf("a regular series with late samples: %s", got)
	}
}
