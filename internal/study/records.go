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

// Records are the records of a file, which each model of a study gets in order. The records of a pipe or a small file are
// held in memory. A large file is read again for each pass.
type Records struct {
	Name    string
	Assumed string // about the format of the file
	Noted   string // assumptions that are safe for ordinary data

	WithoutClock bool // the times are numbers of rows

	list []decoded // the records; nil: the file is read again
	open Open
	n    int // number of records that are read again; 0: they are held

	before  *Records          // history; nil: none
	renamed map[string]string // name of a series in the history -> name in the file

	spreads map[string]map[string][]float64 // by rows, then by series: scales of the variables
}

// Open opens a file at its beginning.
type Open func() (stream.Source, stream.Decoder, error)

// decoded is a record, or the refusal of a message or a part of one.
type decoded struct {
	stream.Record
	refusal *refuse.Error
}

// ReadRecords reads a source to its end and holds its records in memory.
func ReadRecords(ctx context.Context, name string, source stream.Source, decoder stream.Decoder) (*Records, error) {
	r := &Records{Name: name}
	return r, r.read(ctx, source, decoder, math.MaxInt)
}

// mostHeld is the approximate size in bytes up to which the records of a file are held in memory.
const mostHeld = 1 << 25

// CountRecords reads a file to its end. Records of more than mostHeld bytes are counted, and read again for each pass.
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

// read holds the records of a source in memory, or counts them if they need more than most bytes.
func (r *Records) read(ctx context.Context, source stream.Source, decoder stream.Decoder, most int) error {
	held, n := 0, 0
	var counted *engine.Decoded // block of a message that is counted, not held
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
			const each = 512 // approximate bytes of a record and its message
			held += each + len(record.Message.Value) + 8*len(record.Values)
			if r.list = append(r.list, decoded{*record, refusal}); held > most {
				r.list = nil
			}
		}
		return nil
	}, nil)
	if held > most {
		r.n = n // a growing file: later rows are not read
	} else {
		r.open = nil
	}
	return err
}

// decode reads a source to its end in blocks of messages. For each block it calls each with the records, then done.
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

// learnAtOnce is the number of records per batch, blockRecords the number per block. With smaller batches, the model and
// its scores evict each other from the caches more often; with smaller blocks, several models do.
const learnAtOnce, blockRecords = 16, 256

// walk calls f with all records, in blocks. A block is valid during the call.
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

// chunks calls f with parts of a list, at most size records each.
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

// Len returns the number of records, including those that could not be decoded.
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

// learner is an engine that learns the records of a study.
type learner struct {
	engine  *engine.Engine
	model   string                             // name of the model, for errors
	see     func(b *stream.Batch, records int) // called with each batch and the number of its records
	batch   engine.Results
	elapsed time.Duration // time spent on learning and forecasting
}

// learn learns the records of a block, learnAtOnce per batch.
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
		return l.score(records)
	})
}

// end learns the rows that wait for further records.
func (l *learner) end() error {
	if some, err := l.engine.Close(&l.batch); err != nil || !some {
		return err
	}
	return l.score(nil)
}

// score scores the batch, to which records led.
func (l *learner) score(records []decoded) error {
	if err := l.engine.Score(&l.batch); err != nil {
		if len(records) > 0 {
			err = fmt.Errorf("%s: %w", records[0].Message.Origin(), err)
		}
		return fmt.Errorf("%s: %w", l.model, err)
	}
	for i := range l.batch.DeadLetters {
		// Without them the scores would be those of other rows, and of other rows for each model.
		if refused := &l.batch.DeadLetters[i]; refused.Reason == refuse.Memory {
			return fmt.Errorf("%s: %s: %s; give the models more with model.memory, or choose a lighter one", l.model, refused.Message.Origin(), refused.Detail)
		}
	}
	l.see(&l.batch.Batch, len(records))
	l.batch.Reset()
	return nil
}

// teach passes all records to the learners in one pass: each block goes to all learners before the next block. It refuses
// the same records as Samples.
func (r *Records) teach(ctx context.Context, learners ...*learner) error {
	err := r.walk(ctx, func(block []decoded) error {
		for _, l := range learners {
			if err := l.learn(ctx, block); err != nil {
				return err
			}
		}
		return nil
	})
	for _, l := range learners {
		if err == nil {
			err = l.end()
		}
	}
	return err
}
