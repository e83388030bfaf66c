package snapshot

import "encoding/binary"

// scope is the present block of a Codec: a body, then named options.
type scope struct {
	tail    []byte   // options encoded so far
	options []option // decoded options that Optional has not read yet
}

type option struct {
	name string
	data []byte
}

const maxName = 1 << 10

// Block transfers the fields of f as a block, within which Optional blocks may be missing.
func (c *Codec) Block(f func()) {
	if c.decoding {
		c.decodeBlock(c.span(), f)
		return
	}
	at := c.reserve()
	c.encodeBlock(f)
	c.patch(at)
}

// Optional transfers the fields of f as a named block within a Block. The name identifies the settings on which the
// layout depends. If the block being decoded has no option of this name, f is not called. Options that are never
// read are dropped. Outside of a Block, Optional only calls f.
func (c *Codec) Optional(name string, f func()) {
	switch s := c.scope; {
	case s == nil:
		f()
	case !c.decoding:
		c.buf, s.tail = s.tail, c.buf
		c.String(&name, maxName)
		at := c.reserve()
		c.encodeBlock(f)
		c.patch(at)
		c.buf, s.tail = s.tail, c.buf
	default:
		for i, o := range s.options {
			if o.name == name {
				s.options = append(s.options[:i], s.options[i+1:]...)
				c.decodeBlock(o.data, f)
				return
			}
		}
	}
}

func (c *Codec) encodeBlock(f func()) {
	outer, s := c.scope, new(scope)
	if n := len(c.spare); n > 0 {
		s.tail, c.spare = c.spare[n-1], c.spare[:n-1]
	}
	c.scope = s
	at := c.reserve()
	f()
	c.patch(at)
	c.buf = append(c.buf, s.tail...)
	c.scope, c.spare = outer, append(c.spare, s.tail[:0])
}

func (c *Codec) decodeBlock(data []byte, f func()) {
	outer, rest, source, s := c.scope, c.buf, c.source, new(scope)
	c.buf, c.source = data, nil
	body := c.span()
	for len(c.buf) > 0 && c.err == nil {
		var o option
		c.String(&o.name, maxName)
		o.data = c.span()
		s.options = append(s.options, o)
	}
	if c.err == nil {
		c.buf, c.scope = body, s
		f()
		if c.err == nil && len(c.buf) != 0 {
			c.Fail("%d bytes left over in a block", len(c.buf))
		}
	}
	c.buf, c.scope, c.source = rest, outer, source
}

// reserve leaves room for a length, which patch fills in, and returns the place after it.
func (c *Codec) reserve() int {
	c.buf = append(c.buf, 0, 0, 0, 0, 0, 0, 0, 0)
	return len(c.buf)
}

func (c *Codec) patch(at int) {
	binary.LittleEndian.PutUint64(c.buf[at-8:], uint64(len(c.buf)-at))
}

// span reads a length and returns as many of the next bytes.
func (c *Codec) span() []byte {
	var n int
	limit := len(c.buf)
	if c.source != nil {
		limit = int(c.Left())
	}
	c.Len(&n, limit)
	return c.take(n)
}
