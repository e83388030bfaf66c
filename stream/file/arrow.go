package file

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/orffvar/forecaster/stream/file/internal/csvfield"
)

// ArrowFormat is the Arrow IPC format, both the file format (also called Feather) and the stream format:
// https://arrow.apache.org/docs/format/Columnar.html.
var ArrowFormat = Format{Name: "arrow", Extensions: []string{".arrow", ".feather", ".arrows", ".ipc"}, Table: readArrow}

var errArrow = errors.New("the Arrow file is damaged: copy it again, or write it again with pandas: read_feather, then to_feather")

const (
	arrowMagic     = "ARROW1"
	mostArrowMeta  = 1 << 26 // largest metadata of a message, bytes
	arrowV4        = 3       // metadata version V4, the first with 8-byte alignment
	arrowBlock     = 24      // size of a Block struct, bytes
	noMoreMessages = 0
)

// The kinds of messages.
const (
	arrowSchemaMessage     = 1
	arrowDictionaryMessage = 2
	arrowBatchMessage      = 3
)

// arrowReader reads an Arrow file as lines of CSV with a header, in constant memory for each column.
type arrowReader struct {
	pieces
	r      io.ReaderAt
	size   int64
	packed unpackedTotal
	schema arrowSchema
	blocks []int64 // offsets of the messages; for the file format
	next   int64   // offset of the next message; for the stream format
	stream bool

	row, rows int64 // in the current batch. Invariant: 0 <= row <= rows
	columns   []arrowCells
}

// readArrow implements Format.Table.
func readArrow(f *os.File, size int64, c *SourceConfig) (io.Reader, error) {
	r, err := newArrowReader(f, size)
	if err != nil {
		return nil, err
	}
	c.CSV.Comma = ','
	c.CSV.Lists = r.schema.lists
	c.said = append(c.said, r.schema.said...)
	for _, l := range r.schema.leaves {
		if l.number() && c.CSV.Thousands == 0 && c.CSV.Decimal == 0 {
			c.CSV.Decimal = '.' // else 1.066 beside 950 could have a thousands separator
		}
	}
	return r, nil
}

func newArrowReader(f io.ReaderAt, size int64) (r *arrowReader, err error) {
	defer noArrowPanic(&err)
	r = &arrowReader{r: f, size: size, packed: unpackedTotal{file: size}}
	r.more = r.nextRows
	var begin [8]byte
	n, err := f.ReadAt(begin[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	var schema flatTable
	switch b := string(begin[:n]); {
	case n == 8 && b[:6] == arrowMagic:
		schema, err = r.footer()
	case n == 8 && b[:4] == "FEA1":
		return nil, errors.New("a file of Feather of version 1, which no program writes since 2020: write it again with pandas: read_feather, then to_feather")
	case n == 8 && (b[:4] == "\xff\xff\xff\xff" || b[3] == 0):
		r.stream = true
		schema, err = r.begin()
	default:
		return nil, errors.New("not an Arrow file: its first bytes are those of another kind; name the format that it has")
	}
	if err != nil {
		return nil, err
	}
	if err := r.schema.read(schema); err != nil {
		return nil, err
	}
	for i, l := range r.schema.leaves {
		if i > 0 {
			r.text = append(r.text, ',')
		}
		r.text = csvfield.AppendText(r.text, lineBreaks.Replace(l.path))
	}
	r.text = append(r.text, '\n')
	if err := r.nextBatch(); errors.Is(err, io.EOF) {
		r.err = err // no rows
	} else if err != nil {
		return nil, err
	}
	return r, nil
}

// noArrowPanic turns the panic of an index outside of a message's metadata into an error.
func noArrowPanic(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%w (%v)", errArrow, p)
	}
}

// footer reads the end of a file: the schema and the offsets of all messages.
func (r *arrowReader) footer() (schema flatTable, err error) {
	end := make([]byte, 10)
	if r.size < 24 {
		return schema, errArrow
	}
	if _, err := r.r.ReadAt(end, r.size-10); err != nil || string(end[4:]) != arrowMagic {
		return schema, fmt.Errorf("%w (its end is missing)", errArrow)
	}
	n := int64(binary.LittleEndian.Uint32(end))
	if n > r.size-18 || n > mostArrowMeta {
		return schema, errArrow
	}
	b := make([]byte, n)
	if _, err := r.r.ReadAt(b, r.size-10-n); err != nil {
		return schema, fmt.Errorf("%w (%w)", errArrow, err)
	}
	foot := flatRoot(b)
	if err := checkArrowVersion(foot.number(0, 2, 0)); err != nil {
		return schema, err
	}
	for _, field := range []int{2, 3} { // dictionaries come first
		blocks, n := foot.vector(field, arrowBlock)
		for i := range n {
			r.blocks = append(r.blocks, littleInt(blocks[i*arrowBlock:i*arrowBlock+8]))
		}
	}
	schema, ok := foot.table(1)
	if !ok {
		return schema, errArrow
	}
	return schema, nil
}

// begin reads the first message of a stream: the schema.
func (r *arrowReader) begin() (schema flatTable, err error) {
	m, err := r.message(0)
	if err != nil {
		return schema, err
	}
	if m.kind != arrowSchemaMessage {
		return schema, fmt.Errorf("%w (it does not begin with its columns)", errArrow)
	}
	r.next = m.end
	return m.header, nil
}

func checkArrowVersion(v int64) error {
	if v < arrowV4 {
		return errors.New("an Arrow file of before version 0.8 (2017): write it again with the program that wrote it, in a newer version")
	}
	return nil
}

// arrowMessage is the metadata of a message and the offset of its body.
type arrowMessage struct {
	kind      int64
	header    flatTable
	body, end int64
}

// message reads the message at an offset. It returns io.EOF after the last message of a stream.
func (r *arrowReader) message(at int64) (m arrowMessage, err error) {
	var b [8]byte
	if at == r.size {
		return m, io.EOF // a stream may end without an end marker
	}
	if at < 0 || at > r.size-4 {
		return m, errArrow
	}
	if n, err := r.r.ReadAt(b[:], at); err != nil && (!errors.Is(err, io.EOF) || n < 4) {
		return m, fmt.Errorf("%w (%w)", errArrow, err)
	}
	length, prefix := binary.LittleEndian.Uint32(b[:]), int64(4)
	if length == 0xffffffff {
		length, prefix = binary.LittleEndian.Uint32(b[4:]), 8
	}
	if length == noMoreMessages {
		return m, io.EOF
	}
	n := int64(length)
	if n > mostArrowMeta || at+prefix+n > r.size {
		return m, fmt.Errorf("%w (its end is missing)", errArrow)
	}
	text := make([]byte, n)
	if _, err := r.r.ReadAt(text, at+prefix); err != nil {
		return m, fmt.Errorf("%w (%w)", errArrow, err)
	}
	top := flatRoot(text)
	if err := checkArrowVersion(top.number(0, 2, 0)); err != nil {
		return m, err
	}
	header, ok := top.table(2)
	body := top.number(3, 8, 0)
	m = arrowMessage{kind: top.number(1, 1, 0), header: header, body: at + prefix + n}
	m.end = m.body + body
	if !ok || body < 0 || m.end > r.size || m.end < m.body {
		return m, fmt.Errorf("%w (its end is missing)", errArrow)
	}
	return m, nil
}

// nextMessage returns the next message; io.EOF after the last one.
func (r *arrowReader) nextMessage() (m arrowMessage, err error) {
	if r.stream {
		if m, err = r.message(r.next); err == nil {
			r.next = m.end
		}
		return m, err
	}
	if len(r.blocks) == 0 {
		return m, io.EOF
	}
	m, err = r.message(r.blocks[0])
	if errors.Is(err, io.EOF) {
		err = errArrow
	}
	r.blocks = r.blocks[1:]
	return m, err
}

// nextBatch reads messages up to the next batch of rows. It returns io.EOF after the last batch.
func (r *arrowReader) nextBatch() error {
	for {
		m, err := r.nextMessage()
		switch {
		case err != nil:
			return err
		case m.kind == arrowDictionaryMessage:
			if err := r.readDictionary(m); err != nil {
				return err
			}
		case m.kind == arrowBatchMessage:
			return r.openBatch(m)
		default:
			return fmt.Errorf("%w (a part of the kind %d)", errArrow, m.kind)
		}
	}
}

// openBatch opens the columns of a batch.
func (r *arrowReader) openBatch(m arrowMessage) error {
	b := newArrowBatch(r, m.header, m.body, m.end)
	r.row, r.rows = 0, b.rows
	r.columns = r.columns[:0]
	for _, f := range r.schema.fields {
		columns, err := b.open(f, nil)
		if err != nil {
			return err
		}
		r.columns = append(r.columns, columns...)
	}
	return nil
}

// readDictionary reads the values of a dictionary.
func (r *arrowReader) readDictionary(m arrowMessage) error {
	id := m.header.number(0, 8, 0)
	data, ok := m.header.table(1)
	d := r.schema.dictionaries[id]
	if !ok || d == nil {
		return nil // its column is not read
	}
	if m.header.number(2, 1, 0) == 0 {
		d.cells, d.bytes = nil, 0
	}
	b := newArrowBatch(r, data, m.body, m.end)
	columns, err := b.open(&d.values, nil)
	if err != nil {
		return err
	}
	for range b.rows {
		cell, err := columns[0].append(nil)
		if err != nil {
			return err
		}
		if d.bytes += len(cell) + 24; d.bytes > mostStrings {
			return fmt.Errorf("a dictionary of the Arrow file is longer than %d MiB: write the column as plain text", mostStrings>>20)
		}
		d.cells = append(d.cells, string(cell))
	}
	return nil
}

// nextRows writes the next rows as lines of CSV.
func (r *arrowReader) nextRows() (err error) {
	defer noArrowPanic(&err)
	if r.row == r.rows {
		return r.nextBatch()
	}
	r.text = r.text[:0]
	for n := 0; n < parquetRows && r.row < r.rows; n++ {
		for i := range r.columns {
			if i > 0 {
				r.text = append(r.text, ',')
			}
			if r.text, err = r.columns[i].append(r.text); err != nil {
				return fmt.Errorf("%w (column %q: %w)", errArrow, r.columns[i].path, noEnd(err))
			}
		}
		r.text = append(r.text, '\n')
		r.row++
	}
	return nil
}
