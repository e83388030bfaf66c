package kafkasink

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/orffvar/forecaster/internal/tools/testserver"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/refuse"
)

// keptLetters keeps dead letters in memory.
type keptLetters struct{ list []stream.DeadLetter }

func (k *keptLetters) Close() error { return nil }

func (k *keptLetters) WriteDeadLetters(_ context.Context, letters []stream.DeadLetter) error {
	k.list = append(k.list, letters...)
	return nil
}

// padded encodes a forecast as a message of a million bytes for the series "large", and of a hundred for
// the others.
type padded struct{}

func (padded) AppendForecast(dst []byte, ends []int, f *stream.Forecast) ([]byte, []int) {
	n := 100
	if f.Series.Name == "large" {
		n = 1_000_000
	}
	dst = append(dst, strings.Repeat(f.Series.Name[:1], n)...)
	return dst, append(ends, len(dst))
}

// TestFault80_AboveTheLimitOfTheTopic: a topic takes less than a batch, and one message exceeds its limit: that
// one becomes a dead letter, which itself is shortened to its topic's limit; the others arrive in order.
func TestFault80_AboveTheLimitOfTheTopic(t *testing.T) {
	t.Parallel()
	t.Run("in memory", func(t *testing.T) { aboveTheLimit(t, newBroker(t, 1).Addr()) })
	t.Run("Apache Kafka", func(t *testing.T) {
		if testing.Short() {
			t.Skip("a real broker takes some seconds to start")
		}
		k := testserver.StartKafka(t)
		aboveTheLimit(t, k.Addr)
		wrongClock(t, k.Addr)
	})
}

func aboveTheLimit(t *testing.T, addr string) {
	c := connection(addr)
	cl, err := c.NewClient(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	for _, topic := range []string{"small", "letters"} {
		resp, err := cl.CreateTopics(deadline(t), &kafkago.CreateTopicsRequest{Topics: []kafkago.TopicConfig{{
			Topic: topic, NumPartitions: 1, ReplicationFactor: 1, ConfigEntries: []kafkago.ConfigEntry{{ConfigName: "max.message.bytes", ConfigValue: "20000"}},
		}}})
		if err != nil || resp.Errors[topic] != nil {
			t.Fatal(err, resp)
		}
	}
	letters := &keptLetters{}
	s, err := New(connection(addr), "small", padded{}, letters, quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b := &stream.Batch{}
	for i := range 1000 {
		name := string(rune('a' + i%20))
		if i == 500 {
			name = "large"
		}
		b.Forecasts = append(b.Forecasts, stream.Forecast{Series: &stream.Series{Name: name}})
	}
	if err := s.Write(deadline(t), b); err != nil {
		t.Fatal(err)
	}
	if len(letters.list) != 1 || s.Rejected() != 1 {
		t.Fatalf("%d dead letters, %d counted", len(letters.list), s.Rejected())
	}
	l := letters.list[0]
	if l.Reason != refuse.Rejected || len(l.Message.Value) != 1_000_000 || !strings.Contains(l.Detail, "max.message.bytes") || !strings.Contains(l.Detail, "small") {
		t.Errorf("dead letter of %d bytes: %s, %s", len(l.Message.Value), l.Reason, l.Detail)
	}
	d, err := NewDeadLetters(connection(addr), "letters", quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := d.WriteDeadLetters(deadline(t), letters.list); err != nil {
		t.Fatal(err)
	}
	other, err := kgo.NewClient(kgo.SeedBrokers(addr), kgo.ConsumeTopics("small", "letters"))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	counts, next := map[string]int{}, 0
	for counts["small"] < 999 || counts["letters"] < 1 {
		fetches := other.PollFetches(deadline(t))
		if err := fetches.Err(); err != nil {
			t.Fatal(err, counts)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			counts[r.Topic]++
			if r.Topic == "letters" {
				if len(r.Value) < 5000 {
					t.Errorf("only %d bytes of the letter are kept", len(r.Value))
				}
				return
			}
			if next == 500 {
				next++
			}
			if want := string(rune('a' + next%20)); string(r.Key) != want {
				t.Fatalf("message %d is of %s, want %s", next, r.Key, want)
			}
			next++
		})
	}
}

// TestFault79_WrongClock: the error contains the time of the clock and the remedy.
func TestFault79_WrongClock(t *testing.T) {
	b := newBroker(t, 1)
	b.Cluster().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.InvalidTimestamp, Count: 2})
	p, err := NewProducer(connection(b.Addr()), topic, quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	mustNameTheClock(t, p.Send(deadline(t), numbered(0, 1)), time.Now())
}

// wrongClock sends what a producer sends whose clock is ten days ahead.
func wrongClock(t *testing.T, addr string) {
	p, err := NewProducer(connection(addr), "small", quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	ahead := time.Now().Add(10 * 24 * time.Hour)
	mustNameTheClock(t, p.Send(deadline(t), []stream.Message{{Value: []byte("v"), Time: ahead.UnixNano()}}), ahead)
}

func mustNameTheClock(t *testing.T, err error, clock time.Time) {
	t.Helper()
	if !errors.Is(err, kafkago.InvalidTimestamp) {
		t.Fatalf("error %v", err)
	}
	for _, text := range []string{clock.UTC().Format("2006-01-02"), "clock of this machine says", "timedatectl", "message.timestamp.after.max.ms"} {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("no %q in %v", text, err)
		}
	}
}
