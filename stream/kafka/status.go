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
	State      string // reason for a wait; "" = working on the partitions
	Generation int    // generation of the group
	Partitions []PartitionStatus
}

// PartitionStatus describes a partition that is or was assigned to this member.
type PartitionStatus struct {
	Topic     string
	Partition int
	Assigned  bool
	Position  int64  // offset of the next message to be delivered; -1 = not started
	End       int64  // end of the log at the last answer; with ReadCommitted, end of its decided transactions
	Lost      int64  // records that retention removed before they were read
	Retries   int64  // failed requests that were repeated
	Problem   string // failure of the last request of some kind, or open transaction that delays messages; "" = none
}

// problems holds the problems of a partition by failing operation. Fetching may succeed while checkpoints fail.
type problems struct {
	mu    sync.Mutex
	texts map[string]string
}

// set sets the problem of an operation; an empty text removes it. It reports whether the problem has changed.
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

// any returns the first problem.
func (p *problems) any() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, what := range slices.Sorted(maps.Keys(p.texts)) {
		return p.texts[what]
	}
	return ""
}

// Lag returns the number of readable offsets that were not delivered yet, including transaction markers.
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
