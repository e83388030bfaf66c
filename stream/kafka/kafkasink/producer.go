// Package kafkasink writes to Kafka topics. A Producer writes messages, a Sink forecasts in the format of an
// Encoder. The sinks of NewAnomalies and NewDeadLetters write events and refused messages.
//
// A message without an acknowledgement is written again, so the log may have it twice. Messages of one partition
// stay in order.
package kafkasink

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	kafkago "github.com/segmentio/kafka-go"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/kafka/cluster"
	"github.com/orffvar/forecaster/stream/kafka/internal/retry"
)

// Limits of a request of a Producer: messages and bytes. A single message may be larger.
const (
	batchMessages = 1000
	batchBytes    = 512 << 10
)

// Producer writes messages to one topic. A message with a key goes to the partition that
// Kafka's standard partitioner chooses (murmur2), a message without one to any partition.
type Producer struct {
	topic    string
	client   *cluster.Client
	balancer kafkago.Murmur2Balancer
	log      *slog.Logger
	limit    atomic.Int64 // largest size of a request in bytes

	// oversize handles a message that exceeds the limit of the topic; reason is the error. It may shorten the
	// message, and reports whether to send it again. Nil: such a message is an error.
	oversize  func(ctx context.Context, m *outgoing, reason error) (again bool, err error)
	rejected  atomic.Int64
	lettersMu sync.Mutex

	mu      sync.Mutex
	problem string // last logged failure; "" after a success
}

// NewProducer returns a Producer that has not connected yet. A nil log means
// slog.Default().
func NewProducer(c cluster.Connection, topic string, log *slog.Logger) (*Producer, error) {
	if topic == "" {
		return nil, errors.New("kafka: a producer needs a topic")
	}
	cl, err := c.NewClient([]string{topic})
	if err != nil {
		return nil, err
	}
	cl.Timeout = c.RequestTimeout() // the broker waits for the replicas up to half of it
	if log == nil {
		log = slog.Default()
	}
	p := &Producer{topic: topic, client: cl, log: log}
	p.limit.Store(batchBytes)
	return p, nil
}

// Close releases the connections.
func (p *Producer) Close() error {
	p.client.Close()
	return nil
}

// Send writes messages and returns when all replicas have them. It uses Key, Value and Time of each message; Time 0
// means now. Failed requests, also for a topic that does not exist yet, are repeated until ctx ends. A message may
// therefore be written twice; the order within a partition is kept. A message that the broker refuses permanently
// is an error.
//
// Only one goroutine may call Send. If ctx interrupts Send, the messages must not be changed afterwards.
func (p *Producer) Send(ctx context.Context, messages []stream.Message) error {
	return p.send(ctx, len(messages), func(i int) outgoing {
		m := &messages[i]
		o := outgoing{key: m.Key, value: m.Value}
		if m.Time != 0 {
			o.time = time.Unix(0, m.Time)
		}
		return o
	})
}

type outgoing struct {
	key, value []byte
	time       time.Time
	headers    []kafkago.Header
}

func (o *outgoing) size() int {
	n := len(o.key) + len(o.value) + 32
	for _, h := range o.headers {
		n += len(h.Key) + len(h.Value) + 8
	}
	return n
}

// Problem returns the reason for the failure of the last request, "" after a successful Send. Any goroutine may
// call it.
func (p *Producer) Problem() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.problem == "" {
		return ""
	}
	return "Kafka: topic " + p.topic + ": " + p.problem
}

func (p *Producer) send(ctx context.Context, n int, message func(i int) outgoing) error {
	if n == 0 {
		return nil
	}
	if err := p.sendAll(ctx, n, message); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.problem = ""
	return nil
}

func (p *Producer) sendAll(ctx context.Context, n int, message func(i int) outgoing) error {
	all, err := p.partitions(ctx)
	if err != nil {
		return err
	}
	batches := make(map[int][]outgoing)
	sizes := make(map[int]int)
	for i := range n {
		m := message(i)
		at := p.balancer.Balance(kafkago.Message{Key: m.key}, all...)
		if len(batches[at]) == batchMessages || sizes[at] > 0 && int64(sizes[at]+m.size()) > p.limit.Load() {
			// Later messages wait for earlier ones.
			if err := p.flush(ctx, batches); err != nil {
				return err
			}
			clear(batches)
			clear(sizes)
		}
		batches[at] = append(batches[at], m)
		sizes[at] += m.size()
	}
	return p.flush(ctx, batches)
}

// partitions returns the numbers of the partitions as soon as the topic exists.
func (p *Producer) partitions(ctx context.Context) ([]int, error) {
	var all []int
	err := p.try(ctx, func(ctx context.Context) error {
		counts, err := p.client.Partitions(ctx, []string{p.topic})
		for i := range counts[p.topic] {
			all = append(all, i)
		}
		return err
	})
	return all, err
}

// flush writes one batch per partition, all at the same time.
func (p *Producer) flush(ctx context.Context, batches map[int][]outgoing) error {
	errs := make(chan error, len(batches))
	for partition, batch := range batches {
		go func() {
			errs <- p.deliver(ctx, partition, batch)
		}()
	}
	var err error
	for range batches {
		err = errors.Join(err, <-errs)
	}
	return err
}

func (p *Producer) produce(ctx context.Context, partition int, batch []outgoing) error {
	records := make([]kafkago.Record, len(batch))
	for i, m := range batch {
		records[i] = kafkago.Record{
			Key: kafkago.NewBytes(m.key), Value: kafkago.NewBytes(m.value),
			Time: m.time, Headers: m.headers,
		}
	}
	resp, err := p.client.Produce(ctx, &kafkago.ProduceRequest{
		Topic: p.topic, Partition: partition, RequiredAcks: kafkago.RequireAll,
		Records: kafkago.NewRecordReader(records...),
	})
	if err == nil {
		err = resp.Error
	}
	if t := batch[0].time; errors.Is(err, kafkago.InvalidTimestamp) && !t.IsZero() {
		err = fmt.Errorf("the first message is of %s: %w", t.UTC().Format(time.RFC3339), err)
	}
	return err
}

// try repeats a request until it succeeds, is refused permanently, or ctx ends.
func (p *Producer) try(ctx context.Context, request func(ctx context.Context) error) error {
	return p.client.Repeat(ctx, request, func(err error) error {
		if retry.Unacceptable(err) {
			return fmt.Errorf("kafka: writing to topic %s: %w", p.topic, retry.Explain(err))
		}
		return nil
	}, p.report)
}

// report logs each new kind of failure once.
func (p *Producer) report(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := retry.Kind(err); s != p.problem {
		p.problem = s
		p.log.Warn("writing to Kafka failed and is repeated", "topic", p.topic, "error", retry.Explain(err))
	}
}
