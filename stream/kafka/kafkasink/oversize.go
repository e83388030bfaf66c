package kafkasink

import (
	"context"
	"fmt"

	kafkago "github.com/segmentio/kafka-go"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/kafka/internal/retry"
	"github.com/orffvar/forecaster/stream/refuse"
)

// maxMessage is the largest size of a message that is sent, in bytes. A broker closes the connection without an
// error if a request exceeds its socket.request.max.bytes, 100 MiB by default.
const maxMessage = 64 << 20

// deliver writes a batch. If the batch exceeds the limit of the topic it is written in halves. A single message
// beyond the limit goes to p.oversize.
func (p *Producer) deliver(ctx context.Context, partition int, batch []outgoing) error {
	err := error(kafkago.MessageSizeTooLarge)
	if len(batch) > 1 || batch[0].size() <= maxMessage {
		err = p.try(ctx, func(ctx context.Context) error { return p.produce(ctx, partition, batch) })
	}
	switch half := len(batch) / 2; {
	case !retry.TooLarge(err):
		return err
	case half > 0:
		p.limit.Store(max(p.limit.Load()/2, 1)) // the next batches fit
		if err := p.deliver(ctx, partition, batch[:half]); err != nil {
			return err
		}
		return p.deliver(ctx, partition, batch[half:])
	}
	m := &batch[0]
	err = fmt.Errorf("kafka: topic %s does not take a message of %d bytes: raise its max.message.bytes (or the message.max.bytes of the broker): %w",
		p.topic, m.size(), err)
	if p.oversize == nil {
		return err
	}
	again, err := p.oversize(ctx, m, err)
	if err != nil || !again {
		return err
	}
	return p.deliver(ctx, partition, batch)
}

// rejects sets p.oversize to turn messages beyond the limit of an output topic into dead letters. Without letters
// they are only counted and logged.
func (p *Producer) rejects(letters stream.DeadLetters) {
	p.oversize = func(ctx context.Context, m *outgoing, reason error) (again bool, err error) {
		p.rejected.Add(1)
		p.log.Error("a forecast is not written", "topic", p.topic, "key", string(m.key), "error", reason)
		if letters == nil {
			return false, nil
		}
		p.lettersMu.Lock() // several partitions may have a request under way
		defer p.lettersMu.Unlock()
		err = letters.WriteDeadLetters(ctx, []stream.DeadLetter{{
			Message: stream.Message{Topic: "kafka " + p.topic, Partition: -1, Key: m.key, Value: m.value},
			Error:   refuse.Error{Reason: refuse.Rejected, Detail: reason.Error()},
		}})
		if err != nil {
			err = fmt.Errorf("write dead letters: %w", err)
		}
		return false, err
	}
}

// Rejected returns the number of messages that exceeded the limit of the topic.
func (p *Producer) Rejected() int64 { return p.rejected.Load() }

// shorten halves a dead letter that exceeds the limit of its topic.
func shorten(_ context.Context, m *outgoing, reason error) (again bool, err error) {
	const least = 256 // bytes below which a letter is not shortened
	if len(m.key)+len(m.value) < least {
		return false, reason
	}
	m.key, m.value = m.key[:len(m.key)/2], m.value[:len(m.value)/2]
	return true, nil
}
