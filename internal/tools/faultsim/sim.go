package faultsim

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/stream/engine"
)

// Options describes a simulation.
type Options struct {
	// Seed determines all random choices: the log, the number of partitions and members, the kind of store, the order
	// of all steps, and the failures.
	Seed uint64

	// Bug is the planted bug; "": none.
	Bug Bug

	// CrashAt, if positive, is the number of the effect at which the process crashes: after the effect if CrashAfter,
	// else before it. The simulation then has one member and no other failures.
	CrashAt    int
	CrashAfter bool

	// Calm: no failures. Only, unless empty: failures of one kind only, but more often.
	Calm bool
	Only Fault

	// NewModel returns the model, see engine.Config; nil: the cheap model.
	NewModel func(dim int) (eval.Model, error)

	// Trace receives a line per effect; nil: no trace.
	Trace io.Writer
}

// Result holds the outcome and the counts of a run.
type Result struct {
	Err error // first difference from the oracle; nil: none

	Steps, Effects                       int
	Points, Letters                      int // in the sink at the end
	Generations, Crashes, Pauses, Fenced int
	Changes                              int // checkpoints of changed series only
	Damaged                              int // checkpoints that could not be read
	Removed                              int // records removed by retention
	Expired                              int // commits forgotten by the group
	Changed                              int // topics that were replaced, or got another partition
	Partial                              int // requests from which the database dropped points
	Forgotten                            int // kills of a database that forgets
	Ahead                                int // processes with a clock that is ahead
}

// sim is the state of a running simulation.
type sim struct {
	o      Options
	rng    *rand.Rand
	engine engine.Config
	result Result

	local             bool // true: a single process with a disk; false: a group
	maxMembers        int
	batchPoints       int
	checkpointRecords int
	checkpointEvery   int // mean number of readings between two checkpoints by time
	lastFault         int // step after which there are no more failures

	step    int
	serial  int
	parts   []*partition
	members []*member
	group   group
	tasks   []*task
	current *task

	want, have contents
	db         database

	connections []*connection // all connections ever opened
	files       bool          // true: partitions also write files

	change  change // change of the topic
	noticed bool   // true: a process has noticed the change
}

// maxSteps is the limit of steps, far more than any run needs.
const maxSteps = 100_000

// Run runs one simulation.
func Run(o Options) Result {
	s := &sim{o: o, rng: rand.New(rand.NewPCG(o.Seed, 0x5eed)), engine: engineConfig(&o), want: newContents(), have: newContents()}
	s.draw()
	for _, p := range s.parts {
		if err := p.oracle(s.engine, s.o.Seed, &s.want); err != nil {
			return Result{Err: err}
		}
	}
	for !s.finished() && s.result.Err == nil {
		if s.step++; s.step > maxSteps {
			s.stuck()
			break
		}
		s.events()
		s.tick()
		s.advance()
	}
	for _, t := range s.tasks {
		s.current = t
		t.stop()
	}
	for _, c := range s.connections {
		_ = c.Close() // never fails; a timer would keep it
	}
	effects := s.result.Effects
	if s.result.Err == nil {
		s.o.CrashAt = 0
		s.check()
	}
	s.result.Steps, s.result.Effects = s.step, effects
	s.result.Points, s.result.Letters = len(s.have.points), len(s.have.letters)
	return s.result
}

// draw draws the properties of the simulation from the seed.
func (s *sim) draw() {
	r := s.rng
	s.local = r.IntN(3) == 0
	switch s.o.Bug {
	case NoSync:
		s.local = true
	case MutableKey, ForeignSnapshot:
		s.local = false
	}
	s.maxMembers = 1
	if !s.local && !s.quiet() {
		s.maxMembers = 1 + r.IntN(4)
	}
	s.batchPoints = 5 + r.IntN(100)
	if r.IntN(2) == 0 {
		s.checkpointRecords = 3 + r.IntN(20)
	}
	s.checkpointEvery = 2 + r.IntN(20)
	s.lastFault = 1000 + r.IntN(3000)
	if s.quiet() {
		s.lastFault = 0
	}
	if r.IntN(2) == 0 {
		s.engine.Interval, s.engine.MaxGap = time.Second, 3
	}
	transactions := r.IntN(3) == 0 && (s.o.Only == "" || s.o.Only == Stalls)
	for i := range 1 + r.IntN(3) {
		p := newPartition(r, i, 20+r.IntN(60))
		if transactions {
			p.drawTransactions(r)
		}
		s.parts = append(s.parts, p)
	}
	s.drawDatabase()
	s.files = r.IntN(3) == 0
	if !s.local {
		for _, p := range s.parts {
			s.foreign(p)
		}
	}
}

// quiet reports whether there are no random failures.
func (s *sim) quiet() bool { return s.o.Calm || s.o.CrashAt > 0 }

// chance returns true with probability 1/n while failures of a kind are allowed, with Only at least 1/n.
func (s *sim) chance(kind Fault, n int) bool {
	switch s.o.Only {
	case "":
	case kind:
		n = max(2, n/4)
	default:
		return false
	}
	return s.step < s.lastFault && s.rng.IntN(n) == 0
}

func (s *sim) unique() int {
	s.serial++
	return s.serial
}

// task is a coroutine.
type task struct {
	m     *member
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
}

func (s *sim) spawn(m *member, body func()) {
	t := &task{m: m}
	t.next, t.stop = iter.Pull(func(yield func(struct{}) bool) {
		t.yield = yield
		body()
	})
	s.tasks = append(s.tasks, t)
}

// yield lets other coroutines run. The result is false if the caller was killed.
func (s *sim) yield() bool {
	t := s.current
	ok := t.yield(struct{}{})
	return ok && t.m.alive
}

// advance runs one coroutine up to its next effect.
func (s *sim) advance() {
	s.tasks = slices.DeleteFunc(s.tasks, func(t *task) bool {
		if t.m.alive {
			return false
		}
		s.current = t
		t.stop() // the coroutine returns errKilled from its present effect
		return true
	})
	var able []*task
	for _, t := range s.tasks {
		if t.m.pausedTill <= s.step {
			able = append(able, t)
		}
	}
	if len(able) == 0 {
		return
	}
	t := able[s.rng.IntN(len(able))]
	s.current = t
	if _, more := t.next(); !more {
		s.tasks = slices.DeleteFunc(s.tasks, func(o *task) bool { return o == t })
	}
}

// events draws the external events of one step.
func (s *sim) events() {
	alive := 0
	for _, m := range s.members {
		if m.alive && (!m.leaving || s.local) { // a local store has one user
			alive++
		}
	}
	for _, p := range s.parts {
		if p.end < len(p.log) && (s.rng.IntN(30) == 0 || s.quiet()) {
			p.end = min(len(p.log), p.end+1+s.rng.IntN(4))
		}
		s.transactionEvents(p)
	}
	if s.noticed {
		// Whoever starts would end again.
	} else if alive == 0 && (s.step >= s.lastFault || s.rng.IntN(100) == 0) || alive < s.maxMembers && s.chance(Rebalances, 200) {
		s.start()
	}
	if len(s.db.delayed) > 0 && s.rng.IntN(60) == 0 {
		s.land(s.rng.IntN(len(s.db.delayed)))
	}
	if s.step >= s.lastFault {
		for _, m := range s.members {
			m.pausedTill = 0
		}
		return
	}
	s.databaseEvents()
	s.topicEvents()
	for _, p := range s.parts {
		if s.chance(Retention, 200) && s.change.kind == "" {
			s.retain(p)
		}
		if s.chance(Damage, 1000) {
			s.damage(p)
		}
	}
	for _, m := range s.members {
		switch {
		case !m.alive || m.pausedTill > s.step:
		case s.chance(Crashes, 500):
			s.crash(m)
		case s.chance(Pauses, 400):
			m.pausedTill = s.step + s.rng.IntN(3*session)
			s.result.Pauses++
			s.trace("member %d freezes", m.name)
		case s.chance(Rebalances, 800):
			m.leaving = true
			s.trace("member %d is asked to stop", m.name)
		}
	}
	if s.chance(Rebalances, 600) {
		s.group.preparing = s.group.generation > 0
	}
}

// start starts a new process.
func (s *sim) start() {
	m := &member{name: s.unique(), alive: true, seen: s.step, partitions: s.partitionsKnown()}
	if m.ahead = !s.local && s.chance(Clocks, 6); m.ahead {
		s.result.Ahead++
	}
	s.members = append(s.members, m)
	s.trace("member %d starts", m.name)
	if s.refused(m) {
		s.quit(m, errGrown)
	}
}

// crash ends a process at once. Its coroutines end when they run next.
func (s *sim) crash(m *member) {
	m.alive = false
	m.workers = nil
	s.result.Crashes++
	power := s.local && s.rng.IntN(2) == 0
	s.trace("member %d crashes, power failure = %v", m.name, power)
	if power {
		for _, p := range s.parts {
			p.disk.powerFailure(s.rng)
			p.file.cut(s.rng)
		}
	}
}

// retain removes records that no checkpoint needs.
func (s *sim) retain(p *partition) {
	if floor := int(p.committed.previous.next); floor > p.start {
		n := 1 + s.rng.IntN(floor-p.start)
		p.start += n
		s.result.Removed += n
		s.trace("partition %d begins at %d", p.number, p.start)
	}
}

// damage removes a chunk of the snapshot in use, if the snapshot before it is intact.
func (s *sim) damage(p *partition) {
	c := &p.committed
	if s.local || c.previous.id == "" || c.previous.next < int64(p.start) || s.o.Bug == MutableKey {
		return
	}
	for k := range c.previous.chunks {
		if _, ok := p.snapshots[fmt.Sprintf("%s/%d", c.previous.id, k)]; !ok {
			return
		}
	}
	key := fmt.Sprintf("%s/%d", c.current.id, s.rng.IntN(c.current.chunks))
	delete(p.snapshots, key)
	p.damaged[key] = true
	s.trace("partition %d: a chunk of %s is gone", p.number, c.current.id)
}

// land applies the delayed write with index i.
func (s *sim) land(i int) {
	s.trace("a delayed write arrives")
	s.accept(s.db.delayed[i])
	s.db.delayed = slices.Delete(s.db.delayed, i, i+1)
}

// finished reports whether all messages are processed and committed, and there are no more failures.
func (s *sim) finished() bool {
	if s.over() {
		return true
	}
	if s.step < s.lastFault || s.change.kind != "" {
		return false
	}
	for _, p := range s.parts {
		// What was saved and not committed before a crash stays so until there
		// is more: a local store needs no commit, nor a group that has forgotten its own.
		if !s.saved(p) || s.files && len(p.file.bytes) < p.fileSize { // a process without its checkpoint writes again
			return false
		}
	}
	// A zombie is awake again, and has to notice that its generation is over.
	for _, m := range s.members {
		for _, w := range m.workers {
			if w.generation != s.group.generation {
				return false
			}
		}
	}
	return len(s.db.delayed) == 0 && (!s.db.forgets || s.step%50 == 0 && s.missing() == 0)
}

// stuck fails the simulation, and reports the missing points.
func (s *sim) stuck() {
	var at []string
	for _, p := range s.parts {
		at = append(at, fmt.Sprintf("partition %d is committed up to %d of %d", p.number, p.committed.next, len(p.log)))
	}
	for _, m := range s.members {
		for _, w := range m.workers {
			at = append(at, fmt.Sprintf("member %d (alive %v, revoked %v) works on partition %d in generation %d: read %v, written %v",
				m.name, m.alive, m.revoked, w.p.number, w.generation, w.readDone, w.writeDone))
		}
	}
	s.fail("no progress: %d points are missing, %s", s.missing(), strings.Join(at, ", "))
}

// saved reports whether the last checkpoint covers the whole log.
func (s *sim) saved(p *partition) bool {
	if !s.local && p.committed.next >= 0 || p.committed.next == int64(len(p.log)) {
		return p.committed.next == int64(len(p.log))
	}
	for _, m := range s.members {
		for _, w := range m.workers {
			if w.p == p && w.idle && w.position == len(p.log) && !w.driver.Unsaved() {
				return true
			}
		}
	}
	return false
}

// fail records a failure. The first failure wins.
func (s *sim) fail(format string, args ...any) {
	if s.result.Err == nil {
		s.result.Err = fmt.Errorf("step %d: "+format, append([]any{s.step}, args...)...)
		s.trace("%v", s.result.Err)
	}
}

func (s *sim) trace(format string, args ...any) {
	if s.o.Trace != nil {
		_, err := fmt.Fprintf(s.o.Trace, "%6d "+format+"\n", append([]any{s.step}, args...)...)
		if err != nil && !errors.Is(err, io.ErrClosedPipe) {
			s.o.Trace = nil
		}
	}
}
