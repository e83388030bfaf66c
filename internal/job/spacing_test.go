package job

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/tools/logtest"
	"github.com/orffvar/forecaster/stream"
)

// TestMisfit: the samples of a regular series and an interval that does not fit to them.
func TestMisfit(t *testing.T) {
	const hour = time.Hour
	const remedy = "add --set pipeline.wait_for_late=true --set pipeline.aggregate=mean, or leave pipeline.interval out"
	for _, c := range []struct {
		spacings []time.Duration // of a series each
		interval config.Interval
		want     string // the end of the message; "" = none
	}{
		{[]time.Duration{hour}, 0, ""},
		{[]time.Duration{hour}, config.Interval(hour), ""},
		{[]time.Duration{hour}, config.Interval(hour / 2), ""},
		{[]time.Duration{hour}, config.Interval(2 * hour), "the rows are 1h apart and pipeline.interval is 2h: " + remedy},
		{[]time.Duration{40 * time.Minute}, config.Interval(hour), "the rows are 40m apart and pipeline.interval is 1h: " + remedy},
		{[]time.Duration{41 * time.Minute}, config.Interval(hour), ""},
		{[]time.Duration{hour - time.Minute}, config.Interval(hour), ""}, // a clock that is fast
		{[]time.Duration{2 * hour}, config.Interval(hour), ""},
		{[]time.Duration{2*hour + time.Second}, config.Interval(hour), "every row would stand alone; leave pipeline.interval out, or add --set pipeline.interval=2h0m1s"},
		{[]time.Duration{hour, 6 * hour}, config.Interval(hour), ""}, // fits one of two series
		{[]time.Duration{hour, 6 * hour}, config.Interval(6 * hour), remedy},
		{[]time.Duration{hour, 6 * hour}, config.Interval(hour / 6), "or add --set pipeline.interval=1h"},
		{[]time.Duration{day}, config.Interval(hour), "the rows are 1 day apart and pipeline.interval is 1h: every row would stand alone; leave pipeline.interval out, or add --set pipeline.interval=24h"},
		{[]time.Duration{30 * day}, config.Interval(-1), ""},
		{[]time.Duration{31 * day}, config.Interval(day), "or add --set pipeline.interval=month"},
		{[]time.Duration{91 * day}, config.Interval(-1), "or add --set pipeline.interval=quarter"},
		{[]time.Duration{7 * day}, config.Interval(-1), "the rows are 7 days apart and pipeline.interval is month: leave pipeline.interval out, or give a file with one row for each month"},
	} {
		cfg := config.Default()
		cfg.Pipeline.Interval = c.interval
		g := NewGapWatch(cfg)
		g.Add("one", 0) // a series without a step
		for k, spacing := range c.spacings {
			for i := range 20 {
				g.Add(string(rune('a'+k)), int64(i)*int64(spacing))
			}
		}
		got := g.misfit()
		if (got == "") != (c.want == "") || !strings.HasSuffix(got, c.want) {
			t.Errorf("%v, interval %v: %q, want %q", c.spacings, c.interval, got, c.want)
		}
	}
	for d, want := range map[time.Duration]int{
		27 * day: 0, 28 * day: 1, 31 * day: 1, 32 * day: 0, 59 * day: 2, 62 * day: 2,
		90 * day: 3, 92 * day: 3, 181 * day: 6, 184 * day: 6, 365 * day: 12, 366 * day: 12, 366*day + 1: 0, 400 * day: 0,
	} {
		if got := config.NearMonths(d); got != want {
			t.Errorf("config.NearMonths(%v) = %d, want %d", d, got, want)
		}
	}
}

// TestMisfitIsLogged: a live job warns once, however many samples come, and once more of a series
// that is closer; it keeps no steps of series whose spacing is known.
func TestMisfitIsLogged(t *testing.T) {
	var out bytes.Buffer
	cfg := config.Default()
	log := logtest.New(&out)
	if newMisfitLog(cfg, log, "p") != nil {
		t.Error("a tap without an interval")
	}
	cfg.Pipeline.Interval = config.Interval(3 * time.Hour)
	m := newMisfitLog(cfg, log, "p")
	feed := func(name string, spacing time.Duration) int {
		before := strings.Count(out.String(), "\n")
		s := &stream.Series{Name: name}
		for i := range 5 * gapSteps {
			at := int64(i) * int64(spacing)
			if i > 2*gapSteps && i%2 == 0 {
				at += int64(i) // irregular from here on
			}
			if err := m.Write(t.Context(), &stream.Batch{Observations: []stream.Observation{{Series: s, Time: at}}}); err != nil {
				t.Fatal(err)
			}
		}
		return strings.Count(out.String(), "\n") - before
	}
	for _, c := range []struct {
		name    string
		spacing time.Duration
		lines   int
	}{{"fits", 3 * time.Hour, 0}, {"close", time.Hour, 1}, {"again", time.Hour, 0}, {"closer", time.Minute, 1}, {"far", 12 * time.Hour, 0}} {
		if n := feed(c.name, c.spacing); n != c.lines {
			t.Errorf("%s: %d lines, want %d: %s", c.name, n, c.lines, out.String())
		}
	}
	if !strings.Contains(out.String(), "level=WARN") || !strings.Contains(out.String(), "the rows are 1h apart and pipeline.interval is 3h") || !strings.Contains(out.String(), "partition=p") {
		t.Error(out.String())
	}
	for name, s := range m.series {
		if len(s.first) > gapSteps {
			t.Errorf("%s: %d steps are kept", name, len(s.first))
		}
	}
}
