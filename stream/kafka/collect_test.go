package kafka

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestFault87_LoadDuringSave: a member that has lost its partition unnoticed loads at the last moment of a save by
// the new owner, when everything is written and the commit is under way. It must not take any of this for the
// remains of a former owner.
func TestFault87_LoadDuringSave(t *testing.T) {
	t.Parallel()
	b := newBroker(t, 1)
	addr := b.Addr()
	p, _ := own(t, addr)
	state := openState(t, addr)
	saveAt(t, state.Store(p), 1, 2)
	s := state.Store(p)
	if c, err := s.Load(deadline(t)); err != nil || at(c) != 2 {
		t.Fatalf("%d, %v", at(c), err)
	}

	stale := newGroup(t, quick(addr)).newPartition(p.tp, p.member)
	defer stale.expire(nil)
	loads := 0
	during := func() {
		before := logEnd(t, s)
		if _, err := state.Store(stale).Load(deadline(t)); err != nil {
			t.Errorf("the stale member: %v", err)
		}
		if n := logEnd(t, s) - before; n != 0 {
			t.Errorf("loading has written %d records", n)
		}
		loads++
	}
	b.Cluster().ControlKey(int16(kmsg.OffsetCommit), func(kmsg.Request) (kmsg.Response, error, bool) {
		b.Cluster().KeepControl()
		b.Cluster().SleepControl(during)
		return nil, nil, false
	})
	saveAt(t, s, 3)            // a snapshot
	saveChanges(t, s, 3, 4, 5) // and changes to it
	next, text := s.current, live(t, s)
	if loads != 3 {
		t.Errorf("%d loads during a commit, want 3", loads)
	}
	chain, _, err := s.read(deadline(t), next)
	if err != nil || len(chain) != 3 {
		t.Errorf("the committed snapshot has %d checkpoints, want 3 (%v); in the topic are %q", len(chain), err, text)
	}
}

// logEnd returns the end of the log of the state topic.
func logEnd(t testing.TB, s *Store) int64 {
	t.Helper()
	q := s.topic.partition(s.p.tp.partition)
	defer q.expire(nil)
	_, end, err := q.bounds(deadline(t))
	if err != nil {
		t.Fatal(err)
	}
	return end
}
