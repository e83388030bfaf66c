package faultsim

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/orffvar/forecaster/stream/checkpoint"
)

// topicStore keeps checkpoints in a log that all members see, like package kafka. A snapshot consists of chunks with
// keys of their own. The commit of the offset holds the number of valid chunks.
type topicStore struct {
	*worker
	current, previous snapshotID
	begun             bool           // true: this store wrote current
	unused            map[string]int // numbers of chunks of snapshots to remove after the next commit, as in kafka.Store
}

func newTopicStore(w *worker) *topicStore {
	return &topicStore{worker: w, unused: make(map[string]int)}
}

func (t *topicStore) Load(context.Context) ([]checkpoint.Checkpoint, error) {
	var list []checkpoint.Checkpoint
	err := t.effect("load", func() (err error) {
		if t.p.committed.next < 0 {
			list, err = t.newest()
			return err
		}
		var damage error
		for i, id := range []snapshotID{t.p.committed.current, t.p.committed.previous} {
			if id.id == "" {
				continue
			}
			var err error
			if list, err = t.read(id); err != nil {
				damage = errors.Join(damage, err)
			}
			if len(list) == 0 {
				continue
			}
			if i == 0 {
				t.previous = t.p.committed.previous
			}
			t.unused = t.found()
			if t.sim.o.Bug == CollectAtLoad {
				t.collect()
			}
			return nil
		}
		return damage
	})
	return list, err
}

// read returns the intact part of a snapshot, and sets current to it.
func (t *topicStore) read(id snapshotID) ([]checkpoint.Checkpoint, error) {
	var b []byte
	for k := range id.chunks {
		chunk, ok := t.p.snapshots[t.key(id, k)]
		if !ok {
			break
		}
		b = append(b, chunk...)
	}
	list, _, err := checkpoint.Parse(bytes.NewReader(b), int64(len(b)))
	if err == nil && list[len(list)-1].Next != id.next {
		err = checkpoint.ErrCorrupt
	}
	if err != nil {
		t.sim.result.Damaged++
	}
	if len(list) > 0 {
		id.next = list[len(list)-1].Next
		t.current = id
	}
	return list, err
}

const foreignID = "foreign" // id of the snapshot of another group

// ours reports whether a snapshot belongs to the group.
func (t *topicStore) ours(id string) bool { return id != foreignID || t.sim.o.Bug == ForeignSnapshot }

// newest returns the newest snapshot of a group that has forgotten its commits.
func (t *topicStore) newest() ([]checkpoint.Checkpoint, error) {
	var ids []snapshotID
	for _, id := range slices.Sorted(maps.Keys(t.p.manifests)) {
		if t.ours(id) {
			ids = append(ids, t.p.manifests[id])
		}
	}
	slices.SortStableFunc(ids, func(a, b snapshotID) int { return cmp.Compare(b.next, a.next) })
	for _, id := range ids {
		if list, _ := t.read(id); len(list) > 0 {
			return list, nil
		}
	}
	return nil, checkpoint.ErrNoCheckpoint
}

// found returns, for each snapshot of the group in the topic, its number of chunks.
func (t *topicStore) found() map[string]int {
	found := make(map[string]int)
	for id, m := range t.p.manifests {
		if t.ours(id) {
			found[id] = m.chunks
		}
	}
	for key := range t.p.snapshots {
		var k int
		id, number, _ := strings.Cut(key, "/")
		if _, err := fmt.Sscan(number, &k); err == nil && t.ours(id) {
			found[id] = max(found[id], k+1)
		}
	}
	return found
}

// collect removes all unused snapshots except the last two, like kafka.Store. The group may have forgotten the commit
// that names these two.
func (t *topicStore) collect() {
	keep := map[string]int{t.current.id: t.current.chunks, t.previous.id: t.previous.chunks}
	for id, chunks := range t.unused { // any order, because removals are independent
		for k := keep[id]; k < chunks; k++ {
			delete(t.p.snapshots, fmt.Sprintf("%s/%d", id, k))
		}
		if keep[id] == 0 {
			delete(t.p.manifests, id)
		}
	}
	clear(t.unused)
}

// foreign saves a checkpoint of another group, which began in the middle of the log.
func (s *sim) foreign(p *partition) {
	from := len(p.log) / 3
	other := &partition{number: p.number, log: p.log[from : 2*from]}
	ignored := newContents()
	if err := other.oracle(s.engine, s.o.Seed, &ignored); err != nil {
		s.fail("%v", err)
		return
	}
	m := &member{partitions: s.partitionsKnown()}
	last := p.log[2*from-1]
	c := checkpoint.Checkpoint{Settings: m.settings(), Next: last.Offset + 1, Last: last.Mark(), State: checkpoint.StateOf(other.state)}
	var b bytes.Buffer
	if err := c.Encode(&b); err != nil {
		s.fail("%v", err)
		return
	}
	id := snapshotID{id: foreignID, next: c.Next, chunks: 1}
	p.snapshots[foreignID+"/0"], p.manifests[foreignID] = b.Bytes(), id
}

func (t *topicStore) key(id snapshotID, chunk int) string {
	if t.sim.o.Bug == MutableKey {
		return fmt.Sprint(chunk)
	}
	return fmt.Sprintf("%s/%d", id.id, chunk)
}

func (t *topicStore) Save(_ context.Context, c checkpoint.Checkpoint) error {
	t.sim.plant(&c)
	var encoded bytes.Buffer
	if err := c.Encode(&encoded); err != nil {
		return err
	}
	b := encoded.Bytes()
	id, previous, old := t.current, t.previous, snapshotID{}
	switch {
	case c.Since == 0:
		id = snapshotID{id: fmt.Sprintf("%d.%d.%d", c.Next, t.generation, t.sim.unique())}
		previous, old = t.current, t.previous
	case !t.begun:
		return errors.New("faultsim: changes to nothing")
	}
	const chunks = 3
	for k := range chunks {
		chunk := b[k*len(b)/chunks : (k+1)*len(b)/chunks]
		key := t.key(id, id.chunks)
		err := t.effect("chunk "+key, func() error {
			if t.m.ahead {
				if t.sim.o.Bug == RefusedByClock {
					return nil
				}
				return errClock
			}
			t.p.snapshots[key] = chunk
			return nil
		})
		if err != nil {
			return err
		}
		id.chunks++
	}
	id.next = c.Next
	err := t.effect("manifest "+id.id, func() error {
		t.p.manifests[id.id] = id
		return nil
	})
	if err != nil {
		return err
	}
	if err := t.commit(commit{next: c.Next, generation: t.generation, current: id, previous: previous}); err != nil {
		return err
	}
	t.current, t.previous, t.begun = id, previous, true
	if old.id != "" {
		t.unused[old.id] = max(t.unused[old.id], old.chunks)
	}
	if len(t.unused) == 0 || t.sim.o.Bug == MutableKey {
		return nil
	}
	return t.effect("remove "+strings.Join(slices.Sorted(maps.Keys(t.unused)), " "), func() error {
		t.collect()
		return nil
	})
}
