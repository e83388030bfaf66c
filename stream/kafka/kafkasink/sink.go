package kafkasink

import (
	"context"
	"log/slog"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/kafka/cluster"
)

// Sink writes forecasts to a topic, encoded by an Encoder. The key is the name of the series. The time of a message
// is the time of writing, since a topic may refuse or remove messages of other times.
//
// After a crash or a lost answer the topic may have a message twice, with the same bytes. The identity of a
// forecast is (series, target, horizon, level, time).
type Sink struct {
	producer *Producer
	encoder  Encoder

	buf  []byte // memory of the messages of a batch
	sent []outgoing
	ends []int // ends of the values in buf
}

// Encoder encodes forecasts as messages. AppendForecast appends the messages of f to dst, and the end of each
// message to ends.
type Encoder interface {
	AppendForecast(dst []byte, ends []int, f *stream.Forecast) ([]byte, []int)
}

var _ stream.Sink = (*Sink)(nil)

// New returns a Sink that has not connected yet. The topic must exist. Messages beyond its limit become letters.
// Nil letters: they are only counted and logged.
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
		s.buf, s.sent = nil, nil // a request may still use them
	}
	return err
}

// Problem returns the reason for the failure of the last request, "" after a success. Any goroutine may call it.
func (s *Sink) Problem() string { return s.producer.Problem() }

// Rejected returns the number of messages that exceeded the limit of the topic.
func (s *Sink) Rejected() int64 { return s.producer.Rejected() }

// Close releases the connections.
func (s *Sink) Close() error { return s.producer.Close() }

// encode encodes the forecasts of b.
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
