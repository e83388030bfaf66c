package file

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/orffvar/forecaster/stream/file/internal/csvfield"
)

// arrowBatch opens the columns of a batch of rows.
type arrowBatch struct {
	r         *arrowReader
	body, end int64
	rows      int64
	buffers   []byte // offset and length of each buffer that no column has taken yet
	views     []byte // number of data buffers of each view column that is not opened yet
	codec     int64  // number of the compression codec; -1: not compressed
}

const (
	lz4Codec  = 0
	zstdCodec = 1
)

func newArrowBatch(r *arrowReader, t flatTable, body, end int64) *arrowBatch {
	b := &arrowBatch{r: r, body: body, end: end, rows: t.number(0, 8, 0), codec: -1}
	b.buffers, _ = t.vector(2, 16)
	b.views, _ = t.vector(4, 8)
	if c, ok := t.table(3); ok {
		b.codec = c.number(0, 1, lz4Codec)
	}
	if b.rows < 0 {
		panic("a negative number of rows")
	}
	return b
}

// arrowBuffer is a range of bytes in a file.
type arrowBuffer struct{ at, length int64 }

func (b *arrowBatch) next() arrowBuffer {
	x := arrowBuffer{b.body + littleInt(b.buffers[:8]), littleInt(b.buffers[8:16])}
	b.buffers = b.buffers[16:]
	if x.at < b.body || x.length < 0 || x.at+x.length > b.end {
		panic("a buffer outside of its part")
	}
	return x
}

// open opens a field and its nested fields, and returns the columns of single values. above are the validity
// bitmaps of the enclosing structs.
func (b *arrowBatch) open(f *arrowField, above []arrowBuffer) (columns []arrowCells, err error) {
	own := make([]arrowBuffer, f.buffers())
	for i := range own {
		own[i] = b.next()
	}
	if f.view() {
		n := littleInt(b.views[:8])
		b.views = b.views[8:]
		for range n {
			own = append(own, b.next())
		}
	}
	if f.kind == arrowStruct && own[0].length > 0 {
		above = append(slices.Clip(above), own[0])
	}
	for _, child := range f.children {
		more, err := b.open(child, above)
		if err != nil {
			return nil, err
		}
		columns = append(columns, more...)
	}
	if f.list {
		return nil, nil
	}
	if f.kind == arrowStruct {
		return columns, nil
	}
	c := arrowCells{arrowField: f}
	valid := above
	if len(own) > 0 && own[0].length > 0 {
		valid = append(slices.Clip(valid), own[0])
	}
	for _, v := range valid {
		r, err := b.reader(v)
		if err != nil {
			return nil, err
		}
		c.valid = append(c.valid, bits{r: r})
	}
	if f.kind == arrowNull {
		return []arrowCells{c}, nil
	}
	if c.data, err = b.reader(own[1]); err != nil {
		return nil, err
	}
	return []arrowCells{c}, c.openTexts(b, own)
}

// openTexts prepares the reading of booleans, of texts with their offsets, and of views with their data buffers.
func (c *arrowCells) openTexts(b *arrowBatch, own []arrowBuffer) (err error) {
	c.buffer = make([]byte, max(c.bytes, 16))
	switch {
	case c.kind == arrowBool:
		c.truths = bits{r: c.data}
	case c.view():
		for _, x := range own[2:] {
			r, err := b.reader(x)
			if err != nil {
				return err
			}
			var text bytes.Buffer
			n, err := io.Copy(&text, io.LimitReader(r, mostStrings+1))
			if err != nil {
				return fmt.Errorf("%w (%w)", errArrow, err)
			}
			if n > mostStrings {
				return fmt.Errorf("the texts of column %q are longer than %d MiB: write the file with fewer rows in a batch", c.path, mostStrings>>20)
			}
			c.texts = append(c.texts, text.Bytes())
		}
	case len(own) == 3:
		c.offset = 4
		if c.kind == arrowLargeUtf8 || c.kind == arrowLargeBinary {
			c.offset = 8
		}
		if b.rows == 0 {
			return nil // a column without rows may lack even the first offset
		}
		if c.text, err = b.reader(own[2]); err != nil {
			return err
		}
		if c.at, err = c.int(c.offset); err != nil {
			return err
		}
		if _, err := io.CopyN(io.Discard, c.text, c.at); err != nil {
			return fmt.Errorf("%w (column %q: %w)", errArrow, c.path, noEnd(err))
		}
	}
	return nil
}

// reader reads a buffer from its beginning.
func (b *arrowBatch) reader(x arrowBuffer) (*bufio.Reader, error) {
	raw := io.NewSectionReader(b.r.r, x.at, x.length)
	if b.codec < 0 || x.length == 0 {
		return bufio.NewReaderSize(raw, int(min(x.length, sampleBytes))), nil
	}
	var head [8]byte // uncompressed length; -1: this buffer is not compressed
	if _, err := io.ReadFull(raw, head[:]); err != nil {
		return nil, fmt.Errorf("%w (%w)", errArrow, noEnd(err))
	}
	length := littleInt(head[:])
	if length == -1 {
		return bufio.NewReaderSize(raw, sampleBytes), nil
	}
	var text io.Reader
	switch b.codec {
	case lz4Codec:
		text = lz4.NewReader(raw)
	case zstdCodec:
		z, err := zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			return nil, fmt.Errorf("%w (%w)", errArrow, err)
		}
		text = z
	default:
		return nil, fmt.Errorf("the Arrow file is compressed by the codec %d, which is not known: write it with zstd", b.codec)
	}
	return bufio.NewReaderSize(&totalReader{io.LimitReader(text, length), &b.r.packed}, int(max(16, min(length, sampleBytes)))), nil
}

// unpackedTotal compares the sum n of the uncompressed buffers with the length of the file, in bytes.
type unpackedTotal struct{ file, n int64 }

// totalReader refuses buffers whose uncompressed length far exceeds the length of the file.
type totalReader struct {
	io.Reader
	total *unpackedTotal
}

func (t *totalReader) Read(p []byte) (int, error) {
	n, err := t.Reader.Read(p)
	if t.total.n += int64(n); t.total.n > leastRefused && t.total.n/mostUnpacked > t.total.file {
		return n, fmt.Errorf("it is more than %d times as long when it is unpacked", mostUnpacked)
	}
	return n, err
}

// bits reads a bitmap, least significant bit first.
type bits struct {
	r    *bufio.Reader
	b    byte
	left int
}

func (b *bits) next() (bool, error) {
	if b.left == 0 {
		var err error
		if b.b, err = b.r.ReadByte(); err != nil {
			return false, err
		}
		b.left = 8
	}
	set := b.b&1 == 1
	b.b >>= 1
	b.left--
	return set, nil
}

// arrowCells reads the values of a column one after the other.
type arrowCells struct {
	*arrowField
	valid  []bits
	data   *bufio.Reader // values, end offsets of texts, or views
	truths bits
	offset int // bytes per end offset; 0: data has the values themselves
	at     int64
	text   *bufio.Reader
	texts  [][]byte // data buffers of views
	buffer []byte
}

// int reads a signed little-endian integer from data.
func (c *arrowCells) int(bytes int) (int64, error) {
	if _, err := io.ReadFull(c.data, c.buffer[:bytes]); err != nil {
		return 0, err
	}
	return littleInt(c.buffer[:bytes]), nil
}

// append appends the next value as a cell of CSV.
func (c *arrowCells) append(dst []byte) ([]byte, error) {
	valid := c.kind != arrowNull
	for i := range c.valid {
		set, err := c.valid[i].next()
		if err != nil {
			return dst, err
		}
		valid = valid && set
	}
	switch {
	case c.kind == arrowNull:
		return dst, nil
	case c.kind == arrowBool:
		set, err := c.truths.next()
		if err == nil && valid {
			dst = strconv.AppendBool(dst, set)
		}
		return dst, err
	case c.offset > 0:
		return c.appendText(dst, valid)
	}
	n := c.bytes
	if c.view() {
		n = 16
	}
	b := c.buffer[:n]
	if _, err := io.ReadFull(c.data, b); err != nil || !valid {
		return dst, err
	}
	switch {
	case c.dictionary != nil:
		place := littleInt(b)
		if c.unsigned {
			place = int64(littleUint(b))
		}
		if place < 0 || place >= int64(len(c.dictionary.cells)) {
			return dst, fmt.Errorf("place %d of a dictionary with %d values", place, len(c.dictionary.cells))
		}
		return append(dst, c.dictionary.cells[place]...), nil
	case c.view():
		return c.appendView(dst, b)
	}
	return c.appendValue(dst, b)
}

// appendText appends the next text, which ends at the next offset.
func (c *arrowCells) appendText(dst []byte, valid bool) ([]byte, error) {
	end, err := c.int(c.offset)
	if err != nil {
		return dst, err
	}
	n := end - c.at
	c.at = end
	if n < 0 || n > mostCellText {
		return dst, fmt.Errorf("a text of %d bytes", n)
	}
	c.buffer = slices.Grow(c.buffer[:0], max(16, int(n)))[:max(16, int(n))]
	if _, err := io.ReadFull(c.text, c.buffer[:n]); err != nil || !valid {
		return dst, err
	}
	return appendRaw(dst, c.buffer[:n]), nil
}

// appendView appends the text of a view: the view holds a text of up to twelve bytes, and refers to a data buffer
// for a longer one.
func (c *arrowCells) appendView(dst, b []byte) ([]byte, error) {
	n := int(binary.LittleEndian.Uint32(b))
	if n <= 12 {
		return appendRaw(dst, b[4:4+n]), nil
	}
	buffer, at := int(binary.LittleEndian.Uint32(b[8:])), int(binary.LittleEndian.Uint32(b[12:]))
	if buffer >= len(c.texts) || at+n > len(c.texts[buffer]) || n > mostCellText {
		return dst, errors.New("a text outside of its buffer")
	}
	return appendRaw(dst, c.texts[buffer][at:at+n]), nil
}

// appendRaw appends a text; bytes that are not UTF-8 become hexadecimal digits.
func appendRaw(dst, b []byte) []byte {
	if utf8.Valid(b) {
		return csvfield.AppendText(dst, lineBreaks.Replace(string(b)))
	}
	return hex.AppendEncode(append(dst, "0x"...), b)
}

// appendValue appends a value of a fixed number of bytes.
func (c *arrowCells) appendValue(dst, b []byte) ([]byte, error) {
	switch c.kind {
	case arrowInt:
		if c.unsigned {
			return strconv.AppendUint(dst, littleUint(b), 10), nil
		}
		return strconv.AppendInt(dst, littleInt(b), 10), nil
	case arrowFloat:
		switch len(b) {
		case 2:
			return csvfield.AppendNumber(dst, halfFloat(b)), nil
		case 4:
			return appendParquetNumber(dst, float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), 32), nil
		}
		return appendParquetNumber(dst, math.Float64frombits(binary.LittleEndian.Uint64(b)), 64), nil
	case arrowDecimal:
		slices.Reverse(b)
		return appendScaled(dst, b, c.scale), nil
	case arrowDate:
		at := time.Unix(littleInt(b)*86400, 0)
		if c.unit == time.Millisecond {
			at = time.UnixMilli(littleInt(b))
		}
		return at.UTC().AppendFormat(dst, time.DateOnly), nil
	case arrowTime:
		return time.Unix(0, 0).UTC().Add(time.Duration(littleInt(b))*c.unit).AppendFormat(dst, "15:04:05.999999999"), nil
	case arrowTimestamp:
		return appendStamp(dst, littleInt(b), c.unit, c.zoned), nil
	case arrowDuration:
		return appendParquetNumber(dst, float64(littleInt(b))/float64(time.Second/c.unit), 64), nil
	}
	return appendRaw(dst, b), nil
}
