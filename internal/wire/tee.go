package wire

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
)

// tee is a sink that writes to several sinks in order. Its positions are the positions of all sinks.
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

// Positions implements checkpoint.Positioner.
func (t tee) Positions() checkpoint.Positions {
	all := checkpoint.Positions{}
	for _, s := range t {
		if p, ok := s.(checkpoint.Positioner); ok {
			all = append(all, p.Positions()...)
		}
	}
	slices.SortFunc(all, func(a, b checkpoint.Position) int { return cmp.Compare(a.Output, b.Output) })
	return all
}

// Resume implements checkpoint.Positioner.
func (t tee) Resume(at checkpoint.Positions) error {
	for _, s := range t {
		if p, ok := s.(checkpoint.Positioner); ok {
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
