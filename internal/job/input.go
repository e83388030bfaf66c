package job

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/file"
	"github.com/orffvar/forecaster/stream/refuse"
)

// OpenFile opens the input file. It returns an error if the file lacks a variable that cfg names, or if its samples do not
// fit pipeline.interval. Standard input and pipes can be read only once: namedSource and CheckRecords check them.
func OpenFile(ctx context.Context, cfg *config.Config, log *slog.Logger) (*file.Source, error) {
	src, err := wire.OpenFile(cfg)
	if err != nil || !wire.InputFile(cfg).Rereadable() {
		return src, err
	}
	if err = checkOrder(ctx, cfg); err == nil {
		err = checkNames(ctx, cfg, log, src)
	}
	if err == nil {
		err = checkSpacing(ctx, cfg)
	}
	if err != nil {
		src.Close()
		return nil, err
	}
	return src, nil
}

// checkOrder returns an error if several files overlap in time.
func checkOrder(ctx context.Context, cfg *config.Config) error {
	f := wire.InputFile(cfg)
	if len(f.More) == 0 && !file.IsSeveral(f.Path) {
		return nil
	}
	src, err := wire.OpenFile(cfg)
	if err != nil {
		return err
	}
	defer src.Close()
	return src.CheckOrder(ctx)
}

// checkNames returns an error if a regular file lacks a required variable. It reads the header, or records until all
// required variables were found.
func checkNames(ctx context.Context, cfg *config.Config, log *slog.Logger, src *file.Source) error {
	n := newNameCheck(cfg)
	if names := src.Variables(); names != nil {
		n.add(names)
		return n.result(log)
	}
	if n.fits() {
		return nil
	}
	err := firstRecords(ctx, cfg, func(r *stream.Record, refusal *refuse.Error) error {
		if refusal == nil {
			n.add(r.Names)
		}
		if n.fits() {
			return io.EOF
		}
		return nil
	})
	if err != nil || n.fits() {
		return err
	}
	return n.result(log)
}

// firstRecords calls f with the records and refusals of the input file until f returns io.EOF.
func firstRecords(ctx context.Context, cfg *config.Config, f func(*stream.Record, *refuse.Error) error) error {
	src, err := wire.OpenFile(cfg)
	if err != nil {
		return err
	}
	defer src.Close()
	messages, decoder := make([]stream.Message, 256), src.Decoder()
	var all engine.Decoded
	for {
		all.Reset()
		n, end := src.Read(ctx, messages)
		for i := range n {
			all.Decode(decoder, &messages[i])
			err := all.Parts(i, f)
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
		}
		if errors.Is(end, io.EOF) {
			return nil
		}
		if end != nil {
			return end
		}
	}
}

// CheckRecords makes the checks that OpenFile could not: on the records of standard input or a pipe, and on the names in
// rules and bounds if records name the variables. each calls f with every record.
func CheckRecords(cfg *config.Config, log *slog.Logger, src *file.Source, each func(f func(*stream.Record)) error) error {
	regular := wire.InputFile(cfg).Rereadable()
	if regular && src.Variables() != nil {
		return nil
	}
	names, watch := newNameCheck(cfg), NewGapWatch(cfg)
	err := each(func(r *stream.Record) {
		names.add(r.Names)
		watch.AddRecord(r)
	})
	if err != nil {
		return err
	}
	if err := names.result(log); err != nil || regular {
		return err
	}
	return watch.check()
}

// namedSource checks the names of variables while it reads messages: by the header as soon as it is known, otherwise by all
// records.
type namedSource struct {
	stream.Source
	file    *file.Source
	decoder stream.Decoder // separate from the runner's decoder
	names   *nameCheck     // nil: the check is done
	early   bool           // the first record has the names of all others
	log     *slog.Logger
	all     engine.Decoded
}

// withNames returns messages from src with the checks that OpenFile could not make.
func withNames(cfg *config.Config, log *slog.Logger, messages stream.Source, src *file.Source) stream.Source {
	n := newNameCheck(cfg)
	if n.done() || src.Variables() != nil {
		return messages
	}
	early := !wire.InputFile(cfg).Rereadable() && cfg.Pipeline.Interval == 0 // records are whole samples, not checked yet
	return &namedSource{Source: messages, file: src, decoder: src.Decoder(), names: n, early: early, log: log}
}

// Read implements stream.Source.
func (s *namedSource) Read(ctx context.Context, dst []stream.Message) (int, error) {
	n, err := s.Source.Read(ctx, dst)
	if s.names == nil {
		return n, err
	}
	if header := s.file.Variables(); header != nil {
		s.names.add(header)
		if failed := s.names.result(s.log); failed != nil {
			return 0, failed
		}
		s.names = nil
		return n, err
	}
	s.all.Reset()
	for i := 0; i < n && !s.names.done(); i++ {
		s.all.Decode(s.decoder, &dst[i])
		_ = s.all.Parts(i, s.record) // the runner decodes again, and returns the error
	}
	if errors.Is(err, io.EOF) {
		err = cmp.Or(s.names.result(s.log), err)
	}
	return n, err
}

// record adds the names of a record. It warns early of a name that the first record lacks: the error comes only after the
// last record.
func (s *namedSource) record(r *stream.Record, refusal *refuse.Error) error {
	first := len(s.names.found) == 0
	if refusal == nil {
		s.names.add(r.Names)
	}
	if first && s.early && len(s.names.found) > 0 {
		for _, c := range s.names.missing {
			if c.required {
				s.log.Warn(s.names.problem(c, "first row"))
			}
		}
	}
	return nil
}

// Seek implements checkpoint.Seeker if the source does.
func (s *namedSource) Seek(ctx context.Context, next int64, last stream.Mark) error {
	if seeker, ok := s.Source.(checkpoint.Seeker); ok {
		return seeker.Seek(ctx, next, last)
	}
	return nil
}
