package faultsim

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
)

// What happens to the topic and to the commits of the group, rather than to who works.
// After a replacement or a growth nobody may go on: the simulation ends when all
// processes have noticed.

var (
	errReplaced = errors.New("faultsim: the log is another one")
	errGrown    = errors.New("faultsim: the topic has other partitions than before")
)

// noticeWithin is the number of steps within which every member has to notice a change of the topic.
const noticeWithin = 20_000

// change is what has happened to the topic; "" = nothing.
type change struct {
	kind Fault
	at   int         // step
	old  []partition // logs as they were
}

// topicEvents lets things happen to the topic.
func (s *sim) topicEvents() {
	for _, p := range s.parts {
		if s.chance(Expiry, 100) {
			s.expire(p)
		}
	}
	if s.change.kind != "" {
		return
	}
	p := s.parts[s.rng.IntN(len(s.parts))]
	switch {
	case p.committed.next <= 0:
	case s.chance(Replacement, 4000):
		s.replace(p)
	case s.chance(Growth, 6000):
		s.grow()
	}
}

// expire makes the group forget what it has committed, while there is more to come.
func (s *sim) expire(p *partition) {
	if s.local || s.o.Bug == MutableKey || p.committed.next < 0 || p.end == len(p.log) || s.change.kind != "" {
		return
	}
	p.committed = commit{next: -1}
	s.result.Expired++
	s.trace("the group forgets the commits of partition %d", p.number)
}

// replace deletes a log and creates it again with other messages. The broker may delete
// the commits with it.
func (s *sim) replace(p *partition) {
	s.change = change{kind: Replacement, at: s.step}
	s.keepLogs()
	p.transactions = nil
	p.log = slices.Clone(newPartition(s.rng, p.number, 10+s.rng.IntN(100)).log)
	for i := range p.log {
		p.log[i].Time = 1 // none is one of the old log
	}
	p.start, p.end = 0, s.rng.IntN(len(p.log)+1)
	if !s.local && s.rng.IntN(2) == 0 {
		p.committed = commit{next: -1}
	}
	s.result.Changed++
	s.trace("partition %d is replaced by a log of %d messages", p.number, len(p.log))
}

// keepLogs keeps the logs as they are before a change.
func (s *sim) keepLogs() {
	for _, q := range s.parts {
		s.change.old = append(s.change.old, partition{number: q.number, log: q.log, transactions: q.transactions})
	}
}

// grow adds a partition to which the messages of the first one go from now on.
func (s *sim) grow() {
	s.change = change{kind: Growth, at: s.step}
	first := s.parts[0]
	p := newPartition(rand.New(rand.NewPCG(s.o.Seed, 1)), len(s.parts), 1)
	p.log = slices.Clone(first.log[first.end:])
	for i := range p.log {
		p.log[i].Offset, p.log[i].Partition = int64(i), int32(p.number)
	}
	if len(p.log) == 0 { // a last message that everybody has seen: the series begins again
		p.log = []stream.Message{{Topic: "in", Partition: int32(p.number), Key: first.log[0].Key, Value: []byte(`{"time": 999, "values": [1]}`)}}
	}
	p.end = len(p.log)
	s.keepLogs()
	first.log = first.log[:first.end]
	s.parts = append(s.parts, p)
	s.result.Changed++
	s.trace("the topic has %d partitions now", len(s.parts))
}

// settings are what the states of a process depend on.
func (m *member) settings() []checkpoint.Setting {
	return []checkpoint.Setting{{Key: "model.type", Value: "model"}, {Key: "topic.partitions", Value: strconv.Itoa(m.partitions)}}
}

// partitionsKnown is what a process that starts now remembers of their number.
func (s *sim) partitionsKnown() int {
	if s.o.Bug == ForgottenCount {
		return 0
	}
	return len(s.parts)
}

// refused reports whether a process finds that the topic has other partitions than the
// commits of the group, or than it had when the process started.
func (s *sim) refused(m *member) bool {
	if s.o.Bug == ForgottenCount {
		return false
	}
	return m.partitions != len(s.parts) || slices.ContainsFunc(s.parts, func(p *partition) bool {
		return p.committed.next >= 0 && p.committed.partitions != len(s.parts)
	})
}

// quit ends a process that has noticed.
func (s *sim) quit(m *member, err error) {
	s.noticed = true
	m.alive, m.workers = false, nil
	s.trace("member %d ends: %v", m.name, err)
}

// over reports whether everybody has noticed what happened to the topic.
func (s *sim) over() bool {
	if s.change.kind == "" {
		return false
	}
	if s.step > s.change.at+noticeWithin {
		s.fail("nobody has noticed the %s", s.change.kind)
	}
	return s.noticed && !slices.ContainsFunc(s.members, func(m *member) bool { return m.alive })
}

// mixed reports whether a point, or a dead letter, is of a series of which the messages
// of another log may have been seen for a moment: until the next checkpoint.
func (s *sim) mixed() bool { return s.change.kind == Replacement }

// prefix returns the state of an engine that has seen the messages before an offset of
// the log as it was before the topic changed.
func (s *sim) prefix(p *partition, next int64) ([]byte, error) {
	old := &partition{number: p.number, log: p.log[:min(next, int64(len(p.log)))]}
	if p.number < len(s.change.old) {
		*old = s.change.old[p.number]
		if next > int64(len(old.log)) {
			return nil, fmt.Errorf("a checkpoint of offset %d, where the log ended at %d", next, len(old.log))
		}
		old.log = old.log[:next]
	}
	ignored := newContents()
	err := old.oracle(s.engine, s.o.Seed, &ignored)
	return old.state, err
}

// checkChanged verifies that no checkpoint covers messages of two logs, or a series in
// two partitions.
func (s *sim) checkChanged(p *partition, next int64, state []byte, err error) {
	switch {
	case errors.Is(err, checkpoint.ErrNoCheckpoint):
		return
	case err != nil:
		s.fail("partition %d: %v", p.number, err)
		return
	case p.number >= len(s.change.old):
		s.fail("partition %d is new, and has a checkpoint at %d", p.number, next)
		return
	}
	want, err := s.prefix(p, next)
	if err != nil || string(want) != string(state) {
		s.fail("partition %d: the checkpoint at %d is not of the log as it was before the %s (%v)", p.number, next, s.change.kind, err)
	}
}
