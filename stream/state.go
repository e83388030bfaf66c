package stream

import (
	"github.com/orffvar/forecaster/internal/snapshot"
)

// maxModelBytes bounds the copies kept for a rollback.
const maxModelBytes = 1 << 30

// Snapshot appends the state to dst.
func (e *Engine) Snapshot(dst []byte) []byte { return encode(dst, e) }

// Restore replaces the state by what Snapshot wrote. After an error the Engine
// is as before.
func (e *Engine) Restore(state []byte) error {
	fresh, err := NewEngine(e.c)
	if err != nil {
		return err
	}
	c := snapshot.NewDecoder(state)
	fresh.State(c)
	if err := c.Finish(); err != nil {
		return err
	}
	*e = *fresh
	return nil
}

// State saves or restores everything that later results depend on. Restoring
// needs a new Engine; see Restore.
func (e *Engine) State(c *snapshot.Codec) {
	if c.Decoding() && (e.next != 0 || len(e.series) > 0) {
		panic("stream: State restores into a new Engine only")
	}
	c.Section("engine")
	c.Int64(&e.next)
	if c.Err() == nil && e.next < 0 {
		c.Fail("negative offset")
	}
	e.sharedState(c)

	n := len(e.series)
	c.Len(&n, e.c.MaxSeries)
	for i := 0; i < n && c.Err() == nil; i++ {
		e.seriesState(c, i)
	}
	if e.c.Assembly != nil {
		e.assembliesState(c)
	}
}

// sharedState transfers the weights that several series share.
func (e *Engine) sharedState(c *snapshot.Codec) {
	n := len(e.shared)
	c.Len(&n, e.c.MaxDim)
	if n > 0 && e.c.Scope != Shared {
		c.Fail("shared weights in the state of an engine without them")
	}
	for i := 0; i < n && c.Err() == nil; i++ {
		var dim int
		if !c.Decoding() {
			dim = e.shared[i].dim
		}
		c.Index(&dim, e.c.MaxDim+1)
		if c.Decoding() {
			if c.Err() == nil && dim == 0 {
				c.Fail("no variables")
			}
			if c.Err() != nil {
				return
			}
			if _, err := e.weightsFor(dim); err != nil {
				c.Fail("%v", err)
			}
			if len(e.shared) != i+1 {
				c.Fail("two shared models of %d variables", dim)
				return
			}
		}
		e.shared[i].state(c)
	}
}

// seriesState transfers the i-th series. Its name and variables come first:
// from them the decoder makes the series, and the rest is filled in.
func (e *Engine) seriesState(c *snapshot.Codec, i int) {
	c.Section("series")
	var name string
	var names []string
	if !c.Decoding() {
		name, names = e.series[i].info.Name, e.series[i].info.Variables
	}
	c.String(&name, e.c.MaxName)
	e.namesState(c, &names)
	if c.Decoding() {
		if c.Err() == nil && (len(names) == 0 || e.byName[name] != nil) {
			c.Fail("series %q twice or without variables", name)
		}
		if c.Err() != nil {
			return
		}
		shared := len(e.shared)
		if _, err := e.addSeries(name, newVariables(names)); err != nil {
			c.Fail("%v", err)
			return
		}
		if len(e.shared) != shared {
			c.Fail("series %q has no shared model", name)
			return
		}
	}
	s := e.series[i]
	if e.c.Scope == PerSeries {
		s.weights.state(c)
	}
	s.state(c)
	e.namesState(c, &s.candidate)
}

// namesState transfers the names of variables.
func (e *Engine) namesState(c *snapshot.Codec, names *[]string) {
	n := len(*names)
	c.Len(&n, e.c.MaxDim)
	if c.Decoding() {
		*names = make([]string, n)
	}
	for i := range *names {
		c.String(&(*names)[i], e.c.MaxName)
	}
}

func (w *weights) state(c *snapshot.Codec) {
	c.Section("weights")
	c.Int64(&w.samples)
	w.model.State(c)
	c.Blob(&w.good, maxModelBytes)
}

func (s *series) state(c *snapshot.Codec) {
	c.Int64(&s.samples)
	c.Bool(&s.started)
	c.Int64(&s.time)
	s.spacing.state(c)
	for _, m := range s.models {
		c.Section(m.name)
		if m.own != nil {
			m.own.State(c)
		}
		m.f.State(c)
		m.scorer.State(c)
	}
	c.Float64s(s.yhat)
	s.surprise.State(c)
	c.Int(&s.agreed)
	c.Blob(&s.good, maxModelBytes)
}
