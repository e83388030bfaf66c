package faultsim

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
)

// outputFile is the output file of a partition, on a host that all members share.
type outputFile struct {
	content
	owner *worker // worker with the lock; see held
}

// held reports whether a living process holds the lock of the file.
func (f *outputFile) held() bool { return f.owner != nil && f.owner.m.alive }

// fileSink appends points to the file of the partition. A checkpoint holds the length of the file, and the next owner
// truncates the file to this length.
type fileSink struct{ *worker }

func (f fileSink) name() string { return fmt.Sprintf("file %d", f.p.number) }

// lock waits until no other process holds the file.
func (f fileSink) lock() error {
	if f.sim.o.Bug == FileUnlocked {
		return nil
	}
	for {
		if f.giveUp() || f.m.revoked {
			return errDrain
		}
		locked := false
		err := f.effect("lock the file", func() error {
			if locked = !f.p.file.held(); locked {
				f.p.file.owner = f.worker
			}
			return nil
		})
		if err != nil || locked {
			return err
		}
	}
}

// unlock releases the lock of the file at the end of the work on a partition.
func (f fileSink) unlock() {
	if f.p.file.owner == f.worker {
		f.p.file.owner = nil
	}
}

// Write implements stream.Sink. The process may crash in the middle of a line.
func (f fileSink) Write(_ context.Context, b *stream.Batch) error {
	lines := encoder(f.sim.o.Seed).AppendBatch(nil, &stream.Batch{Forecasts: b.Forecasts})
	half := len(lines) / 2
	for _, part := range [][]byte{lines[:half], lines[half:]} {
		if len(part) == 0 {
			continue
		}
		err := f.effect(fmt.Sprintf("append %d bytes to the file", len(part)), func() error {
			f.p.file.bytes = append(slices.Clip(f.p.file.bytes), part...)
			return nil
		})
		if err != nil {
			return err
		}
	}
	if !b.Checkpoint || f.sim.o.Bug == FileUnsynced {
		return nil
	}
	return f.effect("sync the file", func() error {
		f.p.file.synced = len(f.p.file.bytes)
		return nil
	})
}

// Positions implements checkpoint.Positioner.
func (f fileSink) Positions() checkpoint.Positions {
	return checkpoint.Positions{{Output: f.name(), Length: int64(len(f.p.file.bytes))}}
}

// Resume implements checkpoint.Positioner.
func (f fileSink) Resume(at checkpoint.Positions) error {
	length, _ := at.Of(f.name())
	have := int64(len(f.p.file.bytes))
	if length > have {
		return fmt.Errorf("faultsim: the file of partition %d has %d bytes, the checkpoint says %d", f.p.number, have, length)
	}
	switch f.sim.o.Bug {
	case FileUncut:
		return nil
	case FileCutToLine: // no line is torn, but some lines appear twice
		length = int64(bytes.LastIndexByte(f.p.file.bytes, '\n') + 1)
	}
	return f.effect(fmt.Sprintf("cut the file to %d bytes", length), func() error {
		f.p.file.bytes = f.p.file.bytes[:length:length]
		f.p.file.synced = min(f.p.file.synced, int(length))
		return nil
	})
}

// Close implements stream.Sink.
func (f fileSink) Close() error { return nil }

// checkFile compares the file of a partition with the file of a run without failures.
func (s *sim) checkFile(p *partition) {
	got := make(map[string]int)
	for line := range bytes.Lines(p.file.bytes) {
		got[string(line)]++
	}
	for line, n := range got {
		if p.lines[line] != n {
			s.fail("the file of partition %d has %d times, not %d: %s", p.number, n, p.lines[line], line)
			return
		}
	}
	if len(got) != len(p.lines) {
		s.fail("the file of partition %d has %d lines, want %d", p.number, len(got), len(p.lines))
	}
}

// outputs lists the sinks of a worker; see wire.Outputs.
type outputs []interface {
	stream.Sink
	checkpoint.Positioner
}

var (
	_ stream.Sink           = outputs(nil)
	_ checkpoint.Positioner = outputs(nil)
)

// Write implements stream.Sink.
func (o outputs) Write(ctx context.Context, b *stream.Batch) error {
	for _, s := range o {
		if err := s.Write(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// Positions implements checkpoint.Positioner.
func (o outputs) Positions() checkpoint.Positions {
	all := checkpoint.Positions{}
	for _, s := range o {
		all = append(all, s.Positions()...)
	}
	return all
}

// Resume implements checkpoint.Positioner.
func (o outputs) Resume(at checkpoint.Positions) error {
	for _, s := range o {
		if err := s.Resume(at); err != nil {
			return err
		}
	}
	return nil
}

// Close implements stream.Sink.
func (o outputs) Close() error {
	for _, s := range o {
		_ = s.Close() // none fails
	}
	return nil
}
