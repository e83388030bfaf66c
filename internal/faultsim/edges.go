package faultsim

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/orffvar/forecaster/internal/snapshot"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/file"
)

var (
	errKilled = errors.New("faultsim: killed")
	errFenced = errors.New("faultsim: fenced")
	errDrain  = errors.New("faultsim: not drained in time")
)

// The edges of a worker. Every effect is a point at which others may go on, and at
// which the worker may be killed.

// source is the log of the partition.
type source struct{ *worker }

// Read is not used: the worker fetches by itself.
func (s source) Read(context.Context, []stream.Message) (int, error) { panic("faultsim: Read") }
func (s source) Close() error                                        { return nil }

func (s source) Seek(_ context.Context, next int64, last stream.Mark) error {
	s.witness.Begin(last)
	if err := s.verify(); err != nil {
		return err
	}
	if s.sim.o.Bug == SkipRecord && int(next) < s.p.end {
		next++
	}
	if s.mixed() && int(next) > s.p.end {
		return errReplaced
	}
	if int(next) > s.p.end || int(next) < s.p.start {
		return fmt.Errorf("faultsim: seek to %d in [%d, %d]", next, s.p.start, s.p.end)
	}
	s.position = int(next)
	return nil
}

func (s source) mixed() bool { return s.sim.mixed() }

// Verify is an effect: others may go on before it.
func (s source) Verify(context.Context) error { return s.effect("verify the log", s.verify) }

// verify compares the anchor of the witness with the log as it is now.
func (w *worker) verify() error {
	then := w.witness
	anchor := then.Anchor()
	if anchor.None() {
		return nil
	}
	var now stream.Mark
	switch {
	case int(anchor.Offset) >= w.p.end:
		return errReplaced
	case int(anchor.Offset) >= w.p.start:
		now = w.p.log[anchor.Offset].Mark()
	}
	if w.witness.Check(then, now) != nil {
		return errReplaced
	}
	return nil
}

// Commit commits the offset, unless the store has done so.
func (s source) Commit(_ context.Context, next int64) error {
	if !s.sim.local {
		return nil
	}
	return s.commit(commit{next: next, generation: s.generation, previous: snapshotID{next: max(0, s.p.committed.next)}})
}

// commit repeats the request until the answer arrives.
func (w *worker) commit(c commit) error {
	for {
		var lost bool
		err := w.effect(fmt.Sprintf("commit %d %s", c.next, c.current.id), func() error {
			if !w.sim.group.accepts(w) && w.sim.o.Bug != NoFence {
				w.sim.result.Fenced++
				return errFenced
			}
			c.partitions = w.m.partitions
			if c.generation < w.p.committed.generation {
				w.sim.fail("generation %d has committed %d after generation %d had committed %d",
					c.generation, c.next, w.p.committed.generation, w.p.committed.next)
			}
			if c.next != w.p.committed.next || c.current != w.p.committed.current {
				w.p.committed = c
			}
			lost = w.sim.chance(CommitReplies, 8)
			return nil
		})
		if err != nil || !lost {
			return err
		}
	}
}

// sink is a connection to the database that all workers share.
type sink struct {
	*worker
	unsent []byte // of CommitBeforeAck
}

func (s *sink) Close() error { return nil }

func (s *sink) Write(_ context.Context, b *stream.Batch) error {
	lines := encoder(s.sim.o.Seed).AppendBatch(nil, b)
	if s.sim.o.Bug == CommitBeforeAck {
		lines, s.unsent = s.unsent, lines
	}
	return s.send(lines)
}

// send repeats a request until its answer arrives.
func (s *sink) send(lines []byte) error {
	for len(lines) > 0 {
		if s.giveUp() {
			return errDrain
		}
		w := s.sim
		answered, refused := true, false
		err := s.effect(fmt.Sprintf("write %d lines", bytes.Count(lines, []byte("\n"))), func() error {
			switch {
			case w.outage > w.step, w.chance(Requests, 10): // lost on the way
				answered = false
			case w.refusal > w.step:
				refused = true
			case w.chance(Replies, 10): // applied, and the answer lost
				w.apply(lines)
				answered = false
			case w.chance(Requests, 12): // applied in part
				n := w.rng.IntN(len(lines))
				w.apply(lines[:bytes.LastIndexByte(lines[:n+1], '\n')+1])
				answered = false
			case w.chance(Delays, 12): // will arrive much later
				w.delayed = append(w.delayed, bytes.Clone(lines))
				answered = false
			case w.chance(Delays, 12): // will arrive a second time
				w.apply(lines)
				w.delayed = append(w.delayed, bytes.Clone(lines))
			default:
				w.apply(lines)
			}
			return nil
		})
		if err != nil {
			return err
		}
		if answered && (!refused || w.o.Bug == BlanketCulprits) {
			return nil
		}
		if w.o.Bug == ClearBeforeSend {
			lines = nil
		}
	}
	return nil
}

// letters is a log of dead letters. It may have one several times.
type letters struct{ *worker }

func (l letters) Close() error { return nil }

func (l letters) WriteDeadLetters(_ context.Context, letters []stream.DeadLetter) error {
	for {
		if l.giveUp() {
			return errDrain
		}
		answered := true
		err := l.effect(fmt.Sprintf("write %d dead letters", len(letters)), func() error {
			if l.sim.chance(Requests, 10) {
				answered = false
				return nil
			}
			for i := range letters {
				l.sim.letter(&letters[i])
			}
			answered = !l.sim.chance(Replies, 10)
			return nil
		})
		if err != nil || answered {
			return err
		}
	}
}

// topicStore keeps checkpoints in a log that all members see, as package kafka
// does: in chunks with keys of their own, of which the offset's commit says how many
// count.
type topicStore struct {
	*worker
	current, previous snapshotID
	begun             bool // current is ours
}

func (t *topicStore) Load(context.Context) ([]stream.Checkpoint, error) {
	var list []stream.Checkpoint
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
			t.collect()
			return nil
		}
		return damage
	})
	return list, err
}

// read returns what is good of a snapshot, and makes it the current one.
func (t *topicStore) read(id snapshotID) ([]stream.Checkpoint, error) {
	var b []byte
	for k := range id.chunks {
		chunk, ok := t.p.snapshots[t.key(id, k)]
		if !ok {
			break
		}
		b = append(b, chunk...)
	}
	list, _, err := stream.ParseCheckpoints(b)
	if err == nil && list[len(list)-1].Next != id.next {
		err = stream.ErrCorrupt
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

const ownGroup, otherGroup = "own/", "other/"

// ours reports whether a manifest is one of the group.
func (t *topicStore) ours(key string) bool {
	return strings.HasPrefix(key, ownGroup) || t.sim.o.Bug == ForeignSnapshot
}

// newest returns the newest snapshot of the group, which has forgotten its commits.
func (t *topicStore) newest() ([]stream.Checkpoint, error) {
	var ids []snapshotID
	for _, key := range slices.Sorted(maps.Keys(t.p.manifests)) {
		if t.ours(key) {
			ids = append(ids, t.p.manifests[key])
		}
	}
	slices.SortStableFunc(ids, func(a, b snapshotID) int { return cmp.Compare(b.next, a.next) })
	for _, id := range ids {
		if list, _ := t.read(id); len(list) > 0 {
			return list, nil
		}
	}
	return nil, stream.ErrNoCheckpoint
}

// collect removes the snapshots of the group that no commit names.
func (t *topicStore) collect() {
	for key, id := range t.p.manifests { // in any order: removals do not depend on one another
		if t.ours(key) && id.id != t.p.committed.current.id && id.id != t.p.committed.previous.id {
			t.drop(key, id)
		}
	}
}

func (t *topicStore) drop(key string, id snapshotID) {
	for k := range id.chunks {
		delete(t.p.snapshots, t.key(id, k))
	}
	delete(t.p.manifests, key)
}

// foreign saves a checkpoint of another group, which has begun in the middle of the log.
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
	c := stream.Checkpoint{Settings: m.settings(), Next: last.Offset + 1, Last: last.Mark(), State: other.state}
	parts, err := c.Encode()
	if err != nil {
		s.fail("%v", err)
		return
	}
	id := snapshotID{id: "foreign", next: c.Next, chunks: 1}
	p.snapshots["foreign/0"], p.manifests[otherGroup+id.id] = bytes.Join(parts, nil), id
}

func (t *topicStore) key(id snapshotID, chunk int) string {
	if t.sim.o.Bug == MutableKey {
		return fmt.Sprint(chunk)
	}
	return fmt.Sprintf("%s/%d", id.id, chunk)
}

func (t *topicStore) Save(_ context.Context, c stream.Checkpoint) error {
	t.sim.plant(&c)
	parts, err := c.Encode()
	if err != nil {
		return err
	}
	b := bytes.Join(parts, nil)
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
			t.p.snapshots[key] = chunk
			return nil
		})
		if err != nil {
			return err
		}
		id.chunks++
	}
	id.next = c.Next
	err = t.effect("manifest "+id.id, func() error {
		t.p.manifests[ownGroup+id.id] = id
		return nil
	})
	if err != nil {
		return err
	}
	if err := t.commit(commit{next: c.Next, generation: t.generation, current: id, previous: previous}); err != nil {
		return err
	}
	t.current, t.previous, t.begun = id, previous, true
	if old.id == "" || t.sim.o.Bug == MutableKey {
		return nil
	}
	return t.effect("remove "+old.id, func() error {
		t.drop(ownGroup+old.id, old)
		return nil
	})
}

// diskStore keeps them in files.
type diskStore struct {
	*worker
	*file.Store
}

func newDiskStore(w *worker) diskStore {
	return diskStore{w, file.NewStore(diskOf{w}, slog.New(slog.DiscardHandler))}
}

func (d diskStore) Load(ctx context.Context) ([]stream.Checkpoint, error) {
	list, err := d.Store.Load(ctx)
	d.sim.result.Damaged += int(d.Damaged())
	return list, err
}

func (d diskStore) Save(ctx context.Context, c stream.Checkpoint) error {
	d.sim.plant(&c)
	return d.Store.Save(ctx, c)
}

// plant makes a checkpoint claim one record less than it holds, or lack what has
// changed.
func (s *sim) plant(c *stream.Checkpoint) {
	if c.Since != 0 {
		s.result.Changes++
	}
	if s.o.Bug == StaleSeries && c.Since != 0 {
		idle, err := stream.NewEngine(s.engine)
		if err != nil {
			s.fail("%v", err)
			return
		}
		c.State = atOffset(idle.Changes(nil), c.Next)
	}
	if s.o.Bug != RepeatRecord || c.Next == 0 {
		return
	}
	c.Next--
	if c.Since > 0 {
		c.Since-- // as that of the one before
	}
	c.State = atOffset(bytes.Clone(c.State), c.Next)
}

// atOffset makes a state say that it is that of another offset.
func atOffset(state []byte, next int64) []byte {
	e := snapshot.NewEncoder(nil)
	e.Section("engine")
	binary.LittleEndian.PutUint64(state[len(e.Bytes()):], uint64(next))
	return state
}
