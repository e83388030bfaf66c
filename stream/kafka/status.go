package kafka

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
)

func (g *Group) setState(s string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.state = s
}

// Status is the present state of a Group.
type Status struct {
	State      string // cause of a wait; "" = working on the partitions
	Generation int    // of the group
	Partitions []PartitionStatus
}

// PartitionStatus describes a partition that is or was assigned.
type PartitionStatus struct {
	Topic     string
	Partition int
	Assigned  bool
	Position  int64  // offset of the next message to be delivered; -1 = not started
	End       int64  // end of the log at the last answer or, with ReadCommitted, of its decided transactions
	Lost      int64  // records that retention removed before they were read
	Retries   int64  // requests that failed and were repeated
	Problem   string // failure of the last request of a kind, or transaction that holds up messages; "" = none
}

// problems are the problems of a partition, by the operation that fails: messages may be fetched while no checkpoint can
// be written.
type problems struct {
	mu    sync.Mutex
	texts map[string]string
}

// set sets or, with an empty text, removes a problem, and reports a change.
func (p *problems) set(what, text string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.texts[what] == text {
		return false
	}
	if text == "" {
		delete(p.texts, what)
		return true
	}
	if p.texts == nil {
		p.texts = make(map[string]string)
	}
	p.texts[what] = text
	return true
}

// any returns the first of the problems.
func (p *problems) any() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, what := range slices.Sorted(maps.Keys(p.texts)) {
		return p.texts[what]
	}
	return ""
}

// Lag returns the number of readable offsets that the reader has not passed yet, markers at
// the end of transactions included.
func (p PartitionStatus) Lag() int64 {
	if p.Position < 0 {
		return 0
	}
	return max(0, p.End-p.Position)
}

// Status returns the present state. Any goroutine may call it at any time.
func (g *Group) Status() Status {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := Status{State: g.state, Generation: g.generation}
	tps := slices.SortedFunc(maps.Keys(g.counters), func(a, b topicPartition) int {
		return cmp.Or(strings.Compare(a.topic, b.topic), a.partition-b.partition)
	})
	for _, tp := range tps {
		c := g.counters[tp]
		s.Partitions = append(s.Partitions, PartitionStatus{
			Topic: tp.topic, Partition: tp.partition, Assigned: g.assigned[tp] != nil,
			Position: c.position.Load(), End: c.end.Load(), Lost: c.lost.Load(), Retries: c.retries.Load(),
			Problem: c.problems.any(),
		})
	}
	return s
}
