package stream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// RunnerConfig says what a Runner connects. Source, Decoder, Engine and Sink are
// required.
type RunnerConfig struct {
	Source  Source
	Decoder Decoder
	Engine  *Engine // new: the Runner restores it
	Sink    Sink

	// DeadLetters keeps what could not be used; nil means that it is only
	// counted. Letters for one of the reasons in Drop are only counted, too.
	DeadLetters DeadLetters
	Drop        []Reason

	// Store keeps the checkpoints; nil means that there are none and that
	// nothing is committed. Fingerprint is that of the configuration and the
	// build: a checkpoint with another one is refused.
	Store       Store
	Fingerprint string

	// CheckpointEvery is the time between two checkpoints; 0 means 10 s.
	// CheckpointRecords is the number of records after which one is due in any
	// case; 0 means that only time counts. There is always one at the end.
	CheckpointEvery   time.Duration
	CheckpointRecords int64

	// BatchPoints and BatchBytes are the sizes at which a batch is full; 0
	// means 5,000 points and 8 MiB. A single record may exceed them.
	BatchPoints int
	BatchBytes  int

	// DrainTimeout is the time that the last batch may take after the context
	// of Run has ended; 0 means 10 s.
	DrainTimeout time.Duration
}

// readSize is the number of messages asked of the source at once.
const readSize = 256

// Runner runs one partition with two goroutines. The one that called Run reads,
// decodes and owns the engine; the other one writes. Two batches circulate
// between them: handing one over is the back-pressure, and all that they share.
//
//	source -> decode, Engine.Apply -> batch -> sink, dead letters, checkpoint, commit
//
// A checkpoint travels in the batch whose points it covers and is stored only
// after these were accepted. Therefore what a restart repeats are points that
// were written before, with the same values.
type Runner struct {
	c       RunnerConfig
	started atomic.Bool

	mu    sync.Mutex
	stats Stats
}

// NewRunner returns a Runner that has not started.
func NewRunner(c RunnerConfig) (*Runner, error) {
	if c.Source == nil || c.Decoder == nil || c.Engine == nil || c.Sink == nil {
		return nil, errors.New("stream: a Runner needs a Source, a Decoder, an Engine and a Sink")
	}
	if c.CheckpointEvery < 0 || c.CheckpointRecords < 0 || c.BatchPoints < 0 || c.BatchBytes < 0 || c.DrainTimeout < 0 {
		return nil, errors.New("stream: a negative limit in RunnerConfig")
	}
	c.CheckpointEvery = cmp.Or(c.CheckpointEvery, 10*time.Second)
	c.BatchPoints = cmp.Or(c.BatchPoints, 5000)
	c.BatchBytes = cmp.Or(c.BatchBytes, 8<<20)
	c.DrainTimeout = cmp.Or(c.DrainTimeout, 10*time.Second)
	if c.DeadLetters == nil {
		c.DeadLetters = Discard{}
	}
	return &Runner{c: c, stats: Stats{DeadLetters: make(map[Reason]int64), CheckpointTime: time.Now()}}, nil
}

// Run resumes from the Store and works until the source ends, ctx ends, or
// something fails for good. When ctx ends, what was read is still written and a
// checkpoint taken. It returns nil after either kind of orderly end. Run closes
// nothing and can be called once.
func (r *Runner) Run(ctx context.Context) error {
	if r.started.Swap(true) {
		return errors.New("stream: a Runner runs once")
	}
	if err := r.resume(ctx); err != nil {
		return err
	}

	// The writer outlives ctx by DrainTimeout; the reader ends with either.
	writing, giveUp := context.WithCancelCause(context.WithoutCancel(ctx))
	defer giveUp(nil)
	stop := context.AfterFunc(ctx, func() {
		t := time.AfterFunc(r.c.DrainTimeout, func() { giveUp(errDrain) })
		context.AfterFunc(writing, func() { t.Stop() })
	})
	defer stop()
	reading, stopReading := context.WithCancel(ctx)
	defer stopReading()

	p := &pipe{free: make(chan *Batch, 2), full: make(chan *Batch), done: make(chan struct{})}
	p.free <- new(Batch)
	p.free <- new(Batch)
	var writeErr error
	go func() {
		defer close(p.done)
		defer stopReading()
		writeErr = r.write(writing, p)
	}()
	readErr := r.read(reading, p)
	close(p.full)
	<-p.done

	if writeErr != nil && errors.Is(context.Cause(writing), errDrain) {
		writeErr = fmt.Errorf("%w: %w", errDrain, writeErr)
	}
	return errors.Join(readErr, writeErr)
}

var errDrain = errors.New("stream: stopped before all that was read was written; the next start resumes from the last checkpoint")

// resume brings everything to the last checkpoint.
func (r *Runner) resume(ctx context.Context) error {
	var c Checkpoint
	if r.c.Store != nil {
		var err error
		c, err = r.c.Store.Load(ctx)
		found := !errors.Is(err, ErrNoCheckpoint)
		switch {
		case found && err != nil:
			return fmt.Errorf("stream: load the checkpoint: %w", err)
		case found:
			if err := r.restore(ctx, &c); err != nil {
				return err
			}
		}
	}
	for _, edge := range []struct {
		what     any
		position []byte
	}{{r.c.Sink, c.Sink}, {r.c.DeadLetters, c.DeadLetters}} {
		if p, ok := edge.what.(Positioner); ok {
			if err := p.Resume(edge.position); err != nil {
				return fmt.Errorf("stream: resume the output: %w", err)
			}
		}
	}
	return nil
}

func (r *Runner) restore(ctx context.Context, c *Checkpoint) error {
	if c.Fingerprint != r.c.Fingerprint {
		return &FingerprintError{Checkpoint: c.Fingerprint, Current: r.c.Fingerprint}
	}
	if err := r.c.Engine.Restore(c.State); err != nil {
		return fmt.Errorf("stream: restore the engine: %w", err)
	}
	if n := r.c.Engine.Next(); n != c.Next {
		return fmt.Errorf("%w: its state is that of offset %d, not %d", ErrCorrupt, n, c.Next)
	}
	if s, ok := r.c.Source.(Seeker); ok {
		if err := s.Seek(ctx, c.Next); err != nil {
			return fmt.Errorf("stream: go to offset %d of the source: %w", c.Next, err)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stats.Next = c.Next
	r.stats.Series = int64(r.c.Engine.NumSeries())
	return nil
}

// FingerprintError says that a checkpoint was written with another configuration
// or build, so that going on from it would not give the results of either.
type FingerprintError struct {
	Checkpoint, Current string
}

func (e *FingerprintError) Error() string {
	return fmt.Sprintf("stream: the checkpoint was written by another configuration or build (%s, this is %s): "+
		"start what wrote it, or remove the checkpoint to begin anew", e.Checkpoint, e.Current)
}

// pipe is what circulates between the two goroutines.
type pipe struct {
	free, full chan *Batch
	done       chan struct{} // closed when the writer has ended
}

// swap hands b over and returns an empty batch, or nil when the writer has ended.
func (p *pipe) swap(b *Batch) *Batch {
	select {
	case p.full <- b:
	case <-p.done:
		return nil
	}
	select {
	case b = <-p.free:
		return b
	case <-p.done:
		return nil
	}
}

// read is the goroutine of the engine.
func (r *Runner) read(ctx context.Context, p *pipe) error {
	var (
		messages = make([]Message, readSize)
		record   Record
		b        = <-p.free
		clock    = r.stopwatch()
		saved    = r.c.Engine.Next() // offset of the last checkpoint
		since    int64               // records since then
		due      = time.Now().Add(r.c.CheckpointEvery)
	)
	checkpoint := func() {
		due = time.Now().Add(r.c.CheckpointEvery)
		since = 0
		if next := r.c.Engine.Next(); r.c.Store != nil && next != saved {
			b.Snapshot = r.c.Engine.Snapshot(b.spare)
			b.Next = next
			saved = next
		}
	}
	flush := func() bool {
		clock.lap(StageApply)
		b = p.swap(b)
		clock.lap(StageWait)
		return b != nil
	}

	for {
		n, err := r.readUntil(ctx, due, saved, messages)
		clock.lap(StageRead)
		for i := range n {
			before := b.Records
			if err := r.apply(b, &record, &messages[i]); err != nil {
				// What is in b is lost, but no checkpoint covers it.
				return fmt.Errorf("%s: %w", messages[i].Origin(), err)
			}
			since += b.Records - before
			if r.c.CheckpointRecords > 0 && since >= r.c.CheckpointRecords {
				checkpoint()
			}
			if (b.Snapshot != nil || b.Points() >= r.c.BatchPoints || b.Bytes() >= r.c.BatchBytes) && !flush() {
				return nil
			}
		}
		end := err != nil && !errors.Is(err, errDue)
		if end || !time.Now().Before(due) {
			checkpoint()
		}
		if (b.Snapshot != nil || b.Records > 0 && (end || n < len(messages))) && !flush() {
			return nil
		}
		switch {
		case !end:
		case errors.Is(err, io.EOF) || ctx.Err() != nil:
			return nil
		default:
			return fmt.Errorf("stream: read: %w", err)
		}
	}
}

// errDue is the reason why a Read ends before there are messages.
var errDue = errors.New("stream: a checkpoint is due")

// readUntil reads, but ends with errDue when there is something to save and the
// time for it has come, so that a pause of the source does not delay it.
func (r *Runner) readUntil(ctx context.Context, due time.Time, saved int64, dst []Message) (int, error) {
	if r.c.Store == nil || r.c.Engine.Next() == saved {
		return r.c.Source.Read(ctx, dst)
	}
	timed, cancel := context.WithDeadlineCause(ctx, due, errDue)
	defer cancel()
	n, err := r.c.Source.Read(timed, dst)
	if err != nil && ctx.Err() == nil && timed.Err() != nil && errors.Is(err, timed.Err()) {
		err = errDue
	}
	return n, err
}

func (r *Runner) apply(b *Batch, record *Record, m *Message) error {
	if m.Refused != nil {
		r.c.Engine.Reject(b, m, m.Refused)
		return nil
	}
	record.Message = m
	err := r.c.Decoder.Decode(record, m)
	if err == nil {
		return r.c.Engine.Apply(b, record)
	}
	var refusal *DataError
	if !errors.As(err, &refusal) {
		return err
	}
	r.c.Engine.Reject(b, m, refusal)
	return nil
}

// write is the goroutine of the edges behind the engine.
func (r *Runner) write(ctx context.Context, p *pipe) error {
	clock := r.stopwatch()
	var letters []DeadLetter
	for b := range p.full {
		clock.reset()
		if err := r.c.Sink.Write(ctx, b); err != nil {
			return fmt.Errorf("stream: write: %w", err)
		}
		letters = r.letters(letters[:0], b)
		if len(letters) > 0 {
			if err := r.c.DeadLetters.WriteDeadLetters(ctx, letters); err != nil {
				return fmt.Errorf("stream: write dead letters: %w", err)
			}
		}
		clock.lap(StageWrite)
		if b.Snapshot != nil {
			if err := r.save(ctx, b); err != nil {
				return err
			}
			clock.lap(StageCheckpoint)
		}
		r.count(b)
		b.Reset()
		p.free <- b
	}
	return nil
}

// letters appends the dead letters of b that are kept.
func (r *Runner) letters(dst []DeadLetter, b *Batch) []DeadLetter {
	for _, l := range b.DeadLetters {
		if !slices.Contains(r.c.Drop, l.Reason) {
			dst = append(dst, l)
		}
	}
	return dst
}

// save stores the checkpoint in b and commits it.
func (r *Runner) save(ctx context.Context, b *Batch) error {
	c := Checkpoint{
		Fingerprint: r.c.Fingerprint, Next: b.Next, State: b.Snapshot,
		Sink: position(r.c.Sink), DeadLetters: position(r.c.DeadLetters),
	}
	if err := r.c.Store.Save(ctx, c); err != nil {
		return fmt.Errorf("stream: save the checkpoint: %w", err)
	}
	if s, ok := r.c.Source.(Committer); ok {
		if err := s.Commit(ctx, b.Next); err != nil {
			return fmt.Errorf("stream: commit offset %d: %w", b.Next, err)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stats.Checkpoints++
	r.stats.CheckpointBytes = int64(len(b.Snapshot))
	r.stats.CheckpointTime = time.Now()
	return nil
}

func position(edge any) []byte {
	if p, ok := edge.(Positioner); ok {
		return p.Position()
	}
	return nil
}
