package build

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/orffvar/forecaster/stream"
)

// tee is a sink that writes to several, in order. Its position is made of
// theirs.
type tee []stream.Sink

// Write implements stream.Sink.
func (t tee) Write(ctx context.Context, b *stream.Batch) error {
	for _, s := range t {
		if err := s.Write(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// Position implements stream.Positioner.
func (t tee) Position() []byte {
	positions := make([][]byte, len(t))
	for i, s := range t {
		if p, ok := s.(stream.Positioner); ok {
			positions[i] = p.Position()
		}
	}
	b, err := json.Marshal(positions)
	if err != nil {
		panic("tee: " + err.Error()) // byte slices always encode
	}
	return b
}

// Resume implements stream.Positioner.
func (t tee) Resume(pos []byte) error {
	positions := make([][]byte, len(t))
	if pos != nil {
		if err := json.Unmarshal(pos, &positions); err != nil || len(positions) != len(t) {
			return fmt.Errorf("the checkpoint was written with other outputs than the %d configured now", len(t))
		}
	}
	for i, s := range t {
		if p, ok := s.(stream.Positioner); ok {
			if err := p.Resume(positions[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// Close implements stream.Sink.
func (t tee) Close() error {
	var errs []error
	for _, s := range t {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}
