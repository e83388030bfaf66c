package engine

import (
	"errors"
	"slices"

	"github.com/orffvar/forecaster/eval"
)

// Constructors construct the models of a shard, which may share scratch memory.
type Constructors struct {
	NewModel func(dim int) (eval.Model, error)
	Lighter  []LighterModel
}

// shard is a group of series that one goroutine at a time learns. Shard i of n has the series i, i+n, i+2n, … in
// order of appearance.
type shard struct {
	Constructors
	waiting []*series // series with waiting samples, in order of their first waiting sample

	seasons, before []int     // scratch: seasons of a model, ascending
	grown           []float64 // scratch, H x dim
}

// learnShards learns from all waiting samples.
func (e *Engine) learnShards(dst *Results) error {
	busy := 0
	for _, h := range e.shards {
		busy += min(len(h.waiting), 1)
	}
	if busy > 1 && len(e.queue) >= groupSize && e.c.Together != nil {
		return e.learnTogether(dst)
	}
	for _, h := range e.shards {
		if err := e.learnShard(dst, h); err != nil {
			return err
		}
	}
	return nil
}

// learnTogether lets the shards learn at the same time. They share no state; each appends to its own element of
// dst.parts.
func (e *Engine) learnTogether(dst *Results) error {
	resize(&dst.parts, len(e.shards))
	results := make([]error, len(e.shards))
	e.c.Together(len(e.shards), func(i int) { results[i] = e.learnShard(&dst.parts[i], e.shards[i]) })
	made := 0
	for i := range dst.parts {
		made += len(dst.parts[i].results)
	}
	dst.results = slices.Grow(dst.results, made)
	for i := range dst.parts {
		dst.absorb(&dst.parts[i])
	}
	return errors.Join(results...)
}

// learnShard learns the waiting samples of h, series by series.
func (e *Engine) learnShard(dst *Results, h *shard) error {
	samples := 0
	for _, s := range h.waiting {
		samples += s.waiting
	}
	dst.results = slices.Grow(dst.results, samples)
	for _, s := range h.waiting {
		for i := s.first; i >= 0; i = e.queue[i].next {
			if err := e.work(dst, &e.queue[i]); err != nil {
				return err
			}
		}
		s.waiting = 0
	}
	clear(h.waiting)
	h.waiting = h.waiting[:0]
	return nil
}

// work lets the model of its series learn from w.
func (e *Engine) work(dst *Results, w *waiting) error {
	dst.arrival = w.arrival
	if w.sample.Missing {
		return e.fill(dst, w)
	}
	return e.learn(dst, w)
}
