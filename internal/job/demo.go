package job

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/orffvar/forecaster/eval/dataset"
	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/kafka/cluster"
	"github.com/orffvar/forecaster/stream/kafka/kafkasink"
)

// DemoMessages returns the samples of macrodata and of a simulated series with a number of rows. They are interleaved so
// that both series end at about the same time.
func DemoMessages(rows int) []stream.Message {
	simulated := wire.Simulate(&wire.SimulatedInput{Setting: "exponential", Noise: "white", Dim: 5, Rows: rows, Seed: 1, Interval: time.Second})
	series := [][]stream.Message{DatasetMessages(dataset.Macrodata()), DatasetMessages(simulated)}
	var all []stream.Message
	at := make([]int, len(series))
	for {
		next := -1
		for i, s := range series {
			if at[i] == len(s) {
				continue
			}
			if next < 0 || at[i]*len(series[next]) < at[next]*len(s) {
				next = i
			}
		}
		if next < 0 {
			return all
		}
		all = append(all, series[next][at[next]])
		at[next]++
	}
}

// DatasetMessages returns the rows of the first series of d as JSON messages.
func DatasetMessages(d *scoring.Dataset) []stream.Message {
	s := d.Series[0]
	out := make([]stream.Message, len(s.Rows))
	for i, y := range s.Rows {
		r := stream.Record{Series: d.Name, Time: s.Times[i], Names: d.Variables, Values: y}
		out[i] = stream.Message{Key: []byte(d.Name), Value: appendRecordJSON(nil, &r)}
	}
	return out
}

// Publish sends messages to a topic, at most rate per second; 0: no limit.
func Publish(ctx context.Context, broker, topic string, messages []stream.Message, rate float64, log *slog.Logger) error {
	p, err := kafkasink.NewProducer(cluster.Connection{Brokers: []string{broker}, ClientID: "demo"}, topic, log)
	if err != nil {
		return err
	}
	defer p.Close()
	step := len(messages)
	if rate > 0 {
		step = max(1, int(rate/20)) // one batch every 50 ms
	}
	pacer := newPacer(rate)
	for len(messages) > 0 {
		n := min(step, len(messages))
		if err := pacer.wait(ctx, n); err != nil {
			return err
		}
		if err := p.Send(ctx, messages[:n]); err != nil {
			return err
		}
		messages = messages[n:]
	}
	return nil
}

// LastForecasts is a tap that keeps, per series, the newest sample of the first variable and its forecast.
type LastForecasts struct {
	mu     sync.Mutex
	series []SeriesView
}

// SeriesView is the state of a series in LastForecasts.
type SeriesView struct {
	Series, Variable   string
	Observed, Forecast float64
	Past               []float64
}

// Write implements stream.Sink.
func (l *LastForecasts) Write(_ context.Context, b *stream.Batch) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range b.Observations {
		o := &b.Observations[i]
		s := l.of(o.Series)
		s.Observed, s.Forecast = o.Y[0], o.Y[0]-o.Residual[0]
		s.Past = append(s.Past, o.Y[0])
		if n := len(s.Past) - 24; n > 0 {
			s.Past = s.Past[n:]
		}
	}
	return nil
}

func (l *LastForecasts) of(s *stream.Series) *SeriesView {
	for i := range l.series {
		if l.series[i].Series == s.Name {
			return &l.series[i]
		}
	}
	l.series = append(l.series, SeriesView{Series: s.Name, Variable: s.Variables[0]})
	return &l.series[len(l.series)-1]
}

// Close implements stream.Sink.
func (l *LastForecasts) Close() error { return nil }

// Snapshot returns a copy of the state of every series.
func (l *LastForecasts) Snapshot() []SeriesView {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]SeriesView, len(l.series))
	for i, s := range l.series {
		s.Past = append([]float64(nil), s.Past...)
		out[i] = s
	}
	return out
}
