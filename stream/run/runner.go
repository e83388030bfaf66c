package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/refuse"
)

// Config holds the parts that a Runner connects. Source, Decoder, Engine and Sink are
// required.
type Config struct {
	Source  stream.Source
	Decoder stream.Decoder
	Engine  *engine.Engine // new: the Runner restores it
	Sink    stream.Sink

	// DeadLetters keeps refused records, except those with a reason in Drop, which are only
	// counted. Nil: all are only counted.
	DeadLetters stream.DeadLetters
	Drop        []refuse.Reason

	// Store keeps the checkpoints. Nil: no checkpoints, no commits. The state depends on the
	// log and on Settings: a checkpoint with other Settings is refused with a
	// *checkpoint.SettingsError. Adjustable has the keys that may differ, as Engine.Restore
	// accepts them; if only these differ, the changes are passed to Adjusted (may be nil).
	Store      checkpoint.Store
	Settings   []checkpoint.Setting
	Adjustable []string
	Adjusted   func([]checkpoint.SettingChange)

	// Rebuild is the largest number of offsets that are learnt again when the checkpoint is
	// from another version of the program. Nothing is written or saved before the offset of
	// that checkpoint. 0: such a checkpoint is refused. Rebuilding (may be nil) is called with
	// the range of offsets and the changed settings.
	Rebuild    int64
	Rebuilding func(from, to int64, changed []checkpoint.SettingChange)

	// Warm returns the checkpoint of another log, or checkpoint.ErrNoCheckpoint. It is called
	// when the Store has no checkpoint: models and outputs then resume from that checkpoint.
	// Settings of the topic may differ. Nil: models and outputs begin empty.
	Warm func() ([]checkpoint.Checkpoint, error)

	// CheckpointEvery is the time between two checkpoints; 0 means 10 s. A checkpoint is also
	// due after CheckpointRecords records, or more after a large one; 0 means that only time
	// counts. Run ends with a checkpoint.
	CheckpointEvery   time.Duration
	CheckpointRecords int64

	// BatchPoints and BatchBytes are the sizes at which a batch is full; 0 means 2,000 points and 8 MiB. With
	// BatchPoints = 0, a batch of many series also waits for several samples per series. One record may exceed both
	// sizes.
	BatchPoints int
	BatchBytes  int

	// DrainTimeout is the longest time for writing the last batches after the context of Run has ended; 0 means 10
	// s.
	DrainTimeout time.Duration

	// StallTimeout is the longest time without a heartbeat of a stage, see stream.WithHeartbeat. After it, Run
	// abandons the stage and returns a *StalledError. 0: no limit.
	StallTimeout time.Duration
}

// readSize is the largest number of messages in one Read.
const readSize = 256

// Runner runs one partition with four goroutines: one reads and decodes, one lets the
// models learn and forecast, one scores the forecasts, and one encodes and writes.
//
//	source, decoder -> Decoded -> Engine.Learn -> Batch -> Engine.Score -> Batch -> sink, dead letters, checkpoint, commit
//
// Five Decoded and four batches circulate between the goroutines, which share nothing else. A
// goroutine that has to wait for one of them is slowed down: this is the back-pressure.
//
// A batch with a checkpoint has its points written first, then the state saved. A restart
// therefore repeats points, with the same values. The models wait until the state is saved:
// encoded as a whole it might not fit into memory beside them, so it is encoded series by
// series while it is written.
type Runner struct {
	d       *Driver
	c       Config // with defaults
	started atomic.Bool
	pulses  [4]pulse // heartbeats of reader, models, scorer and writer, which begin in StageRead
	changes chan Change

	mu     sync.Mutex
	stats  Stats
	readTo int64 // offset after the last message read
}

// NewRunner returns a Runner that has not started.
func NewRunner(c Config) (*Runner, error) {
	d, err := NewDriver(c)
	if err != nil {
		return nil, err
	}
	return &Runner{d: d, c: d.c, changes: make(chan Change, 1), stats: Stats{DeadLetters: make(map[refuse.Reason]int64)}}, nil
}

// Run resumes from the Store and works until the source ends, ctx ends, or an error is
// permanent. When the source or ctx ends, Run writes the results of all messages read, takes a
// checkpoint, and returns nil. It closes nothing, and can be called once.
//
// Work that continues after DrainTimeout is abandoned: at once if ctx was cancelled without a
// cause, since then the process ends, else after a minute.
func (r *Runner) Run(ctx context.Context) error {
	if r.started.Swap(true) {
		return errors.New("stream: a Runner runs once")
	}
	if err := r.d.Resume(ctx); err != nil {
		return err
	}
	r.resumed()

	// The writer outlives ctx by DrainTimeout; the reader ends with either.
	writing, giveUp := context.WithCancelCause(context.WithoutCancel(ctx))
	defer giveUp(nil)
	stop := context.AfterFunc(ctx, func() {
		t := time.AfterFunc(r.c.DrainTimeout, func() { giveUp(ErrDrain) })
		context.AfterFunc(writing, func() { t.Stop() })
	})
	defer stop()
	reading, stopReading := context.WithCancel(ctx)
	defer stopReading()

	var err error
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err = r.work(reading, stopReading, writing)
	}()
	if r.c.StallTimeout > 0 {
		go func() {
			if stalled := r.watch(ended); stalled != nil {
				giveUp(stalled)
			}
		}()
	}
	select {
	case <-ended:
		return err
	case <-writing.Done():
	}
	stalled := r.hanging(r.c.DrainTimeout)
	patience := min(500*time.Millisecond, r.c.DrainTimeout/8)
	if !errors.As(context.Cause(writing), &stalled) && !errors.Is(context.Cause(ctx), context.Canceled) {
		patience = time.Minute // the process continues, and may need the files held by this work
	}
	select {
	case <-ended: // the work has noticed the end of its context
		if errors.Is(context.Cause(writing), ErrDrain) {
			return err
		}
	case <-time.After(patience):
	}
	return stalled
}

// work runs the goroutines until all have ended.
func (r *Runner) work(reading context.Context, stopReading func(), writing context.Context) error {
	in := newIntake()
	out := newOutlet()
	var scoreErr, writeErr error
	go func() {
		defer close(out.done)
		defer stopReading()
		writeErr = r.write(writing, out)
	}()
	go func() {
		defer close(out.scored)
		scoreErr = r.score(out)
	}()
	go r.read(reading, in)
	readErr := r.learn(reading, in, out)
	stopReading()
	close(in.done)
	for range in.full { // until the reader has ended
	}
	close(out.full)
	<-out.done
	for range out.scored { // until the scorer has ended
	}

	if writeErr != nil && !errors.Is(writeErr, ErrDrain) && errors.Is(context.Cause(writing), ErrDrain) {
		writeErr = fmt.Errorf("%w: %w", ErrDrain, writeErr)
	}
	return errors.Join(readErr, scoreErr, writeErr)
}

// ErrDrain is wrapped by the error of Run when DrainTimeout ends before the results of all
// messages read are written.
var ErrDrain = errors.New("stream: stopped before all that was read was written; the next start resumes from the last checkpoint")

// resumed sets the counters that do not start at 0 after a checkpoint.
func (r *Runner) resumed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stats.Next = r.c.Engine.Next()
	r.stats.Series = int64(r.c.Engine.NumSeries())
}

// blocks is the number of blocks: one is filled, one is learnt, and three wait.
const blocks = 5

// intake passes blocks from the reader to the models, and back.
type intake struct {
	free, full chan *block
	done       chan struct{} // closed when the models take no more blocks
}

// block is the result of one Read.
type block struct {
	engine.Decoded
	idle bool  // the Read returned fewer messages than it could have
	err  error // error of the Read
}

func newIntake() *intake {
	in := &intake{free: make(chan *block, blocks), full: make(chan *block, blocks), done: make(chan struct{})}
	for range blocks {
		in.free <- new(block)
	}
	return in
}

// read is the goroutine of source and decoder. It ends after the first error of the source.
func (r *Runner) read(ctx context.Context, in *intake) {
	defer close(in.full)
	messages := make([]stream.Message, readSize)
	clock, pulse := r.stopwatch(), &r.pulses[0]
	defer pulse.enter(StageWait)
	for {
		pulse.enter(StageRead)
		var k *block
		select {
		case k = <-in.free:
		case <-in.done:
			return
		}
		clock.reset()
		n, err := r.c.Source.Read(ctx, messages)
		clock.lap(StageRead)
		pulse.enter(StageDecode)
		k.Reset()
		k.idle, k.err = n < len(messages), err
		for i := range n {
			r.d.Decode(&k.Decoded, &messages[i])
		}
		r.countDeleted(k.Deleted())
		if n > 0 {
			r.countRead(messages[n-1].Offset + 1)
		}
		clock.lap(StageDecode)
		in.full <- k // does not block: the channel has room for all blocks
		if err != nil {
			return
		}
	}
}

// batches is the number of Results: one is filled by the models, one scored, one written, and one waits.
const batches = 4

// outlet passes batches from the models to the scorer, to the writer, and back to the models.
type outlet struct {
	free, full, scored chan *engine.Results
	saved              chan struct{} // receives after each saved checkpoint
	done               chan struct{} // closed when the writer has ended
}

func newOutlet() *outlet {
	p := &outlet{free: make(chan *engine.Results, batches), full: make(chan *engine.Results, 1), scored: make(chan *engine.Results), saved: make(chan struct{}, 1), done: make(chan struct{})}
	for range batches {
		p.free <- new(engine.Results)
	}
	return p
}

// swap passes b to the scorer and returns an empty batch. If b has a checkpoint, it first waits until the
// checkpoint is saved. Nil: the writer has ended.
func (p *outlet) swap(b *engine.Results) *engine.Results {
	saving := b.Checkpoint
	select {
	case p.full <- b:
	case <-p.done:
		return nil
	}
	if saving {
		select {
		case <-p.saved:
		case <-p.done:
			return nil
		}
	}
	select {
	case b = <-p.free:
		return b
	case <-p.done:
		return nil
	}
}

// learn is the goroutine of the models.
func (r *Runner) learn(ctx context.Context, in *intake, out *outlet) error {
	var (
		b     = <-out.free
		clock = r.stopwatch()
		pulse = &r.pulses[1]
		due   = time.Now().Add(r.c.CheckpointEvery)
	)
	defer pulse.enter(StageWait)
	var learnErr error // if set, the points in b are lost, and no checkpoint covers them
	flush := func() bool {
		if learnErr = r.d.Settle(b); learnErr != nil {
			return false
		}
		saving := b.Checkpoint
		clock.lap(StageApply)
		pulse.enter(StageWait)
		b = out.swap(b)
		if saving {
			due = time.Now().Add(r.c.CheckpointEvery)
		}
		clock.lap(StageWait)
		pulse.enter(StageApply)
		return b != nil
	}

	for {
		pulse.enter(StageWait)
		k, c := r.next(in, due)
		clock.reset()
		pulse.enter(StageApply)
		if c != nil {
			r.change(*c, b)
			due = time.Now().Add(r.c.CheckpointEvery)
			if len(b.Events) > 0 && len(in.full) == 0 && !flush() {
				return learnErr
			}
			continue
		}
		if k == nil {
			if err := r.d.Checkpoint(b); err != nil {
				return err
			}
			if !flush() {
				return learnErr
			}
			continue
		}
		for i := range k.Len() {
			pulse.beats.Add(1)
			full, err := r.d.Learn(b, &k.Decoded, i)
			if err != nil {
				return err
			}
			if full && !flush() {
				return learnErr
			}
		}
		end, some := k.err != nil, false
		if errors.Is(k.err, io.EOF) {
			var err error
			if some, err = r.d.End(b); err != nil {
				return err
			}
		}
		if end || !time.Now().Before(due) {
			if err := r.d.Checkpoint(b); err != nil {
				return err
			}
		}
		clock.lap(StageApply)
		idle := k.idle && len(in.full) == 0
		if (b.Checkpoint || some || b.Records > 0 && (end || idle)) && !flush() {
			return learnErr
		}
		switch {
		case !end:
			in.free <- k
		case errors.Is(k.err, io.EOF) && r.d.rebuild.active(r.c.Engine) && ctx.Err() == nil:
			return errOtherLog
		case errors.Is(k.err, io.EOF) || ctx.Err() != nil:
			return nil // end of the source, or of ctx
		default:
			return k.err
		}
	}
}

// next waits for a block or a change. It returns neither if a checkpoint is due, so that an idle source does not
// delay checkpoints.
func (r *Runner) next(in *intake, due time.Time) (*block, *Change) {
	select {
	case k := <-in.full:
		return k, nil
	case c := <-r.changes:
		return nil, &c
	default:
	}
	var timeout <-chan time.Time
	if r.d.Unsaved() {
		t := time.NewTimer(time.Until(due))
		defer t.Stop()
		timeout = t.C
	}
	select {
	case k := <-in.full:
		return k, nil
	case c := <-r.changes:
		return nil, &c
	case <-timeout:
		return nil, nil
	}
}

// score is the goroutine of the scorer. It ends after its first error, and the writer after it.
func (r *Runner) score(p *outlet) error {
	clock, pulse := r.stopwatch(), &r.pulses[2]
	defer pulse.enter(StageWait)
	for {
		b, ok := <-p.full
		if !ok {
			return nil
		}
		clock.reset()
		pulse.enter(StageScore)
		if err := r.d.Score(b); err != nil {
			return err
		}
		clock.lap(StageScore)
		pulse.enter(StageWait)
		select {
		case p.scored <- b:
		case <-p.done:
			return nil
		}
	}
}

// write is the goroutine of the sink, the dead letters and the store.
func (r *Runner) write(ctx context.Context, p *outlet) error {
	clock, pulse := r.stopwatch(), &r.pulses[3]
	defer pulse.enter(StageWait)
	ctx = stream.WithHeartbeat(ctx, func() { pulse.beats.Add(1) })
	lap := func(s Stage) {
		clock.lap(s)
		pulse.enter(StageCheckpoint)
	}
	for b := range p.scored {
		clock.reset()
		pulse.enter(StageWrite)
		if err := r.d.Deliver(ctx, b, lap); err != nil {
			return err
		}
		pulse.enter(StageWait)
		r.count(&b.Batch)
		if b.Checkpoint {
			p.saved <- struct{}{} // does not block: swap receives before the next checkpoint
		}
		b.Reset()
		p.free <- b
	}
	return nil
}
