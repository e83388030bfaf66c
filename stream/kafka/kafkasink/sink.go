package kafkasink

import (
	"context"
	"log/slog"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/kafka/cluster"
)

// Sink writes forecasts to a topic, as messages that an Encoder makes. The key is the name of
// the series. The time of the message is the time of writing: a topic may refuse or remove
// messages of other times.
//
// A topic keeps messages that were written twice: after a crash, or a request whose answer
// was lost, messages are there again, with the same bytes. The identity of a forecast is
// (series, target, horizon, level, time).
type Sink struct {
	producer *Producer
	encoder  Encoder

	buf  []byte // backs the messages of a batch
	sent []outgoing
	ends []int // of the values in buf
}

// Encoder makes the messages of a forecast. AppendForecast appends the messages to dst, and
// the end of each to ends.
type Encoder interface {
	AppendForecast(dst []byte, ends []int, f *stream.Forecast) ([]byte, []int)
}

var _ stream.Sink = (*Sink)(nil)

// New returns a Sink that has not connected yet. The topic has to exist. Messages that exceed its
// limit become letters; nil: they are only counted and logged.
func New(c cluster.Connection, topic string, encoder Encoder, letters stream.DeadLetters, log *slog.Logger) (*Sink, error) {
	p, err := NewProducer(c, topic, log)
	if err != nil {
		return nil, err
	}
	p.rejects(letters)
	return &Sink{producer: p, encoder: encoder}, nil
}

// Write implements stream.Sink. It returns when all replicas have the forecasts;
// see Producer.Send.
func (s *Sink) Write(ctx context.Context, b *stream.Batch) error {
	s.encode(b)
	err := s.producer.send(ctx, len(s.sent), func(i int) outgoing { return s.sent[i] })
	if err != nil {
		s.buf, s.sent = nil, nil // a request may still hold them
	}
	return err
}

// Problem returns why the last request failed; "" after a success. It may be called from
// any goroutine.
func (s *Sink) Problem() string { return s.producer.Problem() }

// Rejected returns the number of messages that exceeded the limit of the topic.
func (s *Sink) Rejected() int64 { return s.producer.Rejected() }

// Close releases the connections.
func (s *Sink) Close() error { return s.producer.Close() }

// encode makes the messages of b.
func (s *Sink) encode(b *stream.Batch) {
	s.buf, s.sent, s.ends = s.buf[:0], s.sent[:0], s.ends[:0]
	for i := range b.Forecasts {
		f := &b.Forecasts[i]
		s.buf, s.ends = s.encoder.AppendForecast(s.buf, s.ends, f)
		for len(s.sent) < len(s.ends) {
			s.sent = append(s.sent, outgoing{key: []byte(f.Series.Name)})
		}
	}
	from := 0
	for i, end := range s.ends {
		s.sent[i].value = s.buf[from:end:end]
		from = end
	}
}
