package stream

import (
	"slices"

	"github.com/orffvar/forecaster/internal/snapshot"
)

// maxModelBytes bounds the copies kept for a rollback.
const maxModelBytes = 1 << 30

// Snapshot appends the whole state to dst. All batches must have been judged.
func (e *Engine) Snapshot(dst []byte) []byte { return e.stateOfJudge(e.stateOfModels(dst, true), true) }

// Changes appends to dst the state of all that has changed since the last call of
// Saved. Series that got no record cost nothing.
func (e *Engine) Changes(dst []byte) []byte {
	return e.stateOfJudge(e.stateOfModels(dst, false), false)
}

// Checkpoint puts the half of the state that Learn changes into dst.Snapshot, appended
// to room: all of it, or what has changed since the checkpoint at offset since, which
// was the last one; 0 = all. Score adds the other half.
func (e *Engine) Checkpoint(dst *Batch, room []byte, since int64) {
	dst.Snapshot, dst.Since, dst.Next, dst.half = e.stateOfModels(room, since == 0), since, e.next, true
	e.saved()
}

// Saved says that the state as it is now was kept: Changes begins anew.
func (e *Engine) Saved() {
	e.saved()
	e.judge.saved()
}

// stateOfModels appends to dst the half of the state that Learn has changed: all of
// it, or what is new since saved was called.
func (e *Engine) stateOfModels(dst []byte, all bool) []byte {
	c := snapshot.NewEncoder(dst)
	e.state(c, all)
	return c.Bytes()
}

// stateOfJudge appends to dst the half that Score has changed.
func (e *Engine) stateOfJudge(dst []byte, all bool) []byte {
	c := snapshot.NewEncoder(dst)
	e.judge.state(c, all)
	return c.Bytes()
}

func (e *Engine) saved() {
	for _, s := range e.series {
		s.changed = false
	}
	for _, a := range e.assemblies {
		a.changed = false
	}
	for _, d := range e.drivers {
		d.changed = false
	}
}

func (j *judge) saved() {
	for _, s := range j.series {
		s.changed = false
	}
}

// Restore replaces the state by what Snapshot wrote, then by what Changes wrote
// after it, in order. After an error the Engine is as before.
func (e *Engine) Restore(whole []byte, changes ...[]byte) error {
	fresh, err := NewEngine(e.c)
	if err != nil {
		return err
	}
	if err := decode(whole, fresh); err != nil {
		return err
	}
	for _, b := range changes {
		c := snapshot.NewDecoder(b)
		fresh.state(c, false)
		fresh.judge.state(c, false)
		if err := c.Finish(); err != nil {
			return err
		}
	}
	fresh.Saved()
	*e = *fresh
	return nil
}

// State saves or restores everything that later results depend on. Restoring
// needs a new Engine; see Restore.
func (e *Engine) State(c *snapshot.Codec) {
	if c.Decoding() && (e.next != 0 || len(e.series) > 0) {
		panic("stream: State restores into a new Engine only")
	}
	e.state(c, true)
	e.judge.state(c, true)
}

// state transfers all series, or those that have changed, each with its place in
// the order of appearance: a whole state has the changes to that of a new Engine.
func (e *Engine) state(c *snapshot.Codec, all bool) {
	c.Section("engine")
	c.Int64(&e.next)
	if c.Err() == nil && e.next < 0 {
		c.Fail("negative offset")
	}
	c.Int64(&e.samples)
	c.Int64(&e.pooled)
	e.sharedState(c)
	transferSome(c, e.series, all, e.c.MaxSeries, e.seriesState)
	if e.c.Assembly != nil {
		c.Section("assembly")
		transferSome(c, e.assemblies, all, e.c.MaxSeries, e.assemblyState)
	}
	if len(e.c.Exogenous) > 0 {
		c.Section("inputs")
		transferSome(c, e.drivers, all, e.c.MaxSeries, e.driversState)
	}
}

// transferSome transfers those in list that have changed, or all: their number, and
// for each its place and what state transfers of it. A place behind the last is a
// new one.
func transferSome[T interface{ hasChanged() bool }](c *snapshot.Codec, list []T, all bool, limit int, state func(c *snapshot.Codec, i int)) {
	n := 0
	for _, v := range list {
		if all || v.hasChanged() {
			n++
		}
	}
	c.Len(&n, limit)
	for i := 0; n > 0 && c.Err() == nil; i++ {
		if !c.Decoding() && !all && !list[i].hasChanged() {
			continue
		}
		at := i
		c.Index(&at, limit)
		if at < i {
			c.Fail("places that do not ascend")
			return
		}
		i = at
		state(c, i)
		n--
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
				return
			}
			if len(e.shared) <= i || e.shared[i].dim != dim {
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
	if c.Decoding() && !e.restoreSeries(c, i, name, names) {
		return
	}
	s := e.series[i]
	if e.c.Scope == PerSeries {
		s.weights.state(c)
	}
	s.state(c)
	e.namesState(c, &s.candidate)
}

// restoreSeries makes the i-th series anew, to be filled in. It reports whether it
// could; if not c has the reason.
func (e *Engine) restoreSeries(c *snapshot.Codec, i int, name string, names []string) bool {
	if c.Err() != nil {
		return false
	}
	known := e.byName[name]
	if len(names) == 0 || i > len(e.series) || known != nil && (i == len(e.series) || known != e.series[i]) || known == nil && i < len(e.series) {
		c.Fail("series %q twice, in another place or without variables", name)
		return false
	}
	shared := len(e.shared)
	s, err := e.newSeries(i, name, newVariables(names))
	switch {
	case err != nil:
		c.Fail("%v", err)
		return false
	case len(e.shared) != shared:
		c.Fail("series %q has no shared model", name)
		return false
	}
	if i == len(e.series) {
		e.series, e.judge.series = append(e.series, nil), append(e.judge.series, nil)
	} else if old := e.series[i].judged; slices.Equal(old.info.Variables, names) {
		s.info, s.judged = old.info, old // the judge may have no news of it
	}
	e.series[i], e.judge.series[i] = s, s.judged
	e.byName[name] = s
	return true
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
	s.model.State(c)
	c.Int(&s.agreed)
	c.Blob(&s.good, maxModelBytes)
}
