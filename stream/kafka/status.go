package kafka

import (
	"maps"
	"slices"
	"sync"
)

func (g *Group) setState(s string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.state = s
}

// Status is the present state of a Group.
type Status struct {
	State      string // what it waits for; "" = working on the partitions
	Generation int    // of the group
	Partitions []PartitionStatus
}

// PartitionStatus describes a partition that is or was assigned.
type PartitionStatus struct {
	Topic     string
	Partition int
	Assigned  bool
	Position  int64  // offset of the next message to be delivered; -1 = not started
	End       int64  // offset before which messages can be read, when last heard: the end of the log or, with ReadCommitted, of the decided transactions
	Lost      int64  // records that retention removed before they were read
	Retries   int64  // requests that failed and were repeated
	Problem   string // why the last request of a kind failed, or what holds up messages; "" = nothing
}

// problems are the problems of a partition, by the operation that fails: that messages can be fetched does not mean that a checkpoint
// can be written.
type problems struct {
	mu    sync.Mutex
	texts map[string]string
}

// set sets or, with an empty text, removes a problem, and reports whether that changes something.
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

// Lag returns the number of offsets that can be read and are not passed yet. Markers at the
// end of transactions count until the reader has passed them.
func (p PartitionStatus) Lag() int64 {
	if p.Position < 0 {
		return 0
	}
	return max(0, p.End-p.Position)
}

// Status may be called at any time from any goroutine.
func (g *Group) Status() Status {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := Status{State: g.state, Generation: g.generation}
	tps := slices.SortedFunc(maps.Keys(g.counters), func(a, b topicPartition) int {
		if a.topic != b.topic {
			if a.topic < b.topic {
				return -1
			}
			return 1
		}
		return a.partition - b.partition
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
