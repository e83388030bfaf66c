package file

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
	parquetformat "github.com/parquet-go/parquet-go/format"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
)

// parquetReader reads a Parquet file as lines of CSV with a header: whatever is known about
// columns of CSV (times, series, text) holds for it as well. Columns of lists and maps are left
// out.
type parquetReader struct {
	floats  bool // it has a column of numbers with fractions
	groups  []parquet.RowGroup
	rows    parquet.Rows // of the first of groups; nil = not open
	columns []parquetColumn
	buffer  []parquet.Row
	text    []byte // not yet read
	err     error
}

// readParquet is the Table of ParquetFormat.
func readParquet(f *os.File, size int64, c *format.CSVConfig) (io.Reader, error) {
	r, err := newParquetReader(f, size)
	if err != nil {
		return nil, err
	}
	c.Comma = ','
	if r.floats && c.Thousands == 0 {
		c.Decimal = cmp.Or(c.Decimal, '.') // not to be guessed: 1.066 beside 950
	}
	return r, nil
}

// parquetColumn is a column of plain values.
type parquetColumn struct {
	name  string
	index int
	unit  format.TimeUnit // of a column of time stamps
	date  bool            // days since 1970
}

const parquetRows = 256 // read at a time

func newParquetReader(r io.ReaderAt, size int64) (*parquetReader, error) {
	f, err := parquet.OpenFile(r, size)
	if err != nil {
		return nil, fmt.Errorf("not a Parquet file: %w", err)
	}
	p := &parquetReader{groups: f.RowGroups(), buffer: make([]parquet.Row, parquetRows)}
	schema := f.Schema()
	for _, path := range schema.Columns() {
		leaf, ok := schema.Lookup(path...)
		if !ok || len(path) > 1 || leaf.MaxRepetitionLevel > 0 {
			continue
		}
		c := parquetColumn{name: path[0], index: leaf.ColumnIndex}
		kind := leaf.Node.Type().Kind()
		p.floats = p.floats || kind == parquet.Float || kind == parquet.Double
		if l := leaf.Node.Type().LogicalType(); l != nil {
			switch t := l.Value.(type) {
			case *parquetformat.TimestampType:
				c.unit = parquetUnit(&t.Unit)
			case *parquetformat.DateType:
				c.date = true
			}
		}
		p.columns = append(p.columns, c)
	}
	if len(p.columns) == 0 {
		return nil, errors.New("no column of plain values")
	}
	for i, c := range p.columns {
		if i > 0 {
			p.text = append(p.text, ',')
		}
		p.text = appendText(p.text, c.name)
	}
	p.text = append(p.text, '\n')
	return p, nil
}

func parquetUnit(u *parquetformat.TimeUnit) format.TimeUnit {
	switch u.String() {
	case "MILLIS":
		return format.Milliseconds
	case "MICROS":
		return format.Microseconds
	}
	return format.Nanoseconds
}

// Read implements io.Reader.
func (p *parquetReader) Read(dst []byte) (int, error) {
	for len(p.text) == 0 && p.err == nil {
		p.err = p.next()
	}
	if len(p.text) == 0 {
		return 0, p.err
	}
	n := copy(dst, p.text)
	p.text = p.text[n:]
	return n, nil
}

// next makes text of the next rows.
func (p *parquetReader) next() error {
	if len(p.groups) == 0 {
		return io.EOF
	}
	if p.rows == nil {
		p.rows = p.groups[0].Rows()
	}
	n, err := p.rows.ReadRows(p.buffer)
	for _, row := range p.buffer[:n] {
		p.appendRow(row)
	}
	if errors.Is(err, io.EOF) || err == nil && n == 0 {
		err = p.rows.Close()
		p.rows, p.groups = nil, p.groups[1:]
	}
	return err
}

func (p *parquetReader) appendRow(row parquet.Row) {
	values := make([]parquet.Value, len(row))
	for _, v := range row {
		if v.Column() < len(values) {
			values[v.Column()] = v
		}
	}
	for i, c := range p.columns {
		if i > 0 {
			p.text = append(p.text, ',')
		}
		p.text = c.appendValue(p.text, values[c.index])
	}
	p.text = append(p.text, '\n')
}

func (c *parquetColumn) appendValue(dst []byte, v parquet.Value) []byte {
	switch {
	case v.IsNull():
		return dst
	case c.unit != "":
		return format.AppendTime(dst, stampOf(v.Int64(), c.unit), format.Auto)
	case c.date:
		return time.Unix(int64(v.Int32())*86400, 0).UTC().AppendFormat(dst, time.DateOnly)
	}
	switch v.Kind() {
	case parquet.Boolean:
		return strconv.AppendBool(dst, v.Boolean())
	case parquet.Int32, parquet.Int64:
		return strconv.AppendInt(dst, v.Int64(), 10)
	case parquet.Float:
		return appendParquetNumber(dst, float64(v.Float()), 32)
	case parquet.Double:
		return appendParquetNumber(dst, v.Double(), 64)
	case parquet.Int96:
		i := v.Int96() // nanoseconds of the day, Julian day
		nanoseconds := int64(i[1])<<32 | int64(i[0])
		return format.AppendTime(dst, (int64(i[2])-2440588)*int64(24*time.Hour)+nanoseconds, format.Auto)
	}
	return appendText(dst, string(v.ByteArray()))
}

// stampOf returns a time stamp in nanoseconds.
func stampOf(v int64, unit format.TimeUnit) int64 {
	switch unit {
	case format.Milliseconds:
		return v * 1e6
	case format.Microseconds:
		return v * 1e3
	}
	return v
}

// appendParquetNumber appends a number of so many bits, nothing for NaN.
func appendParquetNumber(dst []byte, v float64, bits int) []byte {
	if math.IsNaN(v) {
		return dst
	}
	return strconv.AppendFloat(dst, v, 'g', -1, bits)
}

// forecastRow is a row of a ParquetSink.
type forecastRow struct {
	Time       time.Time `parquet:"time,timestamp(nanosecond)"`
	Series     string    `parquet:"series,dict"`
	Target     string    `parquet:"target,dict"`
	Horizon    int32     `parquet:"horizon"`
	Model      string    `parquet:"model,dict"`
	Yhat       float64   `parquet:"yhat"`
	Lower      *float64  `parquet:"yhat_lower,optional"`
	Upper      *float64  `parquet:"yhat_upper,optional"`
	Level      *float64  `parquet:"level,optional"`
	JointLower *float64  `parquet:"yhat_joint_lower,optional"`
	JointUpper *float64  `parquet:"yhat_joint_upper,optional"`
	Origin     time.Time `parquet:"origin,timestamp(nanosecond)"`
	Y          *float64  `parquet:"y,optional"`
}

// ParquetSink writes forecasts as a Parquet file with the columns of CSV, origin and y
// among them. Only Close completes the file: it has no position, and no job can go on with
// it.
type ParquetSink struct {
	file   *output
	writer *parquet.GenericWriter[forecastRow]
	any    bool // there is a row
	levels []float64
	rows   []forecastRow
}

var _ stream.Sink = (*ParquetSink)(nil)

// CreateParquet opens the file at path for writing; the first forecasts empty the file.
// levels are those of the engine.
func CreateParquet(path string, levels []float64) (*ParquetSink, error) {
	o, err := create(path)
	if err != nil {
		return nil, err
	}
	return &ParquetSink{file: o, writer: parquet.NewGenericWriter[forecastRow](writer{o}, parquet.Compression(&parquet.Zstd)), levels: levels}, nil
}

// writer is an output as an io.Writer.
type writer struct{ *output }

func (w writer) Write(p []byte) (int, error) { return len(p), w.write(p, false) }

// Write implements stream.Sink.
func (s *ParquetSink) Write(_ context.Context, b *stream.Batch) error {
	s.rows = s.rows[:0]
	for i := range b.Forecasts {
		f := &b.Forecasts[i]
		d := len(f.Yhat)
		for j, target := range f.Series.Variables {
			row := forecastRow{
				Time: time.Unix(0, f.Time).UTC(), Series: f.Series.Name, Target: target, Horizon: int32(f.Horizon), Model: f.Model, Yhat: f.Yhat[j],
				Origin: time.Unix(0, f.Origin).UTC(), Y: finite(observed(f, j)),
			}
			if f.JointLower != nil {
				row.JointLower, row.JointUpper = finite(f.JointLower[j]), finite(f.JointUpper[j])
			}
			if len(s.levels) == 0 {
				s.rows = append(s.rows, row)
			}
			for l := range s.levels {
				row.Lower, row.Upper, row.Level = finite(f.Lower[l*d+j]), finite(f.Upper[l*d+j]), &s.levels[l]
				s.rows = append(s.rows, row)
			}
		}
	}
	s.any = s.any || len(s.rows) > 0
	if _, err := s.writer.Write(s.rows); err != nil {
		return fmt.Errorf("%s: %w", s.file.path, err)
	}
	return nil
}

// finite returns v, nil for NaN.
func finite(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}

// Close completes the file.
func (s *ParquetSink) Close() error {
	var err error
	if s.any {
		err = s.writer.Close()
	}
	if err := errors.Join(err, s.file.Close()); err != nil {
		return err
	}
	return nil
}
