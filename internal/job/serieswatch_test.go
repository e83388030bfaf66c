package job

import (
	"math"
	"testing"
	"time"

	"github.com/orffvar/forecaster/stream"
)

func TestSeriesWatch(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	w := newSeriesWatch()
	w.now = func() time.Time { return now }
	fast, slow := &stream.Series{Name: "fast"}, &stream.Series{Name: "slow"}
	sample := func(s *stream.Series, missing int64, toLimit ...float64) {
		o := stream.Observation{Series: s, Time: now.UnixNano(), Missing: missing, TimeToLimit: toLimit}
		if err := w.Write(t.Context(), &stream.Batch{Observations: []stream.Observation{o}}); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(silent, expected int, first float64) {
		t.Helper()
		n, seconds := w.limits()
		if w.silent() != silent || n != expected || !(seconds == first || math.IsNaN(seconds) && math.IsNaN(first)) {
			t.Errorf("silent %d, expected %d in %v s; want %d, %d, %v", w.silent(), n, seconds, silent, expected, first)
		}
	}
	nan := math.NaN()
	expect(0, 0, nan)
	for range 20 {
		now = now.Add(10 * time.Second)
		sample(fast, 0, nan, 120)
		sample(slow, 5, 60, 300) // every 60 s, five of six are missing: a spacing of 10 s, until it is a second series
	}
	expect(0, 3, 60)
	sample(fast, 0, nan, nan)
	expect(0, 2, 60)
	now = now.Add(101 * time.Second)
	expect(2, 2, 60)
	sample(slow, 9, nan, nan)
	expect(1, 0, nan)
}
