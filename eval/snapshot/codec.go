// Package snapshot encodes the state of models and of the engine, and decodes it.
//
// One method describes both directions, so that writing and reading cannot differ:
//
//	func (m *Mean) State(c *snapshot.Codec) {
//		c.Section("mean")
//		c.Int(&m.n)
//		c.Float64s(m.sum) // length fixed by the constructor
//	}
//
// State that depends on settings which may change between saving and restoring goes into a
// Block, whose name says the settings; see Optional.
//
// An encoding Codec appends the fields; a decoding Codec fills them. Constructors know
// all lengths, so a decoder allocates nothing for a number it has read, except in String
// and Len, which have a limit. Errors are sticky: check Err or Finish once at the end.
//
// The format is little endian and of fixed width. A float64 is stored by its bits, so
// that a restored state equals the saved one bit for bit, NaN included.
package snapshot

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
)

// ErrCorrupt is wrapped by every error of decoding.
var ErrCorrupt = errors.New("snapshot: corrupt or incompatible state")

// Stateful is implemented by every part of a checkpoint.
type Stateful interface {
	// State reads or writes all fields that later results depend on.
	State(c *Codec)
}

// Codec is either an encoder or a decoder; see the package comment.
type Codec struct {
	buf      []byte
	decoding bool
	err      error

	measuring bool // encoded bytes are counted and dropped
	omitted   int  // number of dropped bytes

	sink   func(piece []byte) bool // receives encoded bytes; nil = they stay in buf
	source io.Reader               // decoded bytes that are not in buf yet; nil within a Block
	left   int64                   // number of these bytes
	window []byte                  // memory of buf

	scope *scope   // nil outside of a Block
	spare [][]byte // memory of tails
}

// NewEncoder returns a Codec that appends to dst, which may be nil.
func NewEncoder(dst []byte) *Codec { return &Codec{buf: dst} }

// pieceBytes is the least size of a piece of an encoder, and the size of the reads of a decoder.
const pieceBytes = 256 << 10

// Pieces yields the encoding of v in pieces, which end at calls of Cut. A piece is valid until the next one.
func Pieces(v Stateful) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		c := &Codec{sink: yield}
		v.State(c)
		c.flush()
	}
}

// Cut marks a place, outside of any Block, at which a piece may end.
func (c *Codec) Cut() {
	if len(c.buf) >= pieceBytes && (c.measuring || c.sink != nil) {
		c.flush()
	}
}

func (c *Codec) flush() {
	switch {
	case c.measuring:
		c.omitted += len(c.buf)
	case c.err == nil && len(c.buf) > 0 && !c.sink(c.buf):
		c.Fail("nobody takes the rest of it")
	}
	c.buf = c.buf[:0]
}

// Size returns the length of the encoding of v in bytes.
func Size(v Stateful) int64 {
	c := &Codec{measuring: true}
	v.State(c)
	c.flush()
	return int64(c.omitted)
}

// Length returns the length of v encoded within a Block, in bytes.
func Length(v Stateful) int { return int(Size(inBlock{v})) }

type inBlock struct{ v Stateful }

func (b inBlock) State(c *Codec) { c.Block(func() { b.v.State(c) }) }

// NewReader returns a Codec that decodes size bytes of src, reading in pieces.
func NewReader(src io.Reader, size int64) *Codec {
	return &Codec{decoding: true, source: src, left: size}
}

// fill reads until buf has n bytes, or src has no more.
func (c *Codec) fill(n int) {
	more := int(min(int64(max(n-len(c.buf), pieceBytes)), c.left))
	if c.err != nil || len(c.buf)+more < n {
		return
	}
	if size := len(c.buf) + more; size > cap(c.window) {
		c.window = make([]byte, size)
	}
	have := copy(c.window[:cap(c.window)], c.buf)
	c.buf = c.window[:have+more]
	if _, err := io.ReadFull(c.source, c.buf[have:]); err != nil {
		c.err = fmt.Errorf("snapshot: %w", err)
	}
	c.left -= int64(more)
}

// NewDecoder returns a Codec that decodes src. No field keeps a reference to src.
func NewDecoder(src []byte) *Codec { return &Codec{buf: src, decoding: true} }

// Decoding reports whether the Codec decodes. A State method uses it to recompute derived fields.
func (c *Codec) Decoding() bool { return c.decoding }

// Bytes returns the bytes encoded so far, or those not decoded yet.
func (c *Codec) Bytes() []byte { return c.buf }

// Left returns the number of bytes not decoded yet.
func (c *Codec) Left() int64 { return int64(len(c.buf)) + c.left }

// Err returns the first error.
func (c *Codec) Err() error { return c.err }

// Finish returns Err, or an error if some bytes were not decoded.
func (c *Codec) Finish() error {
	if c.err == nil && c.decoding && c.Left() != 0 {
		c.Fail("%d bytes left over", c.Left())
	}
	return c.err
}

// Fail records an error, unless there is one already. A State method calls it for a value that no encoder writes.
func (c *Codec) Fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("%w: %s", ErrCorrupt, fmt.Sprintf(format, args...))
	}
}

// take returns the next n bytes to be decoded. If there are fewer, it records an error and returns nil.
func (c *Codec) take(n int) []byte {
	if c.source != nil && n > len(c.buf) {
		c.fill(n)
	}
	if c.err != nil {
		return nil
	}
	if n < 0 || n > len(c.buf) {
		c.Fail("want %d bytes, have %d", n, len(c.buf))
		return nil
	}
	b := c.buf[:n]
	c.buf = c.buf[n:]
	return b
}

// Section encodes a name. Decoding fails if the name differs, and the error gives the place in the state.
func (c *Codec) Section(name string) {
	if !c.decoding {
		c.String(&name, len(name))
		return
	}
	var got string
	c.String(&got, 255)
	if c.err == nil && got != name {
		c.Fail("section %q where %q was expected", got, name)
	}
}

// Uint64 transfers one unsigned integer.
func (c *Codec) Uint64(v *uint64) {
	if !c.decoding {
		c.buf = binary.LittleEndian.AppendUint64(c.buf, *v)
		return
	}
	if b := c.take(8); b != nil {
		*v = binary.LittleEndian.Uint64(b)
	}
}

// Int64 transfers one signed integer.
func (c *Codec) Int64(v *int64) {
	u := uint64(*v)
	c.Uint64(&u)
	*v = int64(u)
}

// Int transfers one int as 64 bits.
func (c *Codec) Int(v *int) {
	i := int64(*v)
	c.Int64(&i)
	*v = int(i)
}

// Index transfers an int that must lie in [0, limit).
func (c *Codec) Index(v *int, limit int) {
	c.Int(v)
	if c.decoding && c.err == nil && (*v < 0 || *v >= limit) {
		c.Fail("index %d outside [0, %d)", *v, limit)
		*v = 0
	}
}

// Uint16 transfers one unsigned integer of 16 bits.
func (c *Codec) Uint16(v *uint16) {
	if !c.decoding {
		c.buf = binary.LittleEndian.AppendUint16(c.buf, *v)
		return
	}
	if b := c.take(2); b != nil {
		*v = binary.LittleEndian.Uint16(b)
	}
}

// Uint8s transfers the bytes of v. The length is not encoded.
func (c *Codec) Uint8s(v []uint8) {
	if !c.decoding {
		c.buf = append(c.buf, v...)
		return
	}
	copy(v, c.take(len(v)))
}

// Bool transfers one truth value.
func (c *Codec) Bool(v *bool) {
	if !c.decoding {
		var b byte
		if *v {
			b = 1
		}
		c.buf = append(c.buf, b)
		return
	}
	if b := c.take(1); b != nil {
		if b[0] > 1 {
			c.Fail("truth value %d", b[0])
			return
		}
		*v = b[0] == 1
	}
}

// Float64 transfers one number by its bits.
func (c *Codec) Float64(v *float64) {
	u := math.Float64bits(*v)
	c.Uint64(&u)
	*v = math.Float64frombits(u)
}

// Float64s transfers the numbers of v. Decoding fails unless the saved length is len(v).
func (c *Codec) Float64s(v []float64) {
	if !c.decoding {
		c.buf = binary.LittleEndian.AppendUint32(c.buf, uint32(len(v)))
		if c.measuring {
			c.omitted += 8 * len(v)
			return
		}
		end := len(c.buf)
		c.buf = slices.Grow(c.buf, 8*len(v))[:end+8*len(v)]
		for i, x := range v {
			binary.LittleEndian.PutUint64(c.buf[end+8*i:], math.Float64bits(x))
		}
		return
	}
	n := c.take(4)
	if n == nil {
		return
	}
	if got := binary.LittleEndian.Uint32(n); uint64(got) != uint64(len(v)) {
		c.Fail("vector of length %d where %d was expected", got, len(v))
		return
	}
	b := c.take(8 * len(v))
	if b == nil {
		return
	}
	for i := range v {
		v[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
}

// Float32s is Float64s for numbers of 32 bits.
func (c *Codec) Float32s(v []float32) {
	n := len(v)
	if c.Len(&n, math.MaxInt32); c.decoding && c.err == nil && n != len(v) {
		c.Fail("vector of length %d where %d was expected", n, len(v))
	}
	if c.measuring {
		c.omitted += 4 * len(v)
		return
	}
	if !c.decoding {
		end := len(c.buf)
		c.buf = slices.Grow(c.buf, 4*len(v))[:end+4*len(v)]
		for i, x := range v {
			binary.LittleEndian.PutUint32(c.buf[end+4*i:], math.Float32bits(x))
		}
		return
	}
	if b := c.take(4 * len(v)); b != nil {
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		}
	}
}

// Len transfers a length in [0, limit], for parts that grow, such as a map of series. A decoder must call it before
// it allocates.
func (c *Codec) Len(n *int, limit int) {
	c.Int(n)
	if c.decoding && (c.err != nil || *n < 0 || *n > limit) {
		c.Fail("length %d outside [0, %d]", *n, limit)
		*n = 0
	}
}

// String transfers a string of at most limit bytes.
func (c *Codec) String(s *string, limit int) {
	n := len(*s)
	c.Len(&n, limit)
	if !c.decoding {
		c.buf = append(c.buf, *s...)
		return
	}
	if b := c.take(n); b != nil {
		*s = string(b)
	}
}
