package job

import (
	"context"
	"fmt"

	"github.com/orffvar/forecaster/stream"
)

// FirstRefusal passes dead letters on and remembers what the first one said.
type FirstRefusal struct {
	Next stream.DeadLetters // or nil
	Text string
}

// WriteDeadLetters implements stream.DeadLetters.
func (f *FirstRefusal) WriteDeadLetters(ctx context.Context, letters []stream.DeadLetter) error {
	if f.Text == "" && len(letters) > 0 {
		f.Text = fmt.Sprintf("%s: %s: %s", letters[0].Message.Origin(), letters[0].Reason, letters[0].Detail)
	}
	if f.Next == nil {
		return nil
	}
	return f.Next.WriteDeadLetters(ctx, letters)
}

// Close implements stream.DeadLetters; what letters are passed to is closed by
// its owner.
func (f *FirstRefusal) Close() error { return nil }

// Position implements stream.Positioner where what letters are passed to does.
func (f *FirstRefusal) Position() []byte {
	if p, ok := f.Next.(stream.Positioner); ok {
		return p.Position()
	}
	return nil
}

// Resume implements stream.Positioner.
func (f *FirstRefusal) Resume(pos []byte) error {
	if p, ok := f.Next.(stream.Positioner); ok {
		return p.Resume(pos)
	}
	return nil
}
