package kafka

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	kafkago "github.com/segmentio/kafka-go"
)

// addPartitions makes the topic have n partitions.
func addPartitions(t *testing.T, addr string, n int) {
	t.Helper()
	c := connection(addr)
	client, err := c.NewClient(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	resp, err := client.CreatePartitions(deadline(t), &kafkago.CreatePartitionsRequest{
		Topics: []kafkago.TopicPartitionsConfig{{Name: topic, Count: int32(n)}},
	})
	if err != nil || resp.Errors[topic] != nil {
		t.Fatal(err, resp)
	}
}

// TestFault57_PartitionsWhileAway: the topic grows while the group has no member. The
// next one does not work on any partition.
func TestFault57_PartitionsWhileAway(t *testing.T) {
	b := newBroker(t, 1)
	send(t, b.Addr(), 0, 10)
	var worked atomic.Int32
	work := func(ctx context.Context, p *Partition) error {
		worked.Add(1)
		if err := readTen(ctx, p); err != nil {
			return err
		}
		return p.Commit(ctx, 10)
	}
	if err := runGroup(t, newGroup(t, quick(b.Addr())), work); err != nil {
		t.Fatal(err)
	}
	addPartitions(t, b.Addr(), 4)
	if _, err := newGroup(t, quick(b.Addr())).StateTopic(deadline(t), stateTopic); !errors.Is(err, ErrPartitions) {
		t.Errorf("error %v for the state topic, want ErrPartitions", err)
	}
	err := runGroup(t, newGroup(t, quick(b.Addr())), work)
	if !errors.Is(err, ErrPartitions) || !strings.Contains(err.Error(), "topic in had 1 and has 4") {
		t.Errorf("error %v, want ErrPartitions", err)
	}
	if n := worked.Load(); n != 1 {
		t.Errorf("work began %d times, want once: before the partitions were added", n)
	}
}

// TestFault57_NewPartitionAssigned: the group gives a member a partition that the topic
// did not have when it started, before the watcher has looked.
func TestFault57_NewPartitionAssigned(t *testing.T) {
	g := newGroup(t, quick("127.0.0.1:1"))
	g.counts = map[string]int{topic: 1}
	left := false
	gen := &kafkago.Generation{GroupID: "g", Assignments: map[string][]kafkago.PartitionAssignment{topic: {{ID: 0}, {ID: 1}}}}
	work := func(context.Context, *Partition) error {
		t.Error("work began")
		return nil
	}
	err := g.runGeneration(t.Context(), gen, work, func() { left = true })
	if !errors.Is(err, ErrPartitions) || !left {
		t.Errorf("error %v, and the group was left: %v", err, left)
	}
}
