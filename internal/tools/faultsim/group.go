package faultsim

import (
	"context"
	"errors"

	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/run"
)

// group is the coordinator of the consumer group. A rebalance asks all members to finish and to join again. A member
// that does not join within a session is expelled.
type group struct {
	generation int
	preparing  bool
	members    []*member // by order of joining
}

// accepts reports whether a commit of w belongs to the present generation. The old generation may commit until the new
// generation begins.
func (g *group) accepts(w *worker) bool {
	if w.generation != g.generation {
		return false
	}
	for _, m := range g.members {
		if m == w.m {
			return true
		}
	}
	return false
}

// session is the number of steps without a heartbeat after which a member is expelled. drain is the number of steps
// after which a member gives up the hand-over.
const (
	session = 300
	drain   = 150
)

// member is a process. It ends by a crash or in order. A restarted process is a new member.
type member struct {
	name       int
	partitions int  // number of partitions of the topic at its start
	ahead      bool // true: its clock is ahead
	alive      bool
	pausedTill int // step at which a pause ends
	seen       int // step of the last heartbeat
	joined     bool
	leaving    bool
	revoked    bool // true: its workers were asked to finish
	revokedAt  int
	workers    []*worker
}

func (m *member) running() bool { return len(m.workers) > 0 }

// tick advances the group by one step.
func (s *sim) tick() {
	g := &s.group
	for _, m := range s.members {
		inGroup := s.inGroup(m)
		awake := m.alive && m.pausedTill <= s.step
		if awake && !(m.revoked && m.running()) {
			m.seen = s.step
		}
		if inGroup && !m.joined && s.step-m.seen > session {
			s.leave(m, "expelled")
		}
		if awake && m.running() && !m.revoked && (g.preparing || !inGroup || m.leaving) && s.rng.IntN(10) == 0 {
			s.revoke(m)
		}
		if awake && !m.running() && !m.joined {
			switch {
			case m.leaving:
				if inGroup {
					s.leave(m, "left")
				}
				m.alive = false
			case !inGroup || m.revoked || g.preparing: // else it has no partition
				s.join(m)
			}
		}
	}
	if !g.preparing || len(g.members) == 0 {
		return
	}
	for _, m := range g.members {
		if !m.joined {
			return
		}
	}
	s.begin()
}

func (s *sim) inGroup(m *member) bool {
	for _, o := range s.group.members {
		if o == m {
			return true
		}
	}
	return false
}

func (s *sim) join(m *member) {
	if !s.inGroup(m) {
		s.group.members = append(s.group.members, m)
	}
	m.joined = true
	s.group.preparing = true
	s.trace("member %d joins", m.name)
}

func (s *sim) leave(m *member, how string) {
	for i, o := range s.group.members {
		if o == m {
			s.group.members = append(s.group.members[:i:i], s.group.members[i+1:]...)
		}
	}
	s.group.preparing = true
	m.joined = false
	s.trace("member %d has %s", m.name, how)
}

func (s *sim) revoke(m *member) {
	m.revoked, m.revokedAt = true, s.step
	s.trace("member %d is to hand over", m.name)
}

// begin starts the next generation.
func (s *sim) begin() {
	g := &s.group
	g.generation++
	g.preparing = false
	s.result.Generations++
	for _, m := range g.members {
		m.joined, m.revoked = false, false
	}
	for _, m := range g.members {
		if m.alive && s.refused(m) {
			s.quit(m, errGrown) // what it is assigned shows it
		}
	}
	shift := s.rng.IntN(len(g.members))
	for i, p := range s.parts {
		m := g.members[(i+shift)%len(g.members)]
		s.trace("generation %d: partition %d goes to member %d", g.generation, p.number, m.name)
		if m.alive { // nobody knows yet that it is not
			s.work(m, p)
		}
	}
}

// worker processes a partition during a generation, with two coroutines like the
// two goroutines of run.Runner.
type worker struct {
	sim        *sim
	m          *member
	p          *partition
	generation int
	driver     *run.Driver
	db         *connection
	ctx        context.Context
	cancel     context.CancelCauseFunc
	position   int  // offset of the next message of the source
	idle       bool // nothing is read that is not delivered
	doubtful   bool // the log may have been replaced since the last message was read
	witness    checkpoint.Witness

	decoded    engine.Decoded
	free, full []*engine.Results
	readDone   bool
	saved      bool // the state behind a batch, that swap waits for
	writeDone  bool
}

func (s *sim) work(m *member, p *partition) {
	w := &worker{sim: s, m: m, p: p, generation: s.group.generation, position: p.start}
	w.ctx, w.cancel = context.WithCancelCause(context.Background())
	w.db = w.connect()
	sinks := outputs{w.db}
	if s.files {
		sinks = append(sinks, fileSink{w})
	}
	config := p.named(s.engine)
	if s.o.Bug == WallClock && m.ahead {
		config.NewModel = ahead(config.NewModel)
	}
	e, err := engine.New(config)
	if err != nil {
		s.fail("%v", err)
		return
	}
	c := run.Config{
		Source: source{w}, Decoder: decoder(), Engine: e, Sink: sinks, DeadLetters: letters{w},
		Settings: m.settings(), BatchPoints: s.batchPoints, CheckpointRecords: int64(s.checkpointRecords),
	}
	if s.local {
		c.Store = newDiskStore(w)
	} else {
		c.Store = newTopicStore(w)
	}
	if w.driver, err = run.NewDriver(c); err != nil {
		s.fail("%v", err)
		return
	}
	m.workers = append(m.workers, w)
	w.free = []*engine.Results{new(engine.Results), new(engine.Results)}
	s.spawn(m, func() {
		err := w.read()
		w.readDone = true
		w.ended(err)
	})
	s.spawn(m, func() {
		err := w.write()
		w.writeDone = true
		w.ended(err)
	})
}

// ended is called when read or write of w ends with err.
func (w *worker) ended(err error) {
	s := w.sim
	switch {
	case err == nil, errors.Is(err, errKilled):
	case errors.Is(err, errFenced), errors.Is(err, errDrain):
		// The generation of the member is over, and all its work is void: the member joins
		// again.
		s.trace("member %d, partition %d: %v", w.m.name, w.p.number, err)
		if !w.m.revoked {
			s.revoke(w.m)
		}
	case errors.Is(err, errClock):
		s.trace("member %d ends: %v", w.m.name, err)
		w.m.alive, w.m.workers = false, nil
	case s.change.kind != "" && (errors.Is(err, errReplaced) || errors.Is(err, errGrown) || errors.As(err, new(*checkpoint.SettingsError))):
		s.quit(w.m, err)
	default:
		s.fail("member %d, partition %d: %v", w.m.name, w.p.number, err)
	}
	if w.readDone && w.writeDone {
		_ = w.db.Close() // never fails
		fileSink{w}.unlock()
		for i, o := range w.m.workers {
			if o == w {
				w.m.workers = append(w.m.workers[:i:i], w.m.workers[i+1:]...)
			}
		}
	}
}

// giveUp reports whether the time for the hand-over has passed.
func (w *worker) giveUp() bool { return w.m.revoked && w.sim.step-w.m.revokedAt > drain }

// read is the loop of run.Runner.read.
func (w *worker) read() error {
	s := w.sim
	if s.files {
		if err := (fileSink{w}).lock(); err != nil {
			return err
		}
	}
	if err := w.driver.Resume(context.Background()); err != nil {
		return err
	}
	b := w.take()
	for b != nil {
		if !s.yield() {
			return errKilled
		}
		if s.change.kind == Growth && s.rng.IntN(20) == 0 && s.refused(w.m) {
			return errGrown // the watcher has looked
		}
		if w.position > w.p.end {
			return errReplaced
		}
		if w.position < w.p.start {
			if !s.group.accepts(w) {
				return errFenced // a zombie so old that retention has overtaken it
			}
			s.fail("partition %d: retention has reached the reader at %d", w.p.number, w.position)
		}
		stable := w.p.stable(s.o.Bug)
		if stable < w.position && s.change.kind == "" {
			s.fail("partition %d: the reader is at %d, beyond the open transaction at %d", w.p.number, w.position, stable)
			return errKilled
		}
		waiting := w.p.log[w.position:max(stable, w.position)]
		if s.o.Bug == OpenSkipped && len(waiting) == 0 && stable < w.p.end {
			w.position = w.p.end
			continue
		}
		n := min(len(waiting), 1+s.rng.IntN(5))
		w.idle = n == 0 && b.Records == 0 && len(w.free) == 1
		if n == 0 {
			w.doubtful = true
			if s.o.Bug == HashCleared {
				w.witness = checkpoint.Witness{}
			}
		}
		if w.doubtful && n > 0 || n == 0 && s.rng.IntN(20) == 0 {
			if err := w.verify(); err != nil {
				return err
			}
			w.doubtful = false
		}
		end := w.m.revoked && s.rng.IntN(3) == 0
		if n == 0 && !end && (!w.driver.Unsaved() || s.rng.IntN(20) != 0) {
			continue
		}
		w.idle = false
		for i := range n {
			w.position++
			if w.p.skipped(w.position-1) && s.o.Bug != AbortedLearnt {
				continue
			}
			w.witness.Saw(waiting[i].Mark())
			w.decoded.Reset()
			w.driver.Decode(&w.decoded, &waiting[i])
			full, err := w.driver.Learn(b, &w.decoded, 0)
			if err != nil {
				return err
			}
			if full {
				if b, err = w.swap(b); b == nil {
					return err
				}
			}
		}
		if end || s.rng.IntN(s.checkpointEvery) == 0 {
			if err := w.driver.Checkpoint(b); err != nil {
				return err
			}
		}
		if b.Checkpoint || b.Records > 0 && (end || n == len(waiting)) {
			var err error
			if b, err = w.swap(b); err != nil {
				return err
			}
		}
		if end {
			return nil
		}
	}
	return nil
}

// take returns an empty batch, or nil when the writer has ended.
func (w *worker) take() *engine.Results {
	for len(w.free) == 0 {
		if w.writeDone || !w.sim.yield() {
			return nil
		}
	}
	b := w.free[0]
	w.free = w.free[1:]
	return b
}

// swap hands b over, waits until the state is saved if b asks for that, and returns an empty
// batch, or nil when the writer has ended.
func (w *worker) swap(b *engine.Results) (*engine.Results, error) {
	if err := w.driver.Settle(b); err != nil {
		return nil, err
	}
	for len(w.full) > 0 { // the channel has no buffer
		if w.writeDone || !w.sim.yield() {
			return nil, nil
		}
	}
	saving := b.Checkpoint
	w.full = append(w.full, b)
	for saving && !w.saved {
		if w.writeDone || !w.sim.yield() {
			return nil, nil
		}
	}
	w.saved = false
	return w.take(), nil
}

// write is the loop of run.Runner.write.
func (w *worker) write() error {
	for {
		for len(w.full) == 0 {
			if w.readDone {
				return nil
			}
			if !w.sim.yield() {
				return errKilled
			}
			if w.sim.db.forgets && w.sim.rng.IntN(20) == 0 {
				w.db.Confirm() // what its timer does when nothing is written
			}
		}
		b := w.full[0]
		w.full = w.full[:0]
		if err := w.driver.Score(b); err != nil {
			return err
		}
		if err := w.driver.Deliver(w.ctx, b, func(run.Stage) {}); err != nil {
			return err
		}
		w.saved = b.Checkpoint
		b.Reset()
		w.free = append(w.free, b)
	}
}

// effect lets others go on, then does something that others can see, unless the
// worker is killed before.
func (w *worker) effect(what string, do func() error) error {
	s := w.sim
	if !s.yield() || !w.m.alive {
		return errKilled
	}
	s.result.Effects++
	crash := s.result.Effects == s.o.CrashAt
	if crash && !s.o.CrashAfter {
		s.crash(w.m)
		return errKilled
	}
	err := do()
	if err == nil {
		s.trace("member %d, partition %d: %s", w.m.name, w.p.number, what)
	} else {
		s.trace("member %d, partition %d: %s: %v", w.m.name, w.p.number, what, err)
	}
	if crash {
		s.crash(w.m)
		return errKilled
	}
	return err
}
