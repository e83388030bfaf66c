package file

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/orffvar/forecaster/stream/file/internal/csvfield"
)

// parquetReader reads a Parquet file as lines of CSV with a header: the rules for columns of CSV (times, series,
// text) then apply to Parquet, too.
type parquetReader struct {
	pieces
	groups  []parquet.RowGroup
	rows    parquet.Rows // rows of groups[0]; nil: not open
	columns []parquetColumn
	leaves  int   // number of columns in the file
	left    int64 // number of rows that are not read yet
	buffer  []parquet.Row
	values  []parquet.Value // current row
}

// readParquet implements Format.Table.
func readParquet(f *os.File, size int64, c *SourceConfig) (io.Reader, error) {
	r, lists, err := newParquetReader(f, size)
	if err != nil {
		return nil, err
	}
	c.CSV.Lists = lists
	c.CSV.Comma = ','
	if slices.ContainsFunc(r.columns, func(c parquetColumn) bool { return c.number }) && c.CSV.Thousands == 0 {
		c.CSV.Decimal = cmp.Or(c.CSV.Decimal, '.') // else 1.066 beside 950 could have a thousands separator
	}
	return r, nil
}

const parquetRows = 256 // rows per read

func newParquetReader(r io.ReaderAt, size int64) (p *parquetReader, lists []string, err error) {
	defer noPanic(&err)
	var end [8]byte // length of the index: the library allocates it before any check
	if _, err := r.ReadAt(end[:], size-8); err == nil && string(end[4:]) == "PAR1" && int64(binary.LittleEndian.Uint32(end[:])) > size-12 {
		return nil, nil, errDamaged
	}
	f, err := parquet.OpenFile(r, size)
	if err != nil {
		return nil, nil, fmt.Errorf("not a Parquet file, or a damaged one: %w", err)
	}
	if cells := f.NumRows() * int64(len(f.Schema().Columns())); cells > leastRefused/8 && cells*8/mostUnpacked > size {
		return nil, nil, fmt.Errorf("the Parquet file has %d rows in %d bytes, more than %d times as much as it is long: name a part of it", f.NumRows(), size, mostUnpacked)
	}
	p = &parquetReader{groups: f.RowGroups(), left: f.NumRows(), buffer: make([]parquet.Row, parquetRows), leaves: len(f.Schema().Columns())}
	if p.columns, lists = parquetColumns(f); len(p.columns) == 0 {
		return nil, nil, errors.New("no column of single values")
	}
	p.values, p.more = make([]parquet.Value, p.leaves), p.next
	for i, c := range p.columns {
		if i > 0 {
			p.text = append(p.text, ',')
		}
		p.text = csvfield.AppendText(p.text, lineBreaks.Replace(c.name))
	}
	p.text = append(p.text, '\n')
	return p, lists, nil
}

var errDamaged = errors.New("the Parquet file is damaged, or in an encoding that is not read: copy it again, or write it again with  python3 -c 'import pandas; pandas.read_parquet(\"IN\").to_parquet(\"OUT\")'")

// noPanic turns a panic into an error: the library panics on some kinds of damage.
func noPanic(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%w (%v)", errDamaged, p)
	}
}

// next writes the next rows as lines of CSV.
func (p *parquetReader) next() (err error) {
	defer noPanic(&err)
	if len(p.groups) == 0 {
		if p.left != 0 {
			return fmt.Errorf("%w (%d rows are missing)", errDamaged, p.left)
		}
		return io.EOF
	}
	if p.rows == nil {
		p.rows = p.groups[0].Rows()
	}
	n, err := p.rows.ReadRows(p.buffer)
	p.text = p.text[:0]
	for _, row := range p.buffer[:n] {
		if err := p.appendRow(row); err != nil {
			return err
		}
	}
	p.left -= int64(n)
	switch {
	case errors.Is(err, io.EOF) || err == nil && n == 0:
		err = p.rows.Close()
		p.rows, p.groups = nil, p.groups[1:]
	case err != nil:
		err = fmt.Errorf("%w (%w)", errDamaged, err)
	}
	return err
}

func (p *parquetReader) appendRow(row parquet.Row) error {
	clear(p.values)
	found := 0
	for _, v := range row {
		if v.RepetitionLevel() == 0 {
			p.values[v.Column()] = v
			found++
		}
	}
	if found != p.leaves {
		return fmt.Errorf("%w (a row has %d of %d columns)", errDamaged, found, p.leaves)
	}
	for i, c := range p.columns {
		if i > 0 {
			p.text = append(p.text, ',')
		}
		if v := p.values[c.index]; !v.IsNull() {
			p.text = c.write(p.text, v)
		}
	}
	p.text = append(p.text, '\n')
	return nil
}
