package checkpoint

import (
	"fmt"
	"github.com/orffvar/forecaster/stream"
)

// Witness notices that a log was replaced while it was read. It keeps the mark of a
// message, the anchor, until a later Check. A log that was deleted never comes back:
// when the anchor is still in the log, all that was read since is from the same one.
// The zero value has seen nothing.
type Witness struct {
	anchor, newest stream.Mark
	verified       int64 // all messages before this offset are from one log
}

// Begin forgets all messages except last, the last one processed before a restart.
func (w *Witness) Begin(last stream.Mark) { *w = Witness{anchor: last, newest: last} }

// Saw notes a message that was read, in the order of offsets.
func (w *Witness) Saw(m stream.Mark) {
	if m.None() {
		return
	}
	if w.anchor.None() {
		w.anchor = m
	}
	w.newest = m
}

// Anchor returns the mark of a message of the log; the zero Mark before the first.
func (w *Witness) Anchor() stream.Mark { return w.anchor }

// Verified reports whether all messages before next are known to be from one log.
func (w *Witness) Verified(next int64) bool { return w.anchor.None() || next <= w.verified }

// Check compares the anchor of then, a copy of w from before the log was asked, with now,
// the mark that the log has at the offset of that anchor. Another message is a
// *ReplacedError; else the newest message of then becomes the anchor. A mark of no message
// proves nothing: retention has removed the message.
func (w *Witness) Check(then Witness, now stream.Mark) error {
	if !now.None() && now != then.anchor {
		return &ReplacedError{Was: then.anchor, Now: now}
	}
	if w.anchor == then.anchor {
		w.anchor = then.newest
	}
	w.verified = max(w.verified, then.newest.Offset+1)
	return nil
}

// ReplacedError reports that a log now has another message at an offset than the message that
// was read there.
type ReplacedError struct{ Was, Now stream.Mark }

func (e *ReplacedError) Error() string {
	return fmt.Sprintf("stream: the message at offset %d is not the one that was read before: the log was deleted and created again", e.Was.Offset)
}
