package checkpoint_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
)

// TestWitness: a log is the same one while the anchor is in it; the newest message that was
// read before the check is the anchor of the next.
func TestWitness(t *testing.T) {
	mark := func(offset int64, text string) stream.Mark {
		return (&stream.Message{Offset: offset, Value: []byte(text)}).Mark()
	}
	var w checkpoint.Witness
	if !w.Verified(9) {
		t.Error("nothing was read, and something is in doubt")
	}
	w.Saw(mark(3, "a"))
	w.Saw(mark(4, "b"))
	if w.Anchor() != mark(3, "a") || w.Verified(5) {
		t.Errorf("anchor %v, verified %v", w.Anchor(), w.Verified(5))
	}
	if err := w.Check(w, mark(3, "a")); err != nil || w.Anchor() != mark(4, "b") || !w.Verified(5) || w.Verified(6) {
		t.Errorf("the same message: %v, anchor %v", err, w.Anchor())
	}
	if err := w.Check(w, stream.Mark{}); err != nil {
		t.Errorf("a message that retention removed: %v", err)
	}
	err := w.Check(w, mark(4, "c"))
	var replaced *checkpoint.ReplacedError
	if !errors.As(err, &replaced) || replaced.Was != mark(4, "b") || replaced.Now != mark(4, "c") ||
		!strings.Contains(err.Error(), "offset 4") || !strings.Contains(err.Error(), "created again") {
		t.Errorf("another message: %v", err)
	}
}
