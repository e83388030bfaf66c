package faultsim

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/file/filestore"
	"github.com/orffvar/forecaster/stream/streamtest"
)

var (
	errKilled = errors.New("faultsim: killed")
	errFenced = errors.New("faultsim: fenced")
	errDrain  = errors.New("faultsim: not drained in time")
	errClock  = errors.New("faultsim: the broker refuses the time of a message")
)

// This file has the edges of a worker: its source, stores and sinks. At every effect other coroutines may run, and the
// worker may be killed.

// source is the log of the partition.
type source struct{ *worker }

// Read panics, because the worker fetches messages by itself.
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

// Verify verifies the log as an effect.
func (s source) Verify(context.Context) error { return s.effect("verify the log", s.verify) }

// verify compares the anchor of the witness with the present log.
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

// Commit commits the offset, unless the store has already committed it.
func (s source) Commit(_ context.Context, next int64) error {
	if !s.sim.local {
		return nil
	}
	return s.commit(commit{next: next, generation: s.generation, previous: snapshotID{next: max(0, s.p.committed.next)}})
}

// commit repeats a commit request until its answer arrives.
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
			if !w.sim.local && w.sim.o.Bug != MutableKey {
				w.complete(c.current)
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

// complete fails the simulation if a snapshot about to be committed lacks a chunk that no failure removed.
func (w *worker) complete(id snapshotID) {
	for k := range id.chunks {
		key := fmt.Sprintf("%s/%d", id.id, k)
		if _, ok := w.p.snapshots[key]; !ok && !w.p.damaged[key] {
			w.sim.fail("partition %d: chunk %s was removed before its commit", w.p.number, key)
		}
	}
}

// letters is a log of dead letters. It may contain the same letter several times.
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
				if letters[i].Message.Topic == databaseTopic {
					l.sim.rejected(&letters[i])
				} else {
					l.sim.letter(&letters[i])
				}
			}
			answered = !l.sim.chance(Replies, 10)
			return nil
		})
		if err != nil || answered {
			return err
		}
	}
}

// diskStore keeps checkpoints in files.
type diskStore struct {
	*worker
	*filestore.Store
}

func newDiskStore(w *worker) diskStore {
	return diskStore{w, filestore.New(diskOf{w}, slog.New(slog.DiscardHandler))}
}

func (d diskStore) Load(ctx context.Context) ([]checkpoint.Checkpoint, error) {
	list, err := d.Store.Load(ctx)
	d.sim.result.Damaged += int(d.Damaged())
	return list, err
}

func (d diskStore) Save(ctx context.Context, c checkpoint.Checkpoint) error {
	d.sim.plant(&c)
	return d.Store.Save(ctx, c)
}

// plant applies RepeatRecord (the offset of a checkpoint is one too low) or StaleSeries (changed series are missing).
func (s *sim) plant(c *checkpoint.Checkpoint) {
	if c.Since != 0 {
		s.result.Changes++
	}
	if s.o.Bug == StaleSeries && c.Since != 0 {
		idle, err := engine.New(s.engine)
		if err != nil {
			s.fail("%v", err)
			return
		}
		c.State = checkpoint.StateOf(atOffset(streamtest.Changes(idle), c.Next))
	}
	if s.o.Bug != RepeatRecord || c.Next == 0 {
		return
	}
	c.Next--
	if c.Since > 0 {
		c.Since-- // value of the checkpoint before
	}
	b, err := c.State.Bytes()
	if err != nil {
		s.fail("%v", err)
	}
	c.State = checkpoint.StateOf(atOffset(b, c.Next))
}

// atOffset returns the state with another offset.
func atOffset(state []byte, next int64) []byte {
	e := snapshot.NewEncoder(nil)
	e.Section("engine")
	binary.LittleEndian.PutUint64(state[len(e.Bytes()):], uint64(next))
	return state
}
