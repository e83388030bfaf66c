package engine

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/refuse"
)

// Decoded holds copies of messages and of their decoded parts. Source and decoder may continue while the engine
// reads them.
type Decoded struct {
	messages []decodedMessage
	parts    []part // parts of all messages
	deleted  int    // number of messages that only delete an earlier one

	bytes  arena[byte]    // keys and values of messages
	floats arena[float64] // Record.Values
	ints   arena[int64]   // Record.Since
	names  arena[string]  // Record.Names
	last   []string       // last copied Names
}

// NewDecoded returns a Decoded with room for n messages of one record each.
func NewDecoded(n int) *Decoded {
	return &Decoded{messages: make([]decodedMessage, 0, n), parts: make([]part, 0, n)}
}

type decodedMessage struct {
	message stream.Message
	to      int   // index after its last part
	err     error // fatal: not a *refuse.Error
}

// part is one record of a message, or its refusal.
type part struct {
	record  stream.Record
	refusal *refuse.Error  // nil: record is valid
	split   bool           // message is set
	message stream.Message // piece of the message with this record
}

// Len returns the number of messages.
func (d *Decoded) Len() int { return len(d.messages) }

// Deleted returns the number of messages that only delete an earlier one and have no record.
func (d *Decoded) Deleted() int { return d.deleted }

// Offset returns the offset of the i-th message.
func (d *Decoded) Offset(i int) int64 { return d.messages[i].message.Offset }

// Mark returns the mark of the i-th message.
func (d *Decoded) Mark(i int) stream.Mark { return d.messages[i].message.Mark() }

// at returns the i-th message and its parts.
func (d *Decoded) at(i int) (*decodedMessage, []part) {
	from := 0
	if i > 0 {
		from = d.messages[i-1].to
	}
	m := &d.messages[i]
	return m, d.parts[from:m.to]
}

// Parts calls each for every part of the i-th message, in order, with either a record or a refusal. With a refusal,
// only Message of the record is set. Records are valid until Reset. Parts returns the first error of each, or else
// the error of the decoder.
func (d *Decoded) Parts(i int, each func(r *stream.Record, refusal *refuse.Error) error) error {
	m, parts := d.at(i)
	if m.message.Refused != nil {
		return each(&stream.Record{Message: &m.message}, m.message.Refused)
	}
	for k := range parts {
		p := &parts[k]
		p.record.Message = &m.message
		if p.split {
			p.record.Message = &p.message
		}
		if err := each(&p.record, p.refusal); err != nil {
			return fmt.Errorf("%s: %w", m.message.Origin(), err)
		}
	}
	if m.err != nil {
		return fmt.Errorf("%s: %w", m.message.Origin(), m.err)
	}
	return nil
}

// Reset empties d and keeps its memory.
func (d *Decoded) Reset() {
	d.messages, d.parts, d.last, d.deleted = d.messages[:0], d.parts[:0], nil, 0
	d.bytes.reset()
	d.floats.reset()
	d.ints.reset()
	d.names.reset()
}

// Decode appends a copy of m and its parts.
func (d *Decoded) Decode(decoder stream.Decoder, m *stream.Message) {
	n := len(d.messages)
	d.messages = append(d.messages, decodedMessage{message: *m})
	e := &d.messages[n]
	e.message.Key, e.message.Value = d.bytes.copy(m.Key), d.bytes.copy(m.Value)
	if m.Refused == nil {
		if s, ok := decoder.(stream.Splitter); ok {
			e.err = d.split(s, &e.message)
		} else {
			p := d.next(&e.message)
			e.err = d.keep(p, decoder.Decode(&p.record, &e.message))
		}
	}
	e.to = len(d.parts)
}

// split appends the parts of m.
func (d *Decoded) split(s stream.Splitter, m *stream.Message) error {
	s.Split(m)
	for {
		p := d.next(m)
		err := d.keep(p, s.Next(&p.record))
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		p.message, p.split = *p.record.Message, true
	}
}

// next appends an empty part of m for the decoder to fill.
func (d *Decoded) next(m *stream.Message) *part {
	n := len(d.parts)
	d.parts = slices.Grow(d.parts, 1)[:n+1]
	p := &d.parts[n]
	p.record, p.split, p.refusal = stream.Record{Message: m}, false, nil
	return p
}

// keep copies the slices of the record in p, the last part, because they belong to the decoder. A *refuse.Error
// becomes the refusal of p. Any other error removes p.
func (d *Decoded) keep(p *part, err error) error {
	if err != nil {
		if errors.As(err, &p.refusal) {
			return nil
		}
		d.parts = d.parts[:len(d.parts)-1]
		if errors.Is(err, stream.ErrDeleted) {
			d.deleted++
			return nil
		}
		return err
	}
	p.record.Values = d.floats.copy(p.record.Values)
	if p.record.Since != nil {
		p.record.Since = d.ints.copy(p.record.Since)
	}
	if names := p.record.Names; names != nil {
		if d.last == nil || !slices.Equal(d.last, names) { // consecutive records often share names
			d.last = d.names.copy(names)
		}
		p.record.Names = d.last
	}
	return nil
}
