package kafka

import (
	"testing"

	kafkago "github.com/segmentio/kafka-go"
)

// ownAs is own in a group with another name.
func ownAs(t testing.TB, addr, group string) (p *Partition, end func()) {
	t.Helper()
	c := quick(addr)
	c.Group = group
	return ownWith(t, c)
}

// TestFault59_TwoGroupsOneStateTopic: groups that share a state topic neither adopt nor remove the state of another
// group.
func TestFault59_TwoGroupsOneStateTopic(t *testing.T) {
	t.Parallel()
	addr := newBroker(t, 1).Addr()
	ctx := deadline(t)
	state := openState(t, addr)
	a, endA := ownAs(t, addr, "a")
	saveAt(t, state.Store(a), 1, 2)
	b, _ := ownAs(t, addr, "b")
	other := state.Store(b)
	if c, err := other.Load(ctx); err == nil {
		t.Fatalf("group b has adopted a checkpoint of offset %d, which group a saved", at(c))
	}
	saveAt(t, other, 5)
	next := state.Store(b)
	if c, err := next.Load(ctx); err != nil || at(c) != 5 {
		t.Fatalf("group b: %d, %v", at(c), err)
	}
	saveAt(t, next, 6) // removes what nobody in group b has committed
	if c, err := state.Store(a).Load(ctx); err != nil || at(c) != 2 {
		t.Fatalf("group a, after group b has loaded and saved: %d, %v", at(c), err)
	}
	endA()
	resp, err := a.group.client.OffsetDelete(ctx, &kafkago.OffsetDeleteRequest{GroupID: "a", Topics: map[string][]int{topic: {0}}})
	if err != nil || resp.Error != nil {
		t.Fatal(err, resp)
	}
	a, endA = ownAs(t, addr, "a")
	if c, err := state.Store(a).Load(ctx); err != nil || at(c) != 2 {
		t.Errorf("group a, whose offsets have expired: %d, %v", at(c), err)
	}
	endA()

	c := quick(addr)
	c.Group = "a"
	saved, err := newGroup(t, c).SavedState(ctx, stateTopic)
	if err != nil {
		t.Fatal(err)
	}
	defer saved.Close()
	if list, err := saved.Checkpoints(ctx); err != nil || len(list) != 2 {
		t.Errorf("group a lists %d checkpoints, want its own 2 (%v)", len(list), err)
	}
	if n, err := saved.Reset(ctx); err != nil || n != 2 {
		t.Errorf("reset of group a has removed %d checkpoints, want 2 (%v)", n, err)
	}
	if c, err := state.Store(b).Load(ctx); err != nil || at(c) != 6 {
		t.Errorf("group b, after a reset of group a: %d, %v", at(c), err)
	}
}

// TestStateKeys: a key names its group, and only that group reads it.
func TestStateKeys(t *testing.T) {
	store := func(group, topic string, partition int) *Store {
		return &Store{p: &Partition{tp: topicPartition{topic, partition}, member: &membership{group: group}}}
	}
	own := store("a/b", "in", 3)
	for _, chunk := range []int{-1, 0, 17} {
		id, n, ok := own.parseKey(own.key("1200-17-9f31c2aa", chunk))
		if id != "1200-17-9f31c2aa" || n != chunk || !ok {
			t.Errorf("chunk %d was read as %d of %q", chunk, n, id)
		}
	}
	for _, other := range []*Store{
		store("a", "in", 3), store("b", "in", 3), store("a/b/in", "3", 1200), store("", "in", 3), store("a/b", "in", 1), store("a/b", "in2", 3),
	} {
		if _, _, ok := own.parseKey(other.key("1200-17-9f31c2aa", 0)); ok {
			t.Errorf("%s is taken for a key of the group a/b", other.key("1200-17-9f31c2aa", 0))
		}
	}
}
