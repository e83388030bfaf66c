package kafka

import (
	"context"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/orffvar/forecaster/stream"
)

// The position is that of the next message, after a seek and after each read; a commit is exactly what it is
// told, and the next member begins there.
func TestPositionsAreExact(t *testing.T) {
	b := newBroker(t, 1)
	send(t, b.Addr(), 0, 10)
	g := newGroup(t, quick(b.Addr()))
	position := func() int64 { return g.Status().Partitions[0].Position }
	err := runGroup(t, g, func(ctx context.Context, p *Partition) error {
		if err := p.Seek(ctx, 2, stream.Mark{}); err != nil {
			return err
		}
		if got, lag := position(), g.Status().Partitions[0].Lag(); got != 2 || lag != 8 {
			t.Errorf("after a seek to 2 of 10 the position is %d, with %d messages behind it", got, lag)
		}
		dst := make([]stream.Message, 3)
		if _, err := p.Read(ctx, dst[:1]); err != nil {
			return err
		}
		if err := p.Seek(ctx, 2, stream.Mark{}); err != nil { // again: the messages fetched after the first one are dropped
			return err
		}
		for next := int64(2); next < 10; {
			n, err := p.Read(ctx, dst)
			if err != nil {
				return err
			}
			for i, m := range dst[:n] {
				if m.Offset != next+int64(i) {
					t.Errorf("offset %d, want %d", m.Offset, next+int64(i))
				}
			}
			next += int64(n)
			if got := position(); got != next {
				t.Errorf("the position is %d after the message %d", got, next-1)
			}
			if lag, want := g.Status().Partitions[0].Lag(), 10-next; lag != want {
				t.Errorf("the lag is %d at %d of 10", lag, next)
			}
		}
		return p.Commit(ctx, 7)
	})
	if err != nil {
		t.Fatal(err)
	}
	err = runGroup(t, newGroup(t, quick(b.Addr())), func(ctx context.Context, p *Partition) error {
		if at, _, err := p.Committed(ctx); err != nil || at != 7 {
			t.Errorf("committed %d, error %v, want 7", at, err)
		}
		dst := make([]stream.Message, 1)
		if n, err := p.Read(ctx, dst); err != nil || n != 1 || dst[0].Offset != 7 {
			t.Errorf("the next member begins at %d, error %v, want 7", dst[0].Offset, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The newest checkpoint is the one saved last, wherever it is in the topic, and the one that is committed.
func TestTheNewestCheckpointIsFirst(t *testing.T) {
	t.Parallel()
	addr := newBroker(t, 1).Addr()
	p, end := own(t, addr)
	s := openState(t, addr).Store(p)
	c := quick(addr)
	for _, next := range []int64{1, 2, 3, 9, 10, 11} { // names of one and of two digits
		saveAt(t, s, next)
		saved, err := newGroup(t, c).SavedState(deadline(t), stateTopic)
		if err != nil {
			t.Fatal(err)
		}
		list, err := saved.Checkpoints(deadline(t))
		if err != nil {
			t.Fatal(err)
		}
		if len(list) == 0 || list[0].Next != next || !list[0].Committed || len(list) > 1 && (list[1].Next >= next || list[1].Committed) {
			t.Errorf("after a checkpoint at %d: %+v", next, list)
		}
		if got, err := s.Load(deadline(t)); err != nil || at(got) != next {
			t.Errorf("a member would go on at %d, error %v, want %d", at(got), err, next)
		}
		saved.Close()
	}
	end()
}

// Messages of a producer are there once and in order, also when requests fail.
func TestProducerKeepsTheOrderThroughFaults(t *testing.T) {
	t.Parallel()
	b := newBroker(t, 2)
	b.Cluster().Fault(
		kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.NotLeaderForPartition, Count: 2},
		kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.NotEnoughReplicas, Count: 2},
	)
	send(t, b.Addr(), 0, 4000)
	var got collect
	if err := runGroup(t, newGroup(t, quick(b.Addr())), got.work); err != nil {
		t.Fatal(err)
	}
	checkNumbers(t, got.messages, 0, 4000)
}
