package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/engine"
)

// Driver fixes the order of the effects on one partition. It has no goroutine and no clock: a
// Runner calls it from several goroutines, a simulator step by step.
//
//	Resume, then for each message Decode and Learn, and for each batch Settle, Score and Deliver
//
// The batch of a Checkpoint is delivered before the next Learn.
//
// One goroutine calls Learn, Settle and Checkpoint. Decode, Score and Deliver may have a
// goroutine each. All of them take messages and batches in the order of the log.
type Driver struct {
	c       Config
	one     engine.Decoded
	saved   int64       // offset of the last checkpoint
	since   int64       // records since the last checkpoint
	last    stream.Mark // an applied message; at a checkpoint the last one
	letters []stream.DeadLetter

	// size and whole: bytes of the last checkpoint and of the last whole one. changes and
	// changeBytes: number and bytes of the checkpoints since the last whole one.
	size, whole, changeBytes int64
	changes                  int
	wholeDue                 bool // the next checkpoint is whole

	rebuild rebuild
}

// maxChanges is the largest number of checkpoints of changes between two whole ones.
const maxChanges = 1000

// largeBytes is the size of a checkpoint above which at least one record per KiB must come before the next.
// Otherwise, in a backlog, the models would wait for the disk about as long as they learn.
const largeBytes = 64 << 20

// NewDriver returns a Driver. It ignores the durations in c.
func NewDriver(c Config) (*Driver, error) {
	if c.Source == nil || c.Decoder == nil || c.Engine == nil || c.Sink == nil {
		return nil, errors.New("stream: a Runner needs a Source, a Decoder, an Engine and a Sink")
	}
	if c.CheckpointEvery < 0 || c.CheckpointRecords < 0 || c.BatchPoints < 0 || c.BatchBytes < 0 || c.DrainTimeout < 0 || c.StallTimeout < 0 {
		return nil, errors.New("stream: a negative limit in Config")
	}
	c.CheckpointEvery = cmp.Or(c.CheckpointEvery, 10*time.Second)
	c.DrainTimeout = cmp.Or(c.DrainTimeout, 10*time.Second)
	if c.DeadLetters == nil {
		c.DeadLetters = stream.Discard{}
	}
	return &Driver{c: c, wholeDue: true}, nil
}

// Resume restores engine, source and sink from the last checkpoint.
func (d *Driver) Resume(ctx context.Context) error {
	var list []checkpoint.Checkpoint
	var last checkpoint.Checkpoint
	if d.c.Store != nil {
		var err error
		if list, err = d.c.Store.Load(ctx); err != nil && !errors.Is(err, checkpoint.ErrNoCheckpoint) {
			return fmt.Errorf("load the checkpoint: %w", err)
		}
	}
	switch {
	case len(list) > 0:
		last = list[len(list)-1]
		if err := d.restore(ctx, list); err != nil {
			return err
		}
	case d.c.Warm != nil:
		outputs, err := d.warm()
		if err != nil {
			return fmt.Errorf("warm start: %w", err)
		}
		last.Outputs = outputs
	}
	if p, ok := d.c.Sink.(checkpoint.Positioner); ok {
		if err := p.Resume(last.Outputs); err != nil {
			return fmt.Errorf("resume the output: %w", err)
		}
	}
	d.saved, d.last = d.c.Engine.Next(), last.Last
	return nil
}

// warm restores the models from Config.Warm, and returns the positions of its outputs.
func (d *Driver) warm() (checkpoint.Positions, error) {
	list, err := d.c.Warm()
	if err != nil {
		if errors.Is(err, checkpoint.ErrNoCheckpoint) {
			return nil, nil
		}
		return nil, err
	}
	ofTopic := func(s checkpoint.Setting) bool { return strings.HasPrefix(s.Key, "topic.") }
	saved, now := slices.Clone(list[0].Settings), slices.Clone(d.c.Settings)
	if err := d.compare(slices.DeleteFunc(saved, ofTopic), slices.DeleteFunc(now, ofTopic)); err != nil {
		return nil, err
	}
	whole, changes := statesOf(list)
	return list[len(list)-1].Outputs, d.c.Engine.Warm(whole, changes...)
}

// compare returns a *checkpoint.SettingsError if any setting differs that is not adjustable.
func (d *Driver) compare(saved, now []checkpoint.Setting) error {
	changed := checkpoint.Compare(saved, now)
	fixed := slices.DeleteFunc(slices.Clone(changed), func(s checkpoint.SettingChange) bool { return slices.Contains(d.c.Adjustable, s.Key) })
	if len(fixed) > 0 {
		return &checkpoint.SettingsError{Changed: fixed}
	}
	if len(changed) > 0 && d.c.Adjusted != nil {
		d.c.Adjusted(changed)
	}
	return nil
}

// statesOf returns the states in list: a whole checkpoint, then the changes to it.
func statesOf(list []checkpoint.Checkpoint) (whole checkpoint.State, changes []checkpoint.State) {
	for _, c := range list[1:] {
		changes = append(changes, c.State)
	}
	return list[0].State, changes
}

func (d *Driver) restore(ctx context.Context, list []checkpoint.Checkpoint) error {
	last := list[len(list)-1]
	if err := d.compare(list[0].Settings, d.c.Settings); err != nil {
		var other *checkpoint.SettingsError
		once, ok := d.c.Source.(checkpoint.OnceOnly)
		if d.c.Rebuild > 0 && !(ok && once.Once()) && errors.As(err, &other) && ofVersion(other.Changed) {
			return d.rebuild.begin(ctx, &d.c, last, other.Changed)
		}
		return err
	}
	whole, changes := statesOf(list)
	if err := d.c.Engine.Restore(whole, changes...); err != nil {
		return fmt.Errorf("restore the engine: %w", err)
	}
	if n := d.c.Engine.Next(); n != last.Next {
		return fmt.Errorf("%w: its state is that of offset %d, not %d", checkpoint.ErrCorrupt, n, last.Next)
	}
	if s, ok := d.c.Source.(checkpoint.Seeker); ok {
		if err := s.Seek(ctx, last.Next, last.Last); err != nil {
			return fmt.Errorf("go to offset %d of the source: %w", last.Next, err)
		}
	}
	return nil
}

// Apply calls Decode, Learn, Settle and Score for one message.
func (d *Driver) Apply(b *engine.Results, m *stream.Message) (full bool, err error) {
	d.one.Reset()
	d.Decode(&d.one, m)
	if full, err = d.Learn(b, &d.one, 0); err != nil {
		return false, err
	}
	if err := d.Settle(b); err != nil {
		return false, err
	}
	return full, d.Score(b)
}

// Decode appends m and its decoded parts to dst.
func (d *Driver) Decode(dst *engine.Decoded, m *stream.Message) { dst.Decode(d.c.Decoder, m) }

// Learn lets the engine learn the i-th message of src. It takes a checkpoint every CheckpointRecords records, or
// less often: see largeBytes. A full b must be delivered before the next Learn.
func (d *Driver) Learn(b *engine.Results, src *engine.Decoded, i int) (full bool, err error) {
	before, again := b.Records, src.Offset(i) < d.rebuild.to
	if err := d.c.Engine.LearnMessage(b, src, i); err != nil {
		return false, err
	}
	if again {
		if full, err = d.rebuild.learnt(b, src, i); full || err != nil {
			return full, err
		}
		return d.c.full(b), nil
	}
	d.since += b.Records - before
	least := d.c.CheckpointRecords
	if d.size > largeBytes {
		least = max(least, d.size>>10)
	}
	due := d.c.CheckpointRecords > 0 && d.since >= least
	if due || i == src.Len()-1 { // no other message can be the last one before a checkpoint
		if m := src.Mark(i); !m.None() && m.Offset < d.c.Engine.Next() {
			d.last = m
		}
	}
	if due {
		if err := d.Checkpoint(b); err != nil {
			return false, err
		}
	}
	return b.Checkpoint || d.c.full(b), nil
}

// Full reports whether b is full for a Runner with these BatchBytes.
func Full(b *engine.Results, bytes int) bool { return (&Config{BatchBytes: bytes}).full(b) }

// full reports whether b is to be scored and written; see BatchPoints.
func (c *Config) full(b *engine.Results) bool {
	const points, bytes = 2000, 8 << 20 // several such batches fit into the caches
	enough := b.Points() >= cmp.Or(c.BatchPoints, points) && (c.BatchPoints > 0 || !b.Gathers())
	return enough || b.Bytes() >= cmp.Or(c.BatchBytes, bytes)
}

// End lets the engine learn rows that wait for further values, because the source has ended, and reports whether there was
// one. With a Store the source may go on in another run: then the rows stay open in the checkpoint.
func (d *Driver) End(b *engine.Results) (some bool, err error) {
	if d.c.Store != nil {
		return false, nil
	}
	return d.c.Engine.Close(b)
}

// Settle lets the models learn the waiting samples. It must be called before b is scored.
func (d *Driver) Settle(b *engine.Results) error { return d.c.Engine.Settle(b) }

// Unsaved reports whether the state has changed since the last checkpoint and can be saved.
func (d *Driver) Unsaved() bool {
	return d.c.Store != nil && d.c.Engine.Next() != d.saved && !d.rebuild.active(d.c.Engine)
}

// Checkpoint makes Deliver save the state after b if it is Unsaved: the changes since the last checkpoint, or the
// whole state once the changes add up to its size. Deliver encodes the state while it writes, so b must be
// delivered before the next Learn.
func (d *Driver) Checkpoint(b *engine.Results) error {
	d.since = 0
	if !d.Unsaved() {
		return nil
	}
	if err := d.Settle(b); err != nil {
		return err
	}
	b.Checkpoint, b.Next, b.Last = true, d.c.Engine.Next(), d.last
	if !d.wholeDue {
		b.Since = d.saved
	}
	d.wholeDue, d.saved = false, b.Next
	return nil
}

// Score turns the step results in b into points.
func (d *Driver) Score(b *engine.Results) error { return d.c.Engine.Score(b) }

// Deliver writes the points and dead letters of b, then saves and commits its checkpoint, if any. It calls lap
// after each stage.
func (d *Driver) Deliver(ctx context.Context, b *engine.Results, lap func(Stage)) error {
	if b.Silent {
		silence(b)
	}
	if err := d.c.Sink.Write(ctx, &b.Batch); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	d.letters = d.letters[:0]
	for _, l := range b.DeadLetters {
		if !slices.Contains(d.c.Drop, l.Reason) {
			d.letters = append(d.letters, l)
		}
	}
	if len(d.letters) > 0 {
		if err := d.c.DeadLetters.WriteDeadLetters(ctx, d.letters); err != nil {
			return fmt.Errorf("write dead letters: %w", err)
		}
	}
	lap(StageWrite)
	if !b.Checkpoint {
		return nil
	}
	if err := d.save(ctx, b); err != nil {
		return err
	}
	lap(StageCheckpoint)
	return nil
}

// save saves the checkpoint of b, then commits its offset.
func (d *Driver) save(ctx context.Context, b *engine.Results) error {
	if v, ok := d.c.Source.(checkpoint.Verifier); ok {
		if err := v.Verify(ctx); err != nil {
			return fmt.Errorf("verify the source: %w", err)
		}
	}
	c := checkpoint.Checkpoint{Next: b.Next, Since: b.Since, Last: b.Last, State: d.c.Engine.Encoded(b.Since == 0)}
	if b.Since == 0 {
		c.Settings = d.c.Settings
	}
	if p, ok := d.c.Sink.(checkpoint.Positioner); ok {
		c.Outputs = p.Positions()
	}
	if err := d.c.Store.Save(ctx, c); err != nil {
		return fmt.Errorf("save the checkpoint: %w", err)
	}
	d.c.Engine.Saved()
	b.Saved = c.Size()
	d.account(b)
	if s, ok := d.c.Source.(checkpoint.Committer); ok {
		if err := s.Commit(ctx, b.Next); err != nil {
			return fmt.Errorf("commit offset %d: %w", b.Next, err)
		}
	}
	return nil
}

// account records the size of the checkpoint of b, and decides whether the next one is whole.
func (d *Driver) account(b *engine.Results) {
	d.size = b.Saved
	if b.Since == 0 {
		d.whole, d.changes, d.changeBytes = b.Saved, 0, 0
		return
	}
	d.changes++
	d.changeBytes += b.Saved
	d.wholeDue = d.changeBytes >= d.whole || d.changes >= maxChanges
}
