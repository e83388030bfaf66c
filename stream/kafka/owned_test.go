package kafka

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"strings"
	"testing"
	"time"

	kafkago "github.com/segmentio/kafka-go"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
)

// TestHandedOverPartitionIsNotCommitted: when a partition was handed over, the process commits
// it no more, even if the brokers would still accept that.
func TestHandedOverPartitionIsNotCommitted(t *testing.T) {
	b := newBroker(t, 1)
	send(t, b.Addr(), 0, 10)
	p, _ := own(t, b.Addr())
	if err := p.Commit(deadline(t), 3); err != nil {
		t.Fatal(err)
	}
	p.expire(errFenced)
	if err := p.Commit(deadline(t), 5); !errors.Is(err, errFenced) {
		t.Errorf("a commit after the hand-over: %v", err)
	}
	if got := b.Cluster().GroupInfo("g").Commits[topic][0].Offset; got != 3 {
		t.Errorf("offset %d is committed, want 3", got)
	}
}

// TestFault38_OtherCheckpoint: a chunk in whose place another valid one stands is damage: the
// checkpoints can be read, but they are not those that were committed.
func TestFault38_OtherCheckpoint(t *testing.T) {
	p, _ := own(t, newBroker(t, 1).Addr())
	state := openState(t, p.group.config.Connection.Brokers[0])
	s := state.Store(p)
	ctx := deadline(t)
	for _, next := range []int64{1, 2} {
		if err := s.Save(ctx, checkpointAt(next, 100)); err != nil { // one chunk
			t.Fatal(err)
		}
	}
	other := checkpointAt(2, 100)
	other.State = checkpoint.StateOf(bytes.Repeat([]byte("x"), 100))
	var encoded bytes.Buffer
	if err := other.Encode(&encoded); err != nil {
		t.Fatal(err)
	}
	chunk := encoded.Bytes()
	if sha256.Sum256(chunk) == s.current.sum {
		t.Fatal("the other checkpoint is the same")
	}
	if _, _, err := checkpoint.Parse(bytes.NewReader(chunk), int64(len(chunk))); err != nil {
		t.Fatal(err)
	}
	if _, err := s.produce(ctx, record{key: s.key(s.current.id, 0), value: chunk}); err != nil {
		t.Fatal(err)
	}
	fresh := state.Store(p)
	list, err := fresh.Load(ctx)
	if err != nil || at(list) != 1 || fresh.Damaged() != 1 {
		t.Errorf("the checkpoint at %d (%v), %d damaged; want the one before, and the damage counted", at(list), err, fresh.Damaged())
	}
	if _, err := s.produce(ctx, record{key: s.key(s.previous.id, 0), value: chunk}); err != nil {
		t.Fatal(err)
	}
	if _, err := state.Store(p).Load(ctx); !errors.Is(err, checkpoint.ErrCorrupt) || !strings.Contains(err.Error(), "the checksum of snapshot") {
		t.Errorf("got %v", err)
	}
}

// TestLogBelowTheCommit: a log that ends before the committed offset of the group was replaced, and nothing is read
// from it.
func TestLogBelowTheCommit(t *testing.T) {
	b := newBroker(t, 1)
	send(t, b.Addr(), 0, 10)
	p, end := own(t, b.Addr())
	if err := p.Commit(deadline(t), 50); err != nil {
		t.Fatal(err)
	}
	end()
	p, _ = own(t, b.Addr())
	dst := make([]stream.Message, 4)
	if n, err := p.Read(deadline(t), dst); !errors.Is(err, ErrBeyondEnd) {
		t.Errorf("%d messages, %v", n, err)
	}
}

// TestErrorAfterTheHandOver: a member finds no commit, is frozen until another member has committed, and
// then misses the checkpoint of that commit. The error is none of the partition: the member joins again.
func TestErrorAfterTheHandOver(t *testing.T) {
	t.Parallel()
	b := newBroker(t, 1)
	send(t, b.Addr(), 0, 10)
	c := quick(b.Addr())
	c.Stateful = true
	c.HandOver, c.Heartbeat = time.Second, 8*time.Second // the member does not notice by itself that the group goes on without it
	state := openState(t, b.Addr())
	times := 0
	err := runGroup(t, newGroup(t, c), func(ctx context.Context, p *Partition) error {
		times++
		store := state.Store(p)
		list, err := store.Load(ctx)
		if times > 1 {
			if at(list) != 7 || err != nil {
				t.Errorf("after the return the checkpoint at %d (%v), want that of the other member", at(list), err)
			}
			return errEnough
		}
		if len(list) > 0 || !errors.Is(err, checkpoint.ErrNoCheckpoint) {
			t.Errorf("%v at first", err)
		}
		if _, err := p.group.client.LeaveGroup(ctx, &kafkago.LeaveGroupRequest{
			GroupID: p.member.group, Members: []kafkago.LeaveGroupRequestMember{{ID: p.member.member}},
		}); err != nil {
			t.Fatal(err)
		}
		other := newGroup(t, c)
		if err := runGroup(t, other, func(ctx context.Context, p *Partition) error {
			if err := state.Store(p).Save(ctx, checkpointAt(7, 100)); err != nil {
				t.Error(err)
			}
			return errEnough
		}); !errors.Is(err, errEnough) {
			t.Fatal(err)
		}
		_, err = p.Read(ctx, make([]stream.Message, 1))
		if !errors.Is(err, ErrNoState) {
			t.Errorf("the first member reads: %v, want ErrNoState", err)
		}
		return err
	})
	if !errors.Is(err, errEnough) || times != 2 {
		t.Errorf("%d times at work, %v", times, err)
	}
}
