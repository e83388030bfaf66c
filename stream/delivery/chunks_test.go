package delivery

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/event"
	"github.com/orffvar/forecaster/stream/lineproto"
)

// points is a batch with n forecasts of one variable, numbered by their value.
func points(n int) *stream.Batch {
	s := &stream.Series{Name: "s", Variables: []string{"yhat"}} // as a field is called in the long layout
	b := &stream.Batch{}
	for i := range n {
		b.Forecasts = append(b.Forecasts, stream.Forecast{Series: s, Model: "m", Horizon: 1, Time: int64(i+1) * 1e9, Yhat: []float64{float64(i)}})
	}
	return b
}

// TestWideRequests: a request with points of a thousand variables stays below the limits of servers, and has every
// point.
func TestWideRequests(t *testing.T) {
	names := make([]string, 1024)
	for i := range names {
		names[i] = fmt.Sprintf("a variable with a name of usual length %d", i)
	}
	s := &stream.Series{Name: "s", Variables: names}
	b := &stream.Batch{}
	for i := range 200 {
		v := make([]float64, len(names))
		for j := range v {
			v[j] = math.Sqrt(float64(i + j))
		}
		b.Forecasts = append(b.Forecasts, stream.Forecast{Series: s, Model: "m", Horizon: 1, Time: int64(i+1) * 1e9, Yhat: v, Lower: v, Upper: v})
	}
	encoder := lineproto.Encoder{Levels: []float64{.9}}
	c := chunks{encoder: encoder, left: *b}
	var got []byte
	var bufs [2][]byte
	for i := 0; ; i = 1 - i {
		if bufs[i] = c.next(bufs[i], 5000); len(bufs[i]) == 0 {
			break
		}
		line := len(bufs[i]) / bytes.Count(bufs[i], newline)
		if len(bufs[i]) > largest+2*line {
			t.Errorf("a request of %d bytes", len(bufs[i]))
		}
		got = append(got, bufs[i]...)
	}
	if want := encoder.AppendBatch(nil, b); !bytes.Equal(got, want) || len(want) < 3*largest {
		t.Errorf("%d bytes in requests, %d encoded at once", len(got), len(want))
	}
}

// TestChunks: joined requests equal the encoding of the whole batch, and all but the last have the largest number
// of lines.
func TestChunks(t *testing.T) {
	b := points(70)
	for i := range 100 {
		b.Observations = append(b.Observations, stream.Observation{
			Series: b.Forecasts[0].Series, Time: int64(i), Y: []float64{1}, Residual: []float64{float64(i)}, VariableScores: []float64{math.NaN()}, AnomalyScore: math.NaN(), StateScore: math.NaN(), LevelSetScore: math.NaN(),
		})
	}
	b.Events = append(b.Events, stream.Event{Series: "s", Kind: event.Gap, Text: "t"})
	for _, size := range []int{1, 7, 32, 33, 171, 1000} {
		c := chunks{left: *b}
		var got []byte
		var bufs [2][]byte
		for i := 0; ; i = 1 - i {
			bufs[i] = c.next(bufs[i], size)
			lines := bytes.Count(bufs[i], newline)
			if lines == 0 {
				break
			}
			if got = append(got, bufs[i]...); lines != size && lines != 171%size {
				t.Errorf("a request of %d lines, want %d", lines, size)
			}
		}
		if want := c.encoder.AppendBatch(nil, b); !bytes.Equal(got, want) {
			t.Errorf("requests of %d lines: got\n%.300s\nwant\n%.300s", size, got, want)
		}
	}
}

// TestRequestsGrowAgain: requests that shrank for a slow server grow again: after fifty accepted requests in a row the
// next one is twice as large, up to the configured size.
func TestRequestsGrowAgain(t *testing.T) {
	var sizes []int // of the requests
	sink := New(Config{BatchSize: 48, Attempt: func(_ context.Context, b []byte) error {
		sizes = append(sizes, bytes.Count(b, newline))
		return nil
	}})
	for range 4 {
		sink.shrink(10)
		for range 130 {
			if err := sink.Write(t.Context(), points(sink.size)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, n := range sizes {
		if want := min(10<<(i%130/50), 48); n != want {
			t.Fatalf("request %d has %d lines, want %d", i, n, want)
		}
	}
}

// TestBatchSizeChanges: a number changes the size of requests, also of one that had shrunk, and 0 leaves it.
func TestBatchSizeChanges(t *testing.T) {
	s := New(Config{BatchSize: 100})
	for _, c := range []struct{ shrunk, set, config, size int }{{100, 0, 100, 100}, {25, 0, 100, 25}, {25, 100, 100, 25}, {25, 50, 50, 50}, {10, 200, 200, 200}} {
		s.size = c.shrunk
		if s.SetBatchSize(c.set); s.config.BatchSize != c.config || s.size != c.size {
			t.Errorf("%+v: %d, at present %d", c, s.config.BatchSize, s.size)
		}
	}
}
