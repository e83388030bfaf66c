package kafka

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/orffvar/forecaster/stream/checkpoint"

	kafkago "github.com/segmentio/kafka-go"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/streamtest"
)

const stateTopic = "g-state"

func openState(t testing.TB, addr string) *StateTopic {
	t.Helper()
	s, err := openStateTopic(deadline(t), connection(addr), stateTopic, 1, quiet)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// own makes the caller the owner of partition 0 until end.
func own(t testing.TB, addr string) (p *Partition, end func()) {
	t.Helper()
	return ownWith(t, quick(addr))
}

// ownWith is own for a member of a group with the given configuration.
func ownWith(t testing.TB, c GroupConfig) (p *Partition, end func()) {
	t.Helper()
	assigned := make(chan *Partition, 1)
	stop := start(t, newGroup(t, c), func(ctx context.Context, p *Partition) error {
		if p.Number() == 0 {
			select {
			case assigned <- p:
			default:
			}
		}
		<-ctx.Done()
		return nil
	})
	select {
	case p = <-assigned:
	case <-time.After(patience):
		t.Fatal("no partition was assigned")
	}
	return p, func() {
		if err := stop(); err != nil {
			t.Fatal(err)
		}
	}
}

func testStore(t *testing.T, addr string) {
	streamtest.TestStore(t, func(t *testing.T) (checkpoint.Store, func()) {
		p, end := own(t, addr)
		return openState(t, addr).Store(p), end
	})
}

func TestStoreContract(t *testing.T) { testStore(t, newBroker(t, 1).Addr()) }

func checkpointAt(next int64, size int) checkpoint.Checkpoint {
	return checkpoint.Checkpoint{Settings: settings(), Next: next, Outputs: checkpoint.Positions{{Output: "file a", Length: 1}}, State: checkpoint.StateOf(bytes.Repeat([]byte{byte(next)}, size))}
}

// at returns the offset of the last of some checkpoints; -1 = none.
func at(list []checkpoint.Checkpoint) int64 {
	if len(list) == 0 {
		return -1
	}
	return list[len(list)-1].Next
}

func saveAt(t testing.TB, s *Store, next ...int64) {
	t.Helper()
	for _, n := range next {
		if err := s.Save(deadline(t), checkpointAt(n, chunkBytes*2+100)); err != nil {
			t.Fatal(err)
		}
	}
}

// live returns the keys that compaction will leave.
func live(t testing.TB, s *Store) []string {
	t.Helper()
	keys := make(map[string]bool)
	err := s.scan(deadline(t), 0, func(_ string, _ int, m *stream.Message) {
		keys[string(m.Key)] = m.Value != nil
	})
	if err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(keys, func(_ string, alive bool) bool { return !alive })
	return slices.Sorted(maps.Keys(keys))
}

func TestStoreKeepsTwoSnapshots(t *testing.T) {
	t.Parallel()
	addr := newBroker(t, 1).Addr()
	p, _ := own(t, addr)
	s := openState(t, addr).Store(p)
	saveAt(t, s, 1, 2, 3, 4)
	keys := live(t, s)
	if len(keys) != 2*4 || !strings.HasPrefix(keys[0], "g/in/0/3-") || !strings.HasPrefix(keys[7], "g/in/0/4-") {
		t.Errorf("%q", keys)
	}
	// The commit that a Runner adds changes nothing.
	if err := p.Commit(deadline(t), 4); err != nil {
		t.Fatal(err)
	}
	if c, err := s.Load(deadline(t)); err != nil || at(c) != 4 || c[0].State.Size != chunkBytes*2+100 {
		t.Errorf("%d, %v", at(c), err)
	}
	// One of another offset is one of its own.
	if err := p.Commit(deadline(t), 5); err != nil {
		t.Fatal(err)
	}
	if offset, _, err := p.Committed(deadline(t)); err != nil || offset != 5 {
		t.Errorf("committed %d, %v", offset, err)
	}
}

// TestFault38_ChunkMissing: the snapshot before is used, and when that is damaged,
// too, the error says so.
func TestFault38_ChunkMissing(t *testing.T) {
	t.Parallel()
	addr := newBroker(t, 1).Addr()
	p, _ := own(t, addr)
	state := openState(t, addr)
	s := state.Store(p)
	saveAt(t, s, 1, 2, 3)
	ctx := deadline(t)
	if _, err := s.produce(ctx, record{key: s.key(s.current.id, 1)}); err != nil {
		t.Fatal(err)
	}
	fresh := state.Store(p)
	if c, err := fresh.Load(ctx); err != nil || at(c) != 2 {
		t.Fatalf("%d, %v; want the checkpoint before", at(c), err)
	}
	if _, err := s.produce(ctx, record{key: s.key(s.previous.id, 0), value: []byte("other")}); err != nil {
		t.Fatal(err)
	}
	_, err := state.Store(p).Load(ctx)
	if !errors.Is(err, checkpoint.ErrCorrupt) || !strings.Contains(err.Error(), "chunk 1 of 3") || !strings.Contains(err.Error(), "does not begin with") {
		t.Errorf("got %v", err)
	}
	saveAt(t, fresh, 4)
	if c, err := state.Store(p).Load(ctx); err != nil || at(c) != 4 {
		t.Errorf("%d, %v", at(c), err)
	}
}

func saveChanges(t testing.TB, s *Store, since int64, next ...int64) {
	t.Helper()
	for _, n := range next {
		c := checkpointAt(n, 100)
		c.Since = since
		if err := s.Save(deadline(t), c); err != nil {
			t.Fatal(err)
		}
		since = n
	}
}

// TestFault38_DamagedChanges: the checkpoints before the damage are used. Uncommitted changes do not count, and are
// removed after the first commit of the next owner.
func TestFault38_DamagedChanges(t *testing.T) {
	t.Parallel()
	addr := newBroker(t, 1).Addr()
	p, _ := own(t, addr)
	state := openState(t, addr)
	s := state.Store(p)
	saveAt(t, s, 1, 2)
	saveChanges(t, s, 2, 3, 4, 5)
	ctx := deadline(t)
	if _, err := s.produce(ctx, record{key: s.key(s.current.id, s.current.chunks), value: []byte("of a zombie")}); err != nil {
		t.Fatal(err)
	}
	fresh := state.Store(p)
	if c, err := fresh.Load(ctx); err != nil || at(c) != 5 || len(c) != 4 || fresh.Damaged() != 0 {
		t.Fatalf("%d, %v", at(c), err)
	}
	saveAt(t, fresh, 6)
	if n := len(live(t, s)); n != 4+3+4 {
		t.Errorf("%d keys, want a snapshot with three changes, and the next one", n)
	}
	s = fresh
	saveChanges(t, s, 6, 7, 8, 9)
	if _, err := s.produce(ctx, record{key: s.key(s.current.id, 4)}); err != nil { // of 0 to 5
		t.Fatal(err)
	}
	fresh = state.Store(p)
	if c, err := fresh.Load(ctx); err != nil || at(c) != 7 || fresh.Damaged() != 1 {
		t.Fatalf("%d, %v; want what comes before the damage", at(c), err)
	}
	if err := fresh.Save(ctx, checkpoint.Checkpoint{Next: 13, Since: 7}); !errors.Is(err, errChanges) {
		t.Errorf("changes after a restart gave %v", err)
	}
	saveAt(t, fresh, 10)
	saveChanges(t, fresh, 10, 11)
	if c, err := state.Store(p).Load(ctx); err != nil || at(c) != 11 {
		t.Errorf("%d, %v", at(c), err)
	}
	if n := len(live(t, s)); n != 4+1+6 {
		t.Errorf("%d keys, want a snapshot with a change, and the rest of the damaged one", n)
	}
}

// TestFault20_CommitsExpired: the group forgets its offsets, but the state does not start from scratch: the
// checkpoint that goes farthest is used, also when a former owner has written another one behind it.
func TestFault20_CommitsExpired(t *testing.T) {
	t.Parallel()
	for _, order := range [][]int64{{1, 2}, {2, 1}} {
		addr := newBroker(t, 1).Addr()
		p, end := own(t, addr)
		state := openState(t, addr)
		saveAt(t, state.Store(p), order...)
		end()
		resp, err := p.group.client.OffsetDelete(deadline(t), &kafkago.OffsetDeleteRequest{GroupID: "g", Topics: map[string][]int{topic: {0}}})
		if err != nil || resp.Error != nil {
			t.Fatal(err, resp)
		}
		p, _ = own(t, addr)
		if offset, _, err := p.Committed(deadline(t)); err != nil || offset != -1 {
			t.Fatalf("the group still knows %d, %v", offset, err)
		}
		if c, err := state.Store(p).Load(deadline(t)); err != nil || at(c) != 2 {
			t.Errorf("%v: %d, %v", order, at(c), err)
		}
	}
}

// TestStoreRefusesOtherCommits: an offset committed by another program does not identify a state.
func TestStoreRefusesOtherCommits(t *testing.T) {
	addr := newBroker(t, 1).Addr()
	p, _ := own(t, addr)
	if err := p.Commit(deadline(t), 5); err != nil {
		t.Fatal(err)
	}
	if _, err := openState(t, addr).Store(p).Load(deadline(t)); !errors.Is(err, ErrNoState) {
		t.Errorf("got %v", err)
	}
}

// TestZombieCannotCommit: writes of a member that has lost the partition change nothing, and are removed after the
// first commit of the next owner.
func TestZombieCannotCommit(t *testing.T) {
	t.Parallel()
	addr := newBroker(t, 1).Addr()
	state := openState(t, addr)
	p, end := own(t, addr)
	old := state.Store(p)
	saveAt(t, old, 1, 2)
	saveChanges(t, old, 2, 3)
	end()
	p2, _ := own(t, addr)
	s := state.Store(p2)
	if c, err := s.Load(deadline(t)); err != nil || at(c) != 3 {
		t.Fatalf("%d, %v", at(c), err)
	}
	saveAt(t, s, 4)
	if err := old.Save(deadline(t), checkpointAt(9, 10)); !errors.Is(err, errFenced) {
		t.Errorf("a member that has left could commit: %v", err)
	}
	// As if it were still writing: changes and a snapshot without their commits.
	p.life, p.expire = context.WithCancelCause(context.Background())
	more := checkpointAt(7, 10)
	more.Since = 3
	if err := old.Save(deadline(t), more); !errors.Is(err, errFenced) {
		t.Errorf("a commit of an old generation was accepted: %v", err)
	}
	if err := old.Save(deadline(t), checkpointAt(8, 10)); !errors.Is(err, errFenced) {
		t.Errorf("a commit of an old generation was accepted: %v", err)
	}
	if n := len(live(t, s)); n != 5+4+1+2 {
		t.Errorf("%d keys, want two snapshots, and changes and a snapshot of the zombie", n)
	}
	// Nor does a member that has lost the partition, and loads late, remove anything: what it
	// finds without a commit may be what the present owner is about to commit.
	late := state.Store(p)
	if _, err := late.Load(deadline(t)); err != nil {
		t.Fatal(err)
	}
	before := live(t, s)
	if err := late.Save(deadline(t), checkpointAt(9, 10)); !errors.Is(err, errFenced) {
		t.Errorf("a commit of an old generation was accepted: %v", err)
	}
	after := live(t, s)
	for _, key := range before {
		if !slices.Contains(after, key) {
			t.Errorf("%s was removed by a member that has lost the partition", key)
		}
	}
	s = state.Store(p2)
	if c, err := s.Load(deadline(t)); err != nil || at(c) != 4 {
		t.Errorf("%d, %v", at(c), err)
	}
	saveAt(t, s, 5)
	if keys := live(t, s); len(keys) != 4+4 || !strings.HasPrefix(keys[0], "g/in/0/4-") || !strings.HasPrefix(keys[7], "g/in/0/5-") {
		t.Errorf("left: %q", keys)
	}
}

func TestStateTopicMustBeCompacted(t *testing.T) {
	b := newBroker(t, 3)
	_, err := openStateTopic(deadline(t), connection(b.Addr()), topic, 3, quiet)
	if err == nil || !strings.Contains(err.Error(), "cleanup.policy=delete") {
		t.Errorf("got %v", err)
	}
	if _, err := openStateTopic(deadline(t), connection(b.Addr()), topic, 4, quiet); err == nil || !strings.Contains(err.Error(), "3 partitions, the input 4") {
		t.Errorf("got %v", err)
	}
}

// TestNewStateTopic: a check creates nothing. A missing state topic gets as many partitions as asked for and the default
// number of replicas, and is compacted soon. Another member may create it first.
func TestNewStateTopic(t *testing.T) {
	b := newBroker(t, 1)
	created := make(chan *kmsg.CreateTopicsRequest, 10)
	b.Cluster().ControlKey(int16(kmsg.CreateTopics), func(r kmsg.Request) (kmsg.Response, error, bool) {
		b.Cluster().KeepControl()
		created <- r.(*kmsg.CreateTopicsRequest)
		return nil, nil, false
	})
	for range 2 {
		if exists, err := TryStateTopic(deadline(t), connection(b.Addr()), stateTopic, 3); exists || err != nil {
			t.Fatal(exists, err)
		}
		<-created
	}
	s, err := openStateTopic(deadline(t), connection(b.Addr()), stateTopic, 3, quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r := (<-created).Topics[0]
	got := fmt.Sprint(r.NumPartitions, " ", r.ReplicationFactor)
	for _, c := range r.Configs {
		got += " " + c.Name + "=" + *c.Value
	}
	if want := "3 -1 cleanup.policy=compact segment.bytes=67108864 min.cleanable.dirty.ratio=0.1"; got != want {
		t.Errorf("created %s, want %s", got, want)
	}
	if err := s.create(deadline(t), 3, false); err != nil {
		t.Errorf("a topic that is there: %v", err)
	}
	if exists, err := TryStateTopic(deadline(t), connection(b.Addr()), stateTopic, 3); !exists || err != nil {
		t.Error(exists, err)
	}
}

// TestFault79_WrongClockOfACheckpoint: the error names the clock.
func TestFault79_WrongClockOfACheckpoint(t *testing.T) {
	b := newBroker(t, 1)
	b.Cluster().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.InvalidTimestamp, Count: 2})
	state := openState(t, b.Addr())
	p := newGroup(t, quick(b.Addr())).newPartition(topicPartition{topic, 0}, nil)
	_, err := state.Store(p).produce(deadline(t), record{key: []byte("k"), value: []byte("v")})
	if !errors.Is(err, kafkago.InvalidTimestamp) || !strings.Contains(err.Error(), "clock of this machine says") {
		t.Errorf("error %v", err)
	}
}

func FuzzManifests(f *testing.F) {
	m := manifest{id: "12-3-abcd", next: 12, first: 7, chunks: 2}
	f.Add(formatManifests(m))
	f.Add(formatManifests(m, manifest{}, m))
	f.Add("snapshots1 a,1,2,3,00,ff")
	f.Add(startMark)
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parseManifests(text)
		if err == nil && formatManifests(list...) != text {
			t.Errorf("%q was read as %q", text, formatManifests(list...))
		}
	})
}
