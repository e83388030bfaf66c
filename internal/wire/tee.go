package wire

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/orffvar/forecaster/stream"
)

// tee is a sink that writes to several, in order. Its positions are the positions of all of
// them.
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

// Positions implements stream.Positioner.
func (t tee) Positions() stream.Positions {
	all := stream.Positions{}
	for _, s := range t {
		if p, ok := s.(stream.Positioner); ok {
			all = append(all, p.Positions()...)
		}
	}
	slices.SortFunc(all, func(a, b stream.Position) int { return cmp.Compare(a.Output, b.Output) })
	return all
}

// Resume implements stream.Positioner.
func (t tee) Resume(at stream.Positions) error {
	for _, s := range t {
		if p, ok := s.(stream.Positioner); ok {
			if err := p.Resume(at); err != nil {
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
