package faultsim

import (
	"bytes"
	"context"
	"slices"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/streamtest"
)

// contents holds the contents of a sink: the last value of each point, and the reason of each dead letter.
type contents struct {
	points, letters map[string]string
	rejected        map[string]string // points that the database refused in a request of their own
}

func newContents() contents {
	return contents{points: make(map[string]string), letters: make(map[string]string), rejected: make(map[string]string)}
}

// splitLine splits a line into the key of the point (measurement, tags and time) and its fields.
func splitLine(line []byte) (key, fields string) {
	line = bytes.TrimSuffix(line, []byte("\n"))
	i, j := bytes.IndexByte(line, ' '), bytes.LastIndexByte(line, ' ')
	for line[i-1] == '\\' { // in the name of a series
		i += 1 + bytes.IndexByte(line[i+1:], ' ')
	}
	return string(line[:i]) + string(line[j:]), string(line[i:j])
}

// apply writes lines into the sink.
func (s *sim) apply(lines []byte) {
	for line := range bytes.Lines(lines) {
		key, value := splitLine(line)
		if want, ok := s.want.points[key]; (!ok || want != value) && s.mixed() {
			continue
		} else if !ok || want != value {
			s.fail("the sink got %s%s, want%s", key, value, want)
			return
		}
		if _, ok := s.have.points[key]; !ok && s.db.forgets {
			s.db.recent[key] = true
		}
		s.have.points[key] = value
	}
}

// rejected records a point that the database refused in a request of its own.
func (s *sim) rejected(l *stream.DeadLetter) {
	key, value := splitLine(append(slices.Clip(l.Message.Value), '\n'))
	if want, ok := s.want.points[key]; (!ok || want != value || !s.excluded(key)) && !s.mixed() {
		s.fail("a point that the database takes is a dead letter: %s%s (%s)", key, value, l.Detail)
		return
	}
	s.have.rejected[key] = value
}

// missing returns the number of missing points. Points of excluded series belong to the rejected points, all other
// points to the database.
func (s *sim) missing() (n int) {
	for key := range s.want.points {
		kept := s.have.points
		if s.excluded(key) {
			kept = s.have.rejected
		}
		if _, ok := kept[key]; !ok {
			n++
		}
	}
	return n
}

func (s *sim) letter(l *stream.DeadLetter) {
	origin := l.Message.Origin()
	if want, ok := s.want.letters[origin]; (!ok || want != l.Detail) && s.mixed() {
		return
	} else if !ok || want != l.Detail {
		s.fail("a dead letter of %s: %s, want %q", origin, l.Detail, want)
		return
	}
	s.have.letters[origin] = l.Detail
}

// check compares the outcome of the run with the oracle.
func (s *sim) check() {
	for _, p := range s.parts {
		m := &member{alive: true}
		w := &worker{sim: s, m: m, p: p, generation: s.group.generation}
		var store checkpoint.Store = newTopicStore(w)
		if s.local {
			store = newDiskStore(w)
		}
		if _, ok := p.snapshots[foreignID+"/0"]; !ok && !s.local && p.manifests != nil && s.change.kind != Growth {
			s.fail("partition %d: the checkpoint of another group was removed", p.number)
		}
		s.current = &task{m: m, yield: func(struct{}) bool { return true }}
		next, state, err := s.restored(store)
		if s.change.kind != "" {
			s.checkChanged(p, next, state, err)
			continue
		}
		switch {
		case err != nil:
			s.fail("partition %d: %v", p.number, err)
		case next == int64(len(p.log)) && !bytes.Equal(state, p.state):
			s.fail("partition %d: the state differs from that of a run without failures", p.number)
		case next != int64(len(p.log)) && (s.local || p.committed.current.next == next):
			s.fail("partition %d: the last checkpoint is at %d of %d", p.number, next, len(p.log))
		}
	}
	if s.change.kind != "" {
		return // the rest was not to be processed
	}
	if n := s.missing(); n > 0 {
		s.fail("%d of %d points are missing", n, len(s.want.points))
	}
	for _, p := range s.parts {
		if s.files {
			s.checkFile(p)
		}
	}
	if n, want := len(s.have.letters), len(s.want.letters); n != want {
		s.fail("there are %d dead letters, want %d", n, want)
	}
}

// restored returns the state of the last checkpoint and its offset.
func (s *sim) restored(store checkpoint.Store) (next int64, state []byte, err error) {
	list, err := store.Load(context.Background())
	if err != nil {
		return 0, nil, err
	}
	e, err := engine.New(s.engine)
	if err != nil {
		return 0, nil, err
	}
	var changes []checkpoint.State
	for _, c := range list[1:] {
		changes = append(changes, c.State)
	}
	err = e.Restore(list[0].State, changes...)
	return list[len(list)-1].Next, streamtest.Snapshot(e), err
}
