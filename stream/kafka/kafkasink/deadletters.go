package kafkasink

import (
	"context"
	"log/slog"
	"strconv"

	kafkago "github.com/segmentio/kafka-go"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/kafka/cluster"
)

type deadLetters struct{ *Producer }

var _ stream.DeadLetters = (*deadLetters)(nil)

// NewDeadLetters returns a sink that has not connected yet. The topic must exist.
//
// The sink keeps refused messages in a topic, with their key and value. Headers have the reason
// and the place of the message in the input:
//
//	forecaster.reason     one of refuse.Reasons
//	forecaster.detail     the error
//	forecaster.topic      topic of the input
//	forecaster.partition  its partition
//	forecaster.offset     offset of the message
func NewDeadLetters(c cluster.Connection, topic string, log *slog.Logger) (stream.DeadLetters, error) {
	p, err := NewProducer(c, topic, log)
	if err != nil {
		return nil, err
	}
	p.oversize = shorten
	return &deadLetters{p}, nil
}

// maxLetter is the largest part of a value that is kept, in bytes, and eight times the largest part of a key. A
// message that was too large for the input must not be too large again. See shorten for topics with a lower limit.
const maxLetter = batchBytes

// WriteDeadLetters returns when all replicas have the letters; see
// Producer.Send.
func (d *deadLetters) WriteDeadLetters(ctx context.Context, letters []stream.DeadLetter) error {
	return d.send(ctx, len(letters), func(i int) outgoing {
		l := &letters[i]
		m := &l.Message
		return outgoing{
			key:   m.Key[:min(len(m.Key), maxLetter/8)],
			value: m.Value[:min(len(m.Value), maxLetter)],
			headers: []kafkago.Header{
				{Key: "forecaster.reason", Value: []byte(l.Reason)},
				{Key: "forecaster.detail", Value: []byte(l.Detail)},
				{Key: "forecaster.topic", Value: []byte(m.Topic)},
				{Key: "forecaster.partition", Value: strconv.AppendInt(nil, int64(m.Partition), 10)},
				{Key: "forecaster.offset", Value: strconv.AppendInt(nil, m.Offset, 10)},
			},
		}
	})
}
