package wire

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/file"
	"github.com/orffvar/forecaster/stream/refuse"
)

// aheadRows is the least number of messages that are read ahead for their inputs. It counts the messages of all series.
const aheadRows = 4096

// Messages returns the messages of a file and their decoder. known: the exogenous inputs of all forecast rows are known
// in advance, like a schedule.
func Messages(src *file.Source, m config.Model, known bool) (stream.Source, stream.Decoder) {
	if !known || len(m.Exogenous) == 0 {
		return src, src.Decoder()
	}
	ahead := &inputsAhead{Source: src, decoder: src.Decoder(), scout: src.Decoder(), rows: max(aheadRows, m.Horizon), exogenous: m.Exogenous, until: make(map[string]int64)}
	return ahead, ahead
}

// inputsAhead is a source and the decoder of its messages. It reads ahead, and delivers the exogenous inputs of later
// messages before those messages.
type inputsAhead struct {
	stream.Source
	decoder   stream.Decoder
	scout     stream.Decoder // decoder of the messages that are read ahead
	rows      int
	exogenous []string
	until     map[string]int64 // last time of each series at which an exogenous input is known
	ended     bool
	queue     []stream.Message // read and not delivered yet
	one       engine.Decoded
	inputs    []stream.Record // inputs read and not delivered yet

	rest bool // the message itself was not decoded yet; for a decoder that is not a Splitter
	now  *stream.Message
}

// Read implements stream.Source.
func (s *inputsAhead) Read(ctx context.Context, dst []stream.Message) (int, error) {
	var read [256]stream.Message
	for !s.ended && len(s.queue) < s.rows+len(dst) {
		n, err := s.Source.Read(ctx, read[:])
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		s.ended = err != nil
		for i := range n {
			if err := s.keep(read[i]); err != nil {
				return 0, err
			}
		}
	}
	n := copy(dst, s.queue)
	s.queue = s.queue[n:]
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// keep queues a copy of m with its records.
func (s *inputsAhead) keep(m stream.Message) error {
	m.Key, m.Value = slices.Clone(m.Key), slices.Clone(m.Value)
	s.queue = append(s.queue, m)
	s.one.Reset()
	s.one.Decode(s.scout, &m)
	return s.one.Parts(0, func(r *stream.Record, refusal *refuse.Error) error {
		if refusal == nil {
			s.note(r)
			s.inputs = append(s.inputs, stream.Record{
				Series: r.Series, Time: r.Time, Names: slices.Clone(r.Names), Values: slices.Clone(r.Values), Ahead: true,
			})
		}
		return nil
	})
}

// note keeps the time of r if it has a value of an exogenous input.
func (s *inputsAhead) note(r *stream.Record) {
	for i, v := range r.Values {
		if last, known := s.until[r.Series]; v == v && i < len(r.Names) && slices.Contains(s.exogenous, r.Names[i]) && (!known || r.Time > last) {
			s.until[r.Series] = r.Time
		}
	}
}

// KnownUntil returns the last time of each series at which an exogenous input is known, for a decoder of Messages that
// reads ahead; nil for others.
func KnownUntil(d stream.Decoder) map[string]int64 {
	if s, ok := d.(*inputsAhead); ok {
		return s.until
	}
	return nil
}

// Decode implements stream.Decoder, with the records of m itself.
func (s *inputsAhead) Decode(r *stream.Record, m *stream.Message) error {
	return s.decoder.Decode(r, m)
}

// Split implements stream.Splitter.
func (s *inputsAhead) Split(m *stream.Message) {
	s.now, s.rest = m, true
	if inner, ok := s.decoder.(stream.Splitter); ok {
		inner.Split(m)
	}
}

// Next implements stream.Splitter. The inputs that were read ahead come first.
func (s *inputsAhead) Next(r *stream.Record) error {
	if len(s.inputs) > 0 {
		*r = s.inputs[0]
		r.Message, s.inputs = s.now, s.inputs[1:]
		return nil
	}
	if inner, ok := s.decoder.(stream.Splitter); ok {
		return inner.Next(r)
	}
	if !s.rest {
		return io.EOF
	}
	s.rest = false
	r.Message = s.now
	return s.decoder.Decode(r, s.now)
}
