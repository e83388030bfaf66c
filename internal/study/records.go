package study

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
)

// Records are the records of a file: every model of a study gets all of them in their order. They are
// read from the file for each; records of a pipe are held in memory.
type Records struct {
	Name    string
	Assumed string // about the format of the file

	list []decoded // unless they are read again
	open Open
	n    int // records that open gives

	before  *Records          // a history
	renamed map[string]string // series of the history by their names there

	spreads map[string]map[string][]float64 // scales of each series, by the rows that they are those of
}

// Open opens a file at its beginning.
type Open func() (stream.Source, stream.Decoder, error)

// decoded is a record, or the reason for the refusal of a message or of a part.
type decoded struct {
	stream.Record
	refusal *stream.DataError
}

// ReadRecords reads a source to its end and holds its records.
func ReadRecords(ctx context.Context, name string, source stream.Source, decoder stream.Decoder) (*Records, error) {
	r := &Records{Name: name}
	keep := func(record *stream.Record, refusal *stream.DataError) error {
		r.list = append(r.list, decoded{*record, refusal})
		return nil
	}
	return r, decode(ctx, source, decoder, func(n int) *engine.Decoded { return engine.NewDecoded(n) }, keep, nil)
}

// CountRecords reads a file to its end. The records are read from it again whenever they are wanted.
func CountRecords(ctx context.Context, name string, open Open) (*Records, error) {
	r := &Records{Name: name, open: open, n: -1}
	n := 0
	err := r.walk(ctx, func(records []decoded) error { n += len(records); return nil })
	r.n = n // later rows of the file are not read
	return r, err
}

// decode reads a source to its end: blocks of messages, for whose parts it calls each, and then done.
func decode(ctx context.Context, source stream.Source, decoder stream.Decoder, block func(messages int) *engine.Decoded, each func(*stream.Record, *stream.DataError) error, done func() error) error {
	messages := make([]stream.Message, 256)
	for {
		n, err := source.Read(ctx, messages)
		all := block(n)
		for i := range n {
			all.Decode(decoder, &messages[i])
		}
		for i := range n {
			if err := all.Parts(i, each); err != nil {
				return err
			}
		}
		if done != nil {
			if err := done(); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// learnAtOnce is the number of records of a batch. With fewer, the model and the scores would
// take turns in the caches more often.
const learnAtOnce = 16

// walk calls f with all records, at most learnAtOnce at once. They are valid during the call.
func (r *Records) walk(ctx context.Context, f func([]decoded) error) error {
	if r.before != nil {
		err := r.before.walk(ctx, func(records []decoded) error {
			records = slices.Clone(records)
			for i, d := range records {
				if name, ok := r.renamed[d.Series]; ok {
					records[i].Series = name
				}
			}
			return f(records)
		})
		if err != nil {
			return err
		}
	}
	if r.open == nil {
		return chunks(ctx, r.list, f)
	}
	source, decoder, err := r.open()
	if err != nil {
		return err
	}
	defer source.Close()
	var block engine.Decoded
	var list []decoded
	left := r.n
	return decode(ctx, source, decoder, func(int) *engine.Decoded { block.Reset(); list = list[:0]; return &block },
		func(record *stream.Record, refusal *stream.DataError) error {
			if left != 0 {
				left--
				list = append(list, decoded{*record, refusal})
			}
			return nil
		},
		func() error { return chunks(ctx, list, f) })
}

func chunks(ctx context.Context, list []decoded, f func([]decoded) error) error {
	for records := range slices.Chunk(list, learnAtOnce) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f(records); err != nil {
			return err
		}
	}
	return nil
}

// Len returns the number of records, with those that could not be decoded.
func (r *Records) Len() int {
	n := len(r.list) + max(r.n, 0)
	if r.before != nil {
		n += r.before.Len()
	}
	return n
}

// Each calls f with every record.
func (r *Records) Each(ctx context.Context, f func(*stream.Record)) error {
	return r.walk(ctx, func(records []decoded) error {
		for i := range records {
			if records[i].refusal == nil {
				f(&records[i].Record)
			}
		}
		return nil
	})
}

// RecordsOf returns the rows of a data set as records, one second apart.
func RecordsOf(data *eval.Dataset) *Records {
	r := &Records{Name: data.Name}
	for _, s := range data.Series {
		for i, row := range s.Rows {
			r.list = append(r.list, decoded{Record: stream.Record{
				Message: &stream.Message{}, Series: s.Name, Time: int64(i+1) * 1e9, Names: data.Variables, Values: row,
			}})
		}
	}
	return r
}

// learn passes all records to the engine and each batch, with the number of its records, to see.
// It returns the time for learning and forecasting. Refusals are those of Samples.
func (r *Records) learn(ctx context.Context, e *engine.Engine, see func(b *stream.Batch, records int)) (elapsed time.Duration, err error) {
	var batch engine.Results
	err = r.walk(ctx, func(records []decoded) error {
		start := time.Now()
		for i := range records {
			if records[i].refusal != nil {
				continue
			}
			if err := e.Learn(&batch, &records[i].Record); err != nil {
				return fmt.Errorf("%s: %w", records[i].Message.Origin(), err)
			}
		}
		elapsed += time.Since(start)
		if err := e.Score(&batch); err != nil {
			return fmt.Errorf("%s: %w", records[0].Message.Origin(), err)
		}
		see(&batch.Batch, len(records))
		batch.Reset()
		return nil
	})
	return elapsed, err
}
