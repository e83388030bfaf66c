package kafka

import (
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"strconv"
	"time"

	"github.com/orffvar/forecaster/internal/decimal"
	"github.com/orffvar/forecaster/stream"
)

// Sink writes forecasts to a topic, each variable, horizon and, if there are
// several, interval level as a message. The key is the name of the series, the
// value an object
//
//	{"series":"host1","target":"cpu","horizon":1,"model":"auto","origin":"2026-01-01T00:00:00Z",
//	 "time":"2026-01-01T00:00:10Z","yhat":0.5,"yhat_lower":0.4,"yhat_upper":0.6}
//
// with the target's time, with level behind model if there are several, and null
// for the bounds of an interval that is not calibrated. With a joint region its ends
// follow, yhat_joint_lower and yhat_joint_upper, in the first of the levels. The time of the message is
// that of writing: a topic may refuse or remove what has another.
//
// A topic keeps what was written twice: after a crash, or a request whose answer
// was lost, messages are there again, with the same bytes. A consumer takes
// (series, target, horizon, level, time) for the identity of a forecast.
type Sink struct {
	producer *Producer
	levels   []float64

	buf  []byte // backs the messages of a batch
	sent []outgoing
	ends []int // of the values in buf
}

var _ stream.Sink = (*Sink)(nil)

// NewSink returns a Sink that has not connected yet. The topic has to exist;
// levels are those of the engine.
func NewSink(c Connection, topic string, levels []float64, log *slog.Logger) (*Sink, error) {
	p, err := NewProducer(c, topic, log)
	if err != nil {
		return nil, err
	}
	return &Sink{producer: p, levels: levels}, nil
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

// Close releases the connections.
func (s *Sink) Close() error { return s.producer.Close() }

// encode makes the messages of b.
func (s *Sink) encode(b *stream.Batch) {
	s.buf, s.sent, s.ends = s.buf[:0], s.sent[:0], s.ends[:0]
	var head []byte
	for i := range b.Forecasts {
		f := &b.Forecasts[i]
		series, model := quote(f.Series.Name), quote(f.Model)
		for j, target := range f.Series.Variables {
			head = append(append(head[:0], `{"series":`...), series...)
			head = append(append(head, `,"target":`...), quote(target)...)
			head = strconv.AppendInt(append(head, `,"horizon":`...), int64(f.Horizon), 10)
			head = append(append(head, `,"model":`...), model...)
			for l := range max(1, len(s.levels)) {
				lower, upper := math.NaN(), math.NaN()
				if len(s.levels) > 0 {
					lower, upper = f.Lower[l*len(f.Yhat)+j], f.Upper[l*len(f.Yhat)+j]
				}
				s.buf = append(s.buf, head...)
				if len(s.levels) > 1 {
					s.buf = appendMember(s.buf, "level", s.levels[l])
				}
				s.buf = appendTime(s.buf, "origin", f.Origin)
				s.buf = appendTime(s.buf, "time", f.Time)
				s.buf = appendMember(s.buf, "yhat", f.Yhat[j])
				s.buf = appendMember(s.buf, "yhat_lower", lower)
				s.buf = appendMember(s.buf, "yhat_upper", upper)
				if f.JointLower != nil && l == 0 {
					s.buf = appendMember(s.buf, "yhat_joint_lower", f.JointLower[j])
					s.buf = appendMember(s.buf, "yhat_joint_upper", f.JointUpper[j])
				}
				s.buf = append(s.buf, '}')
				s.ends = append(s.ends, len(s.buf))
				s.sent = append(s.sent, outgoing{key: []byte(f.Series.Name)})
			}
		}
	}
	from := 0
	for i, end := range s.ends {
		s.sent[i].value = s.buf[from:end:end]
		from = end
	}
}

// appendMember appends a number, null where it is not finite.
func appendMember(dst []byte, name string, v float64) []byte {
	dst = append(append(append(dst, `,"`...), name...), `":`...)
	if v-v != 0 {
		return append(dst, "null"...)
	}
	return decimal.Append(dst, v)
}

func appendTime(dst []byte, name string, t int64) []byte {
	dst = append(append(append(dst, `,"`...), name...), `":"`...)
	return append(time.Unix(0, t).UTC().AppendFormat(dst, time.RFC3339Nano), '"')
}

// quote returns s as JSON text.
func quote(s string) []byte {
	b, err := json.Marshal(s)
	if err != nil {
		panic("kafka: " + err.Error()) // strings always encode
	}
	return b
}
