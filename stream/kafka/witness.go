package kafka

import (
	"fmt"
	"sync"

	"github.com/orffvar/forecaster/stream"
)

// witness notices that a log was replaced while it was read. It keeps the mark of a
// message, the anchor, until a later Verify. A log that was deleted never comes back:
// when the anchor is still in the log, all that was read since is from the same one.
//
// Its methods may be called from several goroutines. The zero value has seen nothing.
type witness struct {
	mu             sync.Mutex
	anchor, newest stream.Mark
	verified       int64 // all messages before this offset are from one log
}

// Begin forgets all messages but one: the last that was processed before a restart.
func (w *witness) Begin(last stream.Mark) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.anchor, w.newest, w.verified = last, last, 0
}

// Saw notes a message that was read, in the order of offsets.
func (w *witness) Saw(m stream.Mark) {
	if m.None() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.anchor.None() {
		w.anchor = m
	}
	w.newest = m
}

// Anchor returns the mark of a message of the log.
func (w *witness) Anchor() stream.Mark {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.anchor
}

// Verified reports whether all messages before next are known to be from one log.
func (w *witness) Verified(next int64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.anchor.None() || next <= w.verified
}

// Verify compares the anchor with the message that the log has at its offset now, as
// reread returns it, and makes the newest message the anchor. It returns a
// *replacedError when they differ, or the error of reread. A message that was removed
// from the log proves nothing.
func (w *witness) Verify(reread func(offset int64) (stream.Mark, error)) error {
	w.mu.Lock()
	anchor, newest := w.anchor, w.newest
	w.mu.Unlock()
	if anchor.None() {
		return nil
	}
	now, err := reread(anchor.Offset)
	if err != nil {
		return err
	}
	if !now.None() && now != anchor {
		return &replacedError{Was: anchor, Now: now}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.anchor == anchor {
		w.anchor = newest
	}
	w.verified = max(w.verified, newest.Offset+1)
	return nil
}

// replacedError says that a log has another message at an offset than the one that was
// read from there.
type replacedError struct{ Was, Now stream.Mark }

func (e *replacedError) Error() string {
	return fmt.Sprintf("stream: the message at offset %d is not the one that was read before: the log was deleted and created again", e.Was.Offset)
}
