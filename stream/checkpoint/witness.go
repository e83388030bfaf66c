package checkpoint

import (
	"fmt"
	"github.com/orffvar/forecaster/stream"
)

// Witness detects that a log was replaced while it was read. It keeps the mark of one message, the anchor, until a
// later Check. A deleted log never comes back. So if the anchor is still in the log, all messages read since the
// anchor come from the same log. The zero value has seen no message.
type Witness struct {
	anchor, newest stream.Mark
	verified       int64 // all messages before this offset come from one log
}

// Begin forgets all messages except last, the last message processed before a restart.
func (w *Witness) Begin(last stream.Mark) { *w = Witness{anchor: last, newest: last} }

// Saw adds a message that was read. Offsets ascend.
func (w *Witness) Saw(m stream.Mark) {
	if m.None() {
		return
	}
	if w.anchor.None() {
		w.anchor = m
	}
	w.newest = m
}

// Anchor returns the mark of the anchor, the zero Mark before the first message.
func (w *Witness) Anchor() stream.Mark { return w.anchor }

// Verified reports whether all messages before next are known to come from one log.
func (w *Witness) Verified(next int64) bool { return w.anchor.None() || next <= w.verified }

// Check verifies the anchor of then, a copy of w made before the log was asked. now is the mark at the anchor's
// offset in the present log. If now is another message, Check returns a *ReplacedError; otherwise the newest
// message of then becomes the anchor. A zero now proves nothing, because retention has removed the message.
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

// ReplacedError reports that the log has another message at an offset than was read there before.
type ReplacedError struct{ Was, Now stream.Mark }

func (e *ReplacedError) Error() string {
	return fmt.Sprintf("stream: the message at offset %d is not the one that was read before: the log was deleted and created again", e.Was.Offset)
}
