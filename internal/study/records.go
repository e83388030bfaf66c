package study

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/refuse"
)

// Records are the records of a file: every model of a study gets all of them in their order. Many records
// of a file are read again for each pass; few of them, and the records of a pipe, are held in memory.
type Records struct {
	Name    string
	Assumed string // about the format of the file
	Noted   string // likewise, of ordinary data

	list []decoded // unless they are read again
	open Open
	n    int // records that open gives; 0 = they are held

	before  *Records          // a history
	renamed map[string]string // series of the history by their names there

	spreads map[string]map[string][]float64 // scales of each series, by their rows
}

// Open opens a file at its beginning.
type Open func() (stream.Source, stream.Decoder, error)

// decoded is a record, or the reason for the refusal of a message or of a part.
type decoded struct {
	stream.Record
	refusal *refuse.Error
}

// ReadRecords reads a source to its end and holds its records.
func ReadRecords(ctx context.Context, name string, source stream.Source, decoder stream.Decoder) (*Records, error) {
	r := &Records{Name: name}
	return r, r.read(ctx, source, decoder, math.MaxInt)
}

// mostHeld is the approximate number of bytes up to which the records of a file are held.
const mostHeld = 1 << 25

// CountRecords reads a file to its end. If its records are more than mostHeld, they are read from it again
// whenever they are wanted.
func CountRecords(ctx context.Context, name string, open Open) (*Records, error) {
	return countRecords(ctx, name, open, mostHeld)
}

func countRecords(ctx context.Context, name string, open Open, most int) (*Records, error) {
	source, decoder, err := open()
	if err != nil {
		return nil, err
	}
	defer source.Close()
	r := &Records{Name: name, open: open}
	return r, r.read(ctx, source, decoder, most)
}

// read holds the records of a source, or counts them if they are more than most bytes.
func (r *Records) read(ctx context.Context, source stream.Source, decoder stream.Decoder, most int) error {
	held, n := 0, 0
	var counted *engine.Decoded // of a block after the last one that is held
	err := decode(ctx, source, decoder, func(messages int) *engine.Decoded {
		if held <= most {
			return engine.NewDecoded(messages)
		}
		if counted == nil {
			counted = engine.NewDecoded(messages)
		}
		counted.Reset()
		return counted
	}, func(record *stream.Record, refusal *refuse.Error) error {
		n++
		if held <= most {
			const each = 512 // of a record, its message and what they are part of
			held += each + len(record.Message.Value) + 8*len(record.Values)
			if r.list = append(r.list, decoded{*record, refusal}); held > most {
				r.list = nil
			}
		}
		return nil
	}, nil)
	if held > most {
		r.n = n // later rows of the file are not read
	} else {
		r.open = nil
	}
	return err
}

// decode reads a source to its end: blocks of messages, for whose parts it calls each, and then done.
func decode(ctx context.Context, source stream.Source, decoder stream.Decoder, block func(messages int) *engine.Decoded, each func(*stream.Record, *refuse.Error) error, done func() error) error {
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
// take turns in the caches more often, as several models would with smaller blocks.
const learnAtOnce, blockRecords = 16, 256

// walk calls f with all records, in blocks. They are valid during the call.
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
		return chunks(ctx, r.list, blockRecords, f)
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
		func(record *stream.Record, refusal *refuse.Error) error {
			if left != 0 {
				left--
				list = append(list, decoded{*record, refusal})
			}
			return nil
		},
		func() error { return chunks(ctx, list, blockRecords, f) })
}

// chunks calls f with parts of a list, of at most size records.
func chunks(ctx context.Context, list []decoded, size int, f func([]decoded) error) error {
	for records := range slices.Chunk(list, size) {
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
	n := len(r.list) + r.n
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
func RecordsOf(data *scoring.Dataset) *Records {
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

// learner learns records.
type learner struct {
	engine  *engine.Engine
	model   string                             // named by errors
	see     func(b *stream.Batch, records int) // gets each batch, with the number of its records
	batch   engine.Results
	elapsed time.Duration // of learning and forecasting
}

// learn learns records, learnAtOnce at a time.
func (l *learner) learn(ctx context.Context, block []decoded) error {
	return chunks(ctx, block, learnAtOnce, func(records []decoded) error {
		start := time.Now()
		for i := range records {
			if records[i].refusal != nil {
				continue
			}
			if err := l.engine.Learn(&l.batch, &records[i].Record); err != nil {
				return fmt.Errorf("%s: %s: %w", l.model, records[i].Message.Origin(), err)
			}
		}
		l.elapsed += time.Since(start)
		if err := l.engine.Score(&l.batch); err != nil {
			return fmt.Errorf("%s: %s: %w", l.model, records[0].Message.Origin(), err)
		}
		l.see(&l.batch.Batch, len(records))
		l.batch.Reset()
		return nil
	})
}

// teach passes all records to the learners in one pass, block by block: each block goes to all
// learners before the next. It refuses what Samples refuses.
func (r *Records) teach(ctx context.Context, learners ...*learner) error {
	return r.walk(ctx, func(block []decoded) error {
		for _, l := range learners {
			if err := l.learn(ctx, block); err != nil {
				return err
			}
		}
		return nil
	})
}
