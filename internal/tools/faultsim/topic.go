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

// This file has the failures of the topic and of the commits of the group. After a replacement or a growth of the topic
// all processes must stop. The simulation ends when all of them have noticed the change.

var (
	errReplaced = errors.New("faultsim: the log is another one")
	errGrown    = errors.New("faultsim: the topic has other partitions than before")
)

// noticeWithin is the largest number of steps between a change of the topic and its notice by every member.
const noticeWithin = 20_000

// change describes a change of the topic. Kind "": no change.
type change struct {
	kind Fault
	at   int         // step of the change
	old  []partition // logs before the change
}

// topicEvents draws the events of the topic in one step.
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

// expire makes the group forget its commits of a partition while the log still grows.
func (s *sim) expire(p *partition) {
	if s.local || s.o.Bug == MutableKey || p.committed.next < 0 || p.end == len(p.log) || s.change.kind != "" {
		return
	}
	p.committed = commit{next: -1}
	s.result.Expired++
	s.trace("the group forgets the commits of partition %d", p.number)
}

// replace deletes a log and creates it again with other messages. The broker may delete its commits, too.
func (s *sim) replace(p *partition) {
	s.change = change{kind: Replacement, at: s.step}
	s.keepLogs()
	p.transactions = nil
	p.log = slices.Clone(newPartition(s.rng, p.number, 10+s.rng.IntN(100)).log)
	for i := range p.log {
		p.log[i].Time = 1 // differs from all times of the old log
	}
	p.start, p.end = 0, s.rng.IntN(len(p.log)+1)
	if !s.local && s.rng.IntN(2) == 0 {
		p.committed = commit{next: -1}
	}
	s.result.Changed++
	s.trace("partition %d is replaced by a log of %d messages", p.number, len(p.log))
}

// keepLogs copies the logs before a change.
func (s *sim) keepLogs() {
	for _, q := range s.parts {
		s.change.old = append(s.change.old, partition{number: q.number, log: q.log, transactions: q.transactions})
	}
}

// grow adds a partition. It receives the later messages of the first partition.
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

// settings returns the settings on which the states of a process depend.
func (m *member) settings() []checkpoint.Setting {
	return []checkpoint.Setting{{Key: "model.type", Value: "model"}, {Key: "topic.partitions", Value: strconv.Itoa(m.partitions)}}
}

// partitionsKnown returns the number of partitions that a process starting now finds in commits and checkpoints.
func (s *sim) partitionsKnown() int {
	if s.o.Bug == ForgottenCount {
		return 0
	}
	return len(s.parts)
}

// refused reports whether the number of partitions of the topic differs from the commits of the group, or from the
// number at the start of the process.
func (s *sim) refused(m *member) bool {
	if s.o.Bug == ForgottenCount {
		return false
	}
	return m.partitions != len(s.parts) || slices.ContainsFunc(s.parts, func(p *partition) bool {
		return p.committed.next >= 0 && p.committed.partitions != len(s.parts)
	})
}

// quit ends a process that has noticed a change of the topic.
func (s *sim) quit(m *member, err error) {
	s.noticed = true
	m.alive, m.workers = false, nil
	s.trace("member %d ends: %v", m.name, err)
}

// over reports whether all processes have noticed the change of the topic.
func (s *sim) over() bool {
	if s.change.kind == "" {
		return false
	}
	if s.step > s.change.at+noticeWithin {
		s.fail("nobody has noticed the %s", s.change.kind)
	}
	return s.noticed && !slices.ContainsFunc(s.members, func(m *member) bool { return m.alive })
}

// mixed reports whether the sink may hold points and dead letters from two logs. A process may have read messages of
// the other log until its next checkpoint.
func (s *sim) mixed() bool { return s.change.kind == Replacement }

// prefix returns the state of an engine after the messages before an offset of the old log, before the change.
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

// checkChanged verifies that no checkpoint covers messages of two logs, or one series in two partitions.
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
