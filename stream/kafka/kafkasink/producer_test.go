package kafkasink

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/refuse"
)

func TestProducerPartitionsAsKafkaDoes(t *testing.T) {
	b := newBroker(t, 7)
	p, err := NewProducer(connection(b.Addr()), topic, quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Send(deadline(t), numbered(0, 100)); err != nil {
		t.Fatal(err)
	}
	// The partitioner of an independent client.
	other, err := kgo.NewClient(kgo.SeedBrokers(b.Addr()), kgo.DefaultProduceTopic(topic), kgo.RecordPartitioner(kgo.StickyKeyPartitioner(nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	want := make(map[string]int32)
	for i := range 10 {
		r := kgo.KeyStringRecord(fmt.Sprint(i), "0")
		if err := other.ProduceSync(deadline(t), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
		want[string(r.Key)] = r.Partition
	}
	for _, m := range everything(t, b.Addr()) {
		if m.Partition != want[string(m.Key)] {
			t.Errorf("key %s is in partition %d, want %d", m.Key, m.Partition, want[string(m.Key)])
		}
	}
}

func TestProducerWaitsForTheTopic(t *testing.T) {
	t.Parallel()
	b := newBroker(t, 1)
	p, err := NewProducer(connection(b.Addr()), "later", quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	short, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := p.Send(short, numbered(0, 1)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	c := connection(b.Addr())
	for range 2 { // the second time it exists
		if err := c.CreateTopic(deadline(t), "later", 1); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Send(deadline(t), numbered(0, 1)); err != nil {
		t.Error(err)
	}
}

func TestProducerReportsWhatIsTooLarge(t *testing.T) {
	b := newBroker(t, 1)
	p, err := NewProducer(connection(b.Addr()), topic, quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	err = p.Send(deadline(t), []stream.Message{{Value: make([]byte, 2<<20)}})
	if !errors.Is(err, kafkago.MessageSizeTooLarge) || !strings.Contains(err.Error(), topic) || !strings.Contains(err.Error(), "max.message.bytes") {
		t.Errorf("error %v", err)
	}
	if err := p.Send(deadline(t), nil); err != nil {
		t.Errorf("nothing: %v", err)
	}
}

func TestDeadLettersKeepTheMessage(t *testing.T) {
	b := newBroker(t, 1)
	d, err := NewDeadLetters(connection(b.Addr()), topic, quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	letters := []stream.DeadLetter{
		{
			Message: stream.Message{Topic: "raw", Partition: 3, Offset: 42, Key: []byte("k"), Value: []byte("{")},
			Error:   refuse.Error{Reason: refuse.Malformed, Detail: "unexpected end"},
		},
		{Message: stream.Message{Topic: "raw", Key: make([]byte, 1<<20), Value: make([]byte, 1<<20)}, Error: refuse.Error{Reason: refuse.TooLarge}},
	}
	for range 2 { // a replay writes them again
		if err := d.WriteDeadLetters(deadline(t), letters); err != nil {
			t.Fatal(err)
		}
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(b.Addr()), kgo.ConsumeTopics(topic))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	r := client.PollRecords(deadline(t), 1).Records()[0]
	var headers []string
	for _, h := range r.Headers {
		headers = append(headers, h.Key+"="+string(h.Value))
	}
	const want = "forecaster.reason=malformed forecaster.detail=unexpected end forecaster.topic=raw forecaster.partition=3 forecaster.offset=42"
	if got := strings.Join(headers, " "); got != want || string(r.Key) != "k" || string(r.Value) != "{" {
		t.Errorf("key %s, value %s, headers %s", r.Key, r.Value, got)
	}
}
