package job

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
)

func TestGapHint(t *testing.T) {
	minutes := func(n int, without ...int) (times []time.Duration) {
	next:
		for i := range n {
			for _, w := range without {
				if i == w {
					continue next
				}
			}
			times = append(times, time.Duration(i)*time.Minute)
		}
		return times
	}
	gap := minutes(300)
	gap = append(gap[:100:100], gap[160:]...)
	irregular := []time.Duration{0, 1, 3, 4, 9, 11, 12, 20}
	for _, c := range []struct {
		name  string
		times []time.Duration
		want  string
	}{
		{"none", minutes(50), ""},
		{"one", gap, "1 gap of 60 steps: add --set pipeline.interval=1m, or the model takes the samples around a gap for neighbours"},
		{"few samples", minutes(30, 20), "1 gap of 1 step: add --set pipeline.interval=1m, or the model takes the samples around a gap for neighbours"},
		{"two", minutes(300, 20, 200, 201), "2 gaps, the longest of 2 steps: add --set pipeline.interval=1m, or the model takes the samples around a gap for neighbours"},
		{"irregular", irregular, ""},
	} {
		g := NewGapWatch(config.Default())
		s := &stream.Series{Name: "s", Variables: []string{"v"}}
		for _, at := range c.times {
			b := &stream.Batch{Observations: []stream.Observation{{Series: s, Time: int64(at), Y: []float64{1}}}}
			if err := g.Write(context.Background(), b); err != nil {
				t.Fatal(err)
			}
		}
		// Series that are not regular, one of them of a single sample, do not hide the gap of another one.
		for k := range 30 {
			for _, at := range irregular[:1+k%len(irregular)] {
				g.Add(fmt.Sprint("other", k), int64(at))
			}
		}
		if got := g.Hint(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got := config.ShortDuration(90 * time.Minute); got != "1h30m" {
		t.Error(got)
	}
	if got := config.ShortDuration(time.Hour); got != "1h" {
		t.Error(got)
	}
}
