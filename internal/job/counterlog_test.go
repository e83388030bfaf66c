package job

import (
	"bytes"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/internal/tools/logtest"
	"github.com/orffvar/forecaster/stream"
)

// A counter is named once however long it rises, a gauge never, and what the log holds is freed.
func TestCounterIsNamedOnce(t *testing.T) {
	var text bytes.Buffer
	l := newCounterLog(logtest.New(&text), "t-0")
	s := &stream.Series{Name: "s", Variables: []string{"requests_total", "load"}}
	total := 0.
	for i := range 110_000 {
		if total += float64(1 + i*i%17); i%5000 == 4999 {
			total = 0
		}
		b := stream.Batch{Observations: []stream.Observation{{Series: s, Time: int64(i) * 1e9, Y: []float64{total, float64(i * i % 31)}}}}
		if err := l.Write(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
	}
	if got := text.String(); strings.Count(got, "requests_total") != 2 || strings.Contains(got, "load") || !strings.Contains(got, "variable=requests_total set=\"pipeline.rate=requests_total\" partition=t-0\n") {
		t.Errorf("the log has\n%s", got)
	}
	if names, _ := l.Counters(); len(names) > 0 {
		t.Errorf("%v are held behind the last look", names)
	}
}
