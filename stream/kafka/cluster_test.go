package kafka

import (
	"context"
	"flag"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	kafkago "github.com/segmentio/kafka-go"

	"github.com/orffvar/forecaster/internal/tools/testserver"
	"github.com/orffvar/forecaster/stream/kafka/kafkasink"
)

var leaders = flag.Int("leaders", 0, "how many leaders TestFault88_LeaderChanges kills; without it, it is skipped")

// TestFault88_LeaderChanges: of three brokers one after the other is killed under load, always the leader of
// partition 0; in the end all messages were read once and in order, and the states are those of one reader
// without interruptions.
//
//	go test ./stream/kafka -run LeaderChanges -v -leaders 3
func TestFault88_LeaderChanges(t *testing.T) {
	if *leaders == 0 {
		t.Skip("it takes minutes: go test ./stream/kafka -run LeaderChanges -v -leaders 3")
	}
	const partitions = 4
	brokers := testserver.StartKafkaCluster(t, 3)
	brokers[0].CreateTopic(topic, partitions)
	c := quick("")
	c.Brokers = nil
	for _, k := range brokers {
		c.Brokers = append(c.Brokers, k.Addr)
	}
	c.Timeout, c.Heartbeat = 5*time.Second, 200*time.Millisecond
	l := &ledger{snapshots: make(map[string]int64)}
	for range 2 {
		stop := start(t, newGroup(t, c), l.work)
		defer func() {
			if err := stop(); err != nil {
				t.Error(err)
			}
		}()
	}
	p, err := kafkasink.NewProducer(c.Connection, topic, quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	sending, stopSending := context.WithCancel(t.Context())
	sent := make(chan int)
	go func() {
		n := 0
		for ; sending.Err() == nil; n += 50 {
			if err := p.Send(context.Background(), numbered(n, n+50)); err != nil {
				t.Error(err)
			}
			time.Sleep(20 * time.Millisecond)
		}
		sent <- n
	}()
	for i := range *leaders {
		k := brokers[leaderOf(t, c, brokers)]
		began := time.Now()
		k.Kill()
		l.progress(t, c, partitions)
		t.Logf("leader %d of %d was killed: the group goes on after %v", i+1, *leaders, time.Since(began).Round(100*time.Millisecond))
		k.Start()
		l.progress(t, c, partitions)
	}
	stopSending()
	l.processed(t, c, "leaders were killed", <-sent)
}

// leaderOf returns the number of the broker that leads partition 0.
func leaderOf(t *testing.T, c GroupConfig, brokers []*testserver.Kafka) (number int) {
	t.Helper()
	client, err := c.NewClient([]string{topic})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	eventually(t, "a leader", func() bool {
		resp, err := client.Metadata(deadline(t), &kafkago.MetadataRequest{Topics: []string{topic}})
		if err != nil {
			return false
		}
		for _, p := range resp.Topics[0].Partitions {
			for i, k := range brokers {
				if p.ID == 0 && k.Addr == fmt.Sprintf("%s:%d", p.Leader.Host, p.Leader.Port) {
					number = i
					return true
				}
			}
		}
		return false
	})
	return number
}

// processed waits until the group has committed everything, at least sent messages, and compares the states
// with those of one reader without interruptions. A message may be in the log twice: sending is repeated when
// no answer comes.
func (l *ledger) processed(t *testing.T, c GroupConfig, what string, sent int) {
	t.Helper()
	alone := c
	alone.Group = ""
	check := func(done, all *atomic.Int64) error {
		return runGroup(t, newGroup(t, alone), func(ctx context.Context, p *Partition) error {
			messages, err := readAll(ctx, p, 0)
			if err != nil {
				return err
			}
			all.Add(int64(len(messages)))
			var want int64
			for _, m := range messages {
				want = want*31 + int64(len(m.Value)) + int64(m.Value[0])
			}
			observer := *p
			observer.member = &membership{group: c.Group}
			next, name, err := observer.Committed(ctx)
			if err == nil && next == int64(len(messages)) {
				done.Add(next)
				if got := l.load(name); got != want {
					t.Errorf("%s: partition %d has the state %d, want %d", what, p.Number(), got, want)
				}
			}
			return err
		})
	}
	eventually(t, what, func() bool {
		var done, all atomic.Int64
		return check(&done, &all) == nil && done.Load() == all.Load() && all.Load() >= int64(sent)
	})
}

// progress waits until the group has committed more of each partition than now, while messages come.
func (l *ledger) progress(t *testing.T, c GroupConfig, partitions int) {
	t.Helper()
	observer := newGroup(t, c)
	committed := func(number int) int64 {
		offset, _, err := observer.newPartition(topicPartition{topic, number}, &membership{group: c.Group}).Committed(deadline(t))
		if err != nil {
			t.Fatal(err)
		}
		return offset
	}
	for i := range partitions {
		before := committed(i)
		eventually(t, fmt.Sprintf("a commit of partition %d", i), func() bool { return committed(i) > before })
	}
}
