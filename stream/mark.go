package stream

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
)

// Mark identifies a message of a log by its offset and its content: a log that was deleted
// and created again has other marks. The zero value identifies no message.
type Mark struct {
	Offset int64
	Hash   uint64 // of time, key and value; 0 = none
}

// None reports whether m identifies no message.
func (m Mark) None() bool { return m.Hash == 0 }

func (m Mark) String() string {
	if m.None() {
		return "none"
	}
	return fmt.Sprintf("%d:%016x", m.Offset, m.Hash)
}

// Mark identifies m: not at all when the source could not deliver it whole.
func (m *Message) Mark() Mark {
	if m.Refused != nil {
		return Mark{}
	}
	h := fnv.New64a()
	var t [8]byte
	binary.LittleEndian.PutUint64(t[:], uint64(m.Time))
	h.Write(t[:])
	h.Write(m.Key)
	h.Write([]byte{0xff})
	h.Write(m.Value)
	return Mark{Offset: m.Offset, Hash: max(1, h.Sum64())}
}

// Witness notices that a log was replaced while it was read. It keeps the mark of a
// message, the anchor, until a later Check. A log that was deleted never comes back:
// when the anchor is still in the log, all that was read since is from the same one.
// The zero value has seen nothing.
type Witness struct {
	anchor, newest Mark
	verified       int64 // all messages before this offset are from one log
}

// Begin forgets all messages except last, the last one processed before a restart.
func (w *Witness) Begin(last Mark) { *w = Witness{anchor: last, newest: last} }

// Saw notes a message that was read, in the order of offsets.
func (w *Witness) Saw(m Mark) {
	if m.None() {
		return
	}
	if w.anchor.None() {
		w.anchor = m
	}
	w.newest = m
}

// Anchor returns the mark of a message of the log; the zero Mark before the first.
func (w *Witness) Anchor() Mark { return w.anchor }

// Verified reports whether all messages before next are known to be from one log.
func (w *Witness) Verified(next int64) bool { return w.anchor.None() || next <= w.verified }

// Check compares the anchor of then, a copy of w from before the log was asked, with now,
// the mark that the log has at the offset of that anchor. Another message is a
// *ReplacedError; else the newest message of then becomes the anchor. A mark of no message
// proves nothing: retention has removed the message.
func (w *Witness) Check(then Witness, now Mark) error {
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
type ReplacedError struct{ Was, Now Mark }

func (e *ReplacedError) Error() string {
	return fmt.Sprintf("stream: the message at offset %d is not the one that was read before: the log was deleted and created again", e.Was.Offset)
}
