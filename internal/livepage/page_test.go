package livepage

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/event"
)

func TestForecastsStandBesideWhatTheyForecast(t *testing.T) {
	f := newFeeder(t, Config{Horizons: []int{1, 2, 3}, Levels: []float64{.9, .5}}, "s", "a", "b")
	f.feed(5)
	var m windowMessage
	get(t, f.page, "/api/v1/forecast?series=s&horizon=2&variable=b", 200, &m)
	if m.End != 5 || m.Horizon != 2 || len(m.Variables) != 1 || m.Variables[0].Name != "b" {
		t.Fatalf("got %+v", m)
	}
	b := m.Variables[0]
	for _, c := range []struct {
		name      string
		got, want column
	}{
		{"time", m.Time, column{18e8, 18e8 + 1, 18e8 + 2, 18e8 + 3, 18e8 + 4}},
		{"y", b.Y, column{10, 11, 12, 13, 14}},
		{"yhat", b.Yhat, column{nan, nan, 14, 15, 16}}, // forecast of the sample, made two steps before
		{"lower", b.Lower, column{nan, nan, 12, 13, 14}},
		{"upper", b.Upper, column{nan, nan, 16, 17, 18}},
		{"anomaly", b.Anomaly, column{1, 1, 1, 1, 1}},
		{"score", m.Score, column{.5, .5, .5, .5, .5}},
		{"times of the forecast", m.Forecast.Time, column{18e8 + 5, 18e8 + 6, 18e8 + 7}},
		{"forecast", m.Forecast.Variables[0].Yhat, column{16, 18, 20}},
		{"90 % below", m.Forecast.Variables[0].Lower[0], column{15, 16, 17}},
		{"50 % above", m.Forecast.Variables[0].Upper[1], column{18, 22, 26}},
	} {
		if !same(c.got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, c.got, c.want)
		}
	}
}

func TestGapsCountAsSteps(t *testing.T) {
	f := newFeeder(t, Config{Horizons: []int{1, 2}, Interval: time.Second}, "s", "a")
	f.feed(3)
	f.n = 4 // the sample at step 3 is missing
	f.feed(1)
	var m windowMessage
	get(t, f.page, "/api/v1/forecast?series=s&horizon=2", 200, &m)
	if want := (column{0, 1, 2, nan, 4}); !same(m.Variables[0].Y, want) {
		t.Errorf("y: got %v, want %v", m.Variables[0].Y, want)
	}
	if want := (column{nan, nan, 4, 5, 6}); !same(m.Variables[0].Yhat, want) {
		t.Errorf("yhat two steps before: got %v, want %v", m.Variables[0].Yhat, want)
	}
	f.n = 1e9 // a gap longer than the kept samples
	f.feed(1)
	get(t, f.page, "/api/v1/forecast?series=s&samples=2", 200, &m)
	if want := (column{nan, 1e9}); !same(m.Variables[0].Y, want) {
		t.Errorf("y: got %v, want %v", m.Variables[0].Y, want)
	}
}

func TestSamplesWrittenAgainAreIgnored(t *testing.T) {
	f := newFeeder(t, Config{Horizons: []int{1}}, "s", "a")
	f.feed(6)
	f.n = 4
	f.series = &stream.Series{Name: "s", Variables: []string{"a"}} // another Series value, as after a restart
	f.feed(4)
	var m windowMessage
	get(t, f.page, "/api/v1/forecast?series=s", 200, &m)
	if want := (column{0, 1, 2, 3, 4, 5, 6, 7}); !same(m.Variables[0].Y, want) {
		t.Errorf("y: got %v, want %v", m.Variables[0].Y, want)
	}
}

func TestOtherVariablesStartAnew(t *testing.T) {
	f := newFeeder(t, Config{Horizons: []int{1}}, "s", "a")
	f.feed(6)
	f.of("s", "a", "b").feed(2)
	var m windowMessage
	get(t, f.page, "/api/v1/forecast?series=s", 200, &m)
	if m.End != 2 || len(m.Variables) != 2 {
		t.Errorf("got %d samples of %d variables, want 2 of 2", m.End, len(m.Variables))
	}
}

func TestForecastsOfOtherModelsAreNotShown(t *testing.T) {
	f := newFeeder(t, Config{Horizons: []int{1}}, "s", "a")
	b := f.batch(3)
	for i := range b.Forecasts {
		b.Forecasts[i].Model = "var1"
	}
	f.write(b)
	var m windowMessage
	get(t, f.page, "/api/v1/forecast?series=s", 200, &m)
	if m.Forecast != nil {
		t.Errorf("got the forecast %+v", m.Forecast)
	}
}

// TestMemoryIsBounded writes more of each kind than the page keeps.
func TestMemoryIsBounded(t *testing.T) {
	horizons := make([]int, 300)
	for i := range horizons {
		horizons[i] = i + 1
	}
	names := make([]string, 100)
	for j := range names {
		names[j] = fmt.Sprint("v", j)
	}
	f := newFeeder(t, Config{Horizons: horizons, Levels: []float64{.9}}, "0", names...)
	for s := range MaxSeries + 10 {
		f.of(fmt.Sprint(s), names...).feed(1)
	}
	f.horizons = horizons[:1]
	f.n = 0
	f.series = f.page.series[0].info
	f.feed(500)
	b := &stream.Batch{}
	for i := range 3 * maxEvents {
		b.Events = append(b.Events, stream.Event{Series: "0", Kind: event.Gap, Text: fmt.Sprint(i)})
	}
	for range 3 * maxPoints {
		f.n++
		f.metrics(b, 0)
	}
	f.write(b)

	h := f.page.series[0].history
	if len(f.page.series) != MaxSeries+10 || len(f.page.kept) > MaxSeries || len(h.variables) != MaxVariables {
		t.Errorf("%d series, %d are kept, with %d variables", len(f.page.series), len(f.page.kept), len(h.variables))
	}
	total := int64(0)
	for _, m := range f.page.kept {
		total += m.history.bytes
	}
	if total != f.page.bytes || total > defaultMemory {
		t.Errorf("the histories take %d bytes, %d were counted, %d are allowed", total, f.page.bytes, defaultMemory)
	}
	bytes := 8 * (len(h.time) + len(h.y) + len(h.anomaly) + len(h.share))
	for _, k := range h.tracks {
		bytes += 8 * (len(k.yhat) + len(k.lower) + len(k.upper))
	}
	if bytes > seriesBytes || len(h.tracks) != maxTracked {
		t.Errorf("the samples take %d bytes for %d horizons", bytes, len(h.tracks))
	}
	if n := len(f.page.series[1].history.now.horizon); n > maxFan {
		t.Errorf("the forecast has %d horizons", n)
	}
	var m windowMessage
	get(t, f.page, "/api/v1/forecast?series=0&variable=v63", 200, &m)
	if int64(len(m.Time)) != h.capacity || m.End != 500 {
		t.Errorf("%d samples of %d are kept, room is for %d", len(m.Time), m.End, h.capacity)
	}
	if y := m.Variables[0].Y; y[len(y)-1] != f.value(499, 63) || y[0] != f.value(500-h.capacity, 63) {
		t.Errorf("the samples go from %v to %v", y[0], y[len(y)-1])
	}
	var e eventsMessage
	get(t, f.page, "/api/v1/events", 200, &e)
	if len(e.Events) != maxEvents || e.Events[0].Text != fmt.Sprint(3*maxEvents-1) {
		t.Errorf("%d events, the newest %+v", len(e.Events), e.Events[0])
	}
	var metrics metricsMessage
	get(t, f.page, "/api/v1/metrics?series=0", 200, &metrics)
	if len(metrics.Past.Time) != maxPoints {
		t.Errorf("%d points of scores", len(metrics.Past.Time))
	}
}

func TestWritingAllocatesNothingPerSample(t *testing.T) {
	f := newFeeder(t, Config{Horizons: []int{1, 2}, Levels: []float64{.9}}, "s", "a", "b")
	f.feed(10)
	b := f.batch(1)
	f.metrics(b, .5)
	ctx := context.Background()
	var n float64
	for range 5 { // goroutines of the browser of other tests may allocate
		n = testing.AllocsPerRun(100, func() {
			step := int64(time.Second)
			b.Observations[0].Time += step
			for i := range b.Forecasts {
				b.Forecasts[i].Origin += step
				b.Forecasts[i].Time += step
			}
			_ = f.page.Write(ctx, b)
		})
		if n == 0 {
			return
		}
	}
	t.Errorf("%v allocations per batch", n)
}

func TestSpread(t *testing.T) {
	for _, c := range []struct{ in, want []int }{
		{nil, nil},
		{[]int{1, 2, 3, 4}, []int{1, 2, 3, 4}},
		{[]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, []int{1, 4, 8, 12}},
		{[]int{2, 4, 8, 16, 32}, []int{2, 4, 8, 32}},
	} {
		if got := spread(c.in, 4); !slices.Equal(got, c.want) {
			t.Errorf("spread(%v) = %v, want %v", c.in, got, c.want)
		}
	}
}

func TestRateIsOverWholeSeconds(t *testing.T) {
	var c counters
	start := time.Unix(1000, 500e6)
	if c.rate(start) != 0 {
		t.Error("a rate without records")
	}
	for i := range 40 { // 10 samples per second for four seconds
		c.add(&stream.Batch{Records: 1}, start.Add(time.Duration(i)*100*time.Millisecond))
	}
	if got := c.rate(time.Unix(1004, 400e6)); !(got >= 8 && got <= 10) {
		t.Errorf("rate %v, want just below 10: the first second was not whole", got)
	}
	if got := c.rate(time.Unix(1020, 0)); got != 0 {
		t.Errorf("rate %v long after the last record", got)
	}
}

// TestConcurrentUse is for the race detector.
func TestConcurrentUse(t *testing.T) {
	f := newFeeder(t, Config{Horizons: []int{1, 2}, Levels: []float64{.9}, Status: func() Status { return Status{Lag: 1} }}, "s", "a")
	f.feed(1)
	var wg sync.WaitGroup
	for k := range 3 {
		g := f.of(strings.Repeat("s", k+1), "a")
		wg.Go(func() {
			for range 100 {
				b := g.batch(2)
				g.metrics(b, .1)
				b.Events = append(b.Events, stream.Event{Series: "s", Kind: event.Gap})
				g.write(b)
				runtime.Gosched()
			}
		})
	}
	for _, path := range []string{"series", "status", "events", "forecast?series=s", "metrics?series=s"} {
		wg.Go(func() {
			for range 50 {
				get(t, f.page, "/api/v1/"+path, 200, nil)
			}
		})
	}
	wg.Wait()
}
