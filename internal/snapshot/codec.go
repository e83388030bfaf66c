// Package snapshot turns the state of a model or of the engine into bytes and
// back.
//
// One method describes both directions, so that writing and reading cannot
// drift apart:
//
//	func (m *Mean) State(c *snapshot.Codec) {
//		c.Section("mean")
//		c.Int(&m.n)
//		c.Float64s(m.sum) // length fixed by the constructor
//	}
//
// An encoding Codec appends the fields; a decoding Codec fills them. All
// lengths are known to the constructor, therefore a decoder never allocates
// because of a number it has read, except through the bounded String, Bytes and
// Len. Errors are sticky: check Err once at the end.
//
// The format is little endian and fixed width; floats are stored by their bits,
// so that a restored state equals the saved one bit for bit, NaN included.
package snapshot

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// ErrCorrupt is wrapped by every error that a decoder reports.
var ErrCorrupt = errors.New("snapshot: corrupt or incompatible state")

// Stateful is implemented by everything that a checkpoint carries.
type Stateful interface {
	// State reads or writes every field that later results depend on.
	State(c *Codec)
}

// Codec is either an encoder or a decoder; see the package comment.
type Codec struct {
	buf      []byte
	decoding bool
	err      error
}

// NewEncoder returns a Codec that appends to dst, which may be nil.
func NewEncoder(dst []byte) *Codec { return &Codec{buf: dst} }

// NewDecoder returns a Codec that reads src. It keeps no reference to src in
// anything it fills.
func NewDecoder(src []byte) *Codec { return &Codec{buf: src, decoding: true} }

// Decoding reports whether the Codec reads. A State method needs it only to
// rebuild what is derived from the saved fields.
func (c *Codec) Decoding() bool { return c.decoding }

// Bytes returns what an encoder has written so far, or what a decoder has not
// yet read.
func (c *Codec) Bytes() []byte { return c.buf }

// Err returns the first error.
func (c *Codec) Err() error { return c.err }

// Finish returns Err, or an error when a decoder has bytes left over.
func (c *Codec) Finish() error {
	if c.err == nil && c.decoding && len(c.buf) != 0 {
		c.Fail("%d bytes left over", len(c.buf))
	}
	return c.err
}

// Fail records an error of the given text, unless one was recorded before.
// State methods use it to refuse values that no encoder would have written.
func (c *Codec) Fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("%w: %s", ErrCorrupt, fmt.Sprintf(format, args...))
	}
}

// take returns the next n bytes of a decoder, or nil after recording an error.
func (c *Codec) take(n int) []byte {
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

// Section writes a name, or checks that the same name comes next. It costs a
// few bytes and turns a mismatch into an error that says where it is.
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

// Float64s transfers len(v) numbers; the length is checked when decoding and
// never changed.
func (c *Codec) Float64s(v []float64) {
	if !c.decoding {
		b := c.room(len(v), 8)
		for i, x := range v {
			binary.LittleEndian.PutUint64(b[8*i:], math.Float64bits(x))
		}
		return
	}
	b := c.takeVector(len(v), 8)
	if b == nil {
		return
	}
	for i := range v {
		v[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
}

// room writes the length n of a vector and returns where its numbers belong, of size
// bytes each.
func (c *Codec) room(n, size int) []byte {
	c.buf = binary.LittleEndian.AppendUint32(c.buf, uint32(n))
	end := len(c.buf) + n*size
	c.buf = slices.Grow(c.buf, n*size)[:end]
	return c.buf[end-n*size:]
}

// takeVector returns the n numbers of a vector, of size bytes each, or nil.
func (c *Codec) takeVector(n, size int) []byte {
	b := c.take(4)
	if b == nil {
		return nil
	}
	if got := binary.LittleEndian.Uint32(b); uint64(got) != uint64(n) {
		c.Fail("vector of length %d where %d was expected", got, n)
		return nil
	}
	return c.take(size * n)
}

// Len transfers a length that must lie in [0, limit]. Use it for what may grow
// (a map of series, a list of pending forecasts) and only allocate afterwards.
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

// Blob transfers a byte slice of at most limit bytes.
func (c *Codec) Blob(p *[]byte, limit int) {
	n := len(*p)
	c.Len(&n, limit)
	if !c.decoding {
		c.buf = append(c.buf, *p...)
		return
	}
	if b := c.take(n); b != nil {
		*p = append((*p)[:0], b...)
	}
}
