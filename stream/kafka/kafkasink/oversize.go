package kafkasink

import (
	"context"
	"fmt"

	kafkago "github.com/segmentio/kafka-go"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/kafka/internal/retry"
	"github.com/orffvar/forecaster/stream/refuse"
)

// maxMessage is the size beyond which a message is not sent: a broker hangs up at a request that
// exceeds its socket.request.max.bytes, 100 MiB by default, without saying why.
const maxMessage = 64 << 20

// deliver writes a batch, in halves if it exceeds the limit of the topic. A single message that exceeds the
// limit goes to p.oversize.
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

// rejects makes dead letters of messages that exceed the limit of an output topic; without letters it only
// counts and logs them.
func (p *Producer) rejects(letters stream.DeadLetters) {
	p.oversize = func(ctx context.Context, m *outgoing, reason error) (again bool, err error) {
		p.rejected.Add(1)
		p.log.Error("a forecast is not written", "topic", p.topic, "key", string(m.key), "error", reason)
		if letters == nil {
			return false, nil
		}
		p.lettersMu.Lock() // one request to each partition may be under way
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

// shorten halves a dead letter that exceeds the limit of its own topic.
func shorten(_ context.Context, m *outgoing, reason error) (again bool, err error) {
	const least = 256 // bytes of a letter that is not shortened further
	if len(m.key)+len(m.value) < least {
		return false, reason
	}
	m.key, m.value = m.key[:len(m.key)/2], m.value[:len(m.value)/2]
	return true, nil
}
