package kafkasink

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/tools/logtest"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/kafka"
	"github.com/orffvar/forecaster/stream/kafka/internal/kafkatest"
)

const topic = kafkatest.Topic

var (
	quiet      = logtest.Discard()
	newBroker  = kafkatest.NewBroker
	connection = kafkatest.Connection
	numbered   = kafkatest.Numbered
)

func deadline(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// everything returns the messages of the topic; those of a partition in order.
func everything(t testing.TB, addr string) []stream.Message {
	t.Helper()
	g, err := kafka.NewGroup(kafka.GroupConfig{Connection: connection(addr), Topics: []string{topic}, MaxWait: 50 * time.Millisecond, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var got []stream.Message
	err = g.Run(deadline(t), func(ctx context.Context, p *kafka.Partition) error {
		if err := p.Seek(ctx, 0, stream.Mark{}); err != nil {
			return err
		}
		lag := func() int64 {
			all := g.Status().Partitions
			return all[slices.IndexFunc(all, func(s kafka.PartitionStatus) bool { return s.Partition == p.Number() })].Lag()
		}
		for dst := make([]stream.Message, 7); lag() > 0; {
			n, err := p.Read(ctx, dst)
			if err != nil {
				return err
			}
			mu.Lock()
			for _, m := range dst[:n] {
				m.Key, m.Value = slices.Clone(m.Key), slices.Clone(m.Value)
				got = append(got, m)
			}
			mu.Unlock()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(got, func(a, b stream.Message) int { return int(a.Partition - b.Partition) })
	return got
}
