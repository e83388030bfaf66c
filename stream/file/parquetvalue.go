package file

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	parquetformat "github.com/parquet-go/parquet-go/format"

	"github.com/orffvar/forecaster/stream/file/internal/csvfield"
)

// parquetColumn is a column of single values.
type parquetColumn struct {
	name   string
	index  int
	number bool // the values are numbers with a decimal point
	write  func(dst []byte, v parquet.Value) []byte
}

// parquetColumns returns the columns of single values, and the names of the columns that are lists. The name of a
// column within a group begins with the name of the group.
func parquetColumns(f *parquet.File) (columns []parquetColumn, lists []string) {
	elements := f.Metadata().Schema[1:] // in the order of the columns of Root, depth first
	var visit func(c *parquet.Column, path string, repeated bool)
	visit = func(c *parquet.Column, path string, repeated bool) {
		for _, child := range c.Columns() {
			element := &elements[0]
			elements = elements[1:]
			name, many := path+child.Name(), repeated || child.Repeated()
			switch {
			case !child.Leaf():
				visit(child, name+".", many)
			case many:
				lists = append(lists, strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, ".element"), ".item"), ".list"))
			default:
				p := parquetColumn{name: name, index: child.Index()}
				p.write, p.number = writeParquet(child.Type(), element)
				columns = append(columns, p)
			}
		}
	}
	visit(f.Root(), "", false)
	return columns, lists
}

// writeParquet returns the function that writes a value of a type, and whether the value is a number.
func writeParquet(t parquet.Type, element *parquetformat.SchemaElement) (write func(dst []byte, v parquet.Value) []byte, number bool) {
	logical := element.LogicalType.Value
	if l := t.LogicalType(); l != nil {
		logical = l.Value // also set for the converted type of older files
	}
	switch l := logical.(type) {
	case *parquetformat.TimestampType:
		return func(dst []byte, v parquet.Value) []byte {
			return appendStamp(dst, v.Int64(), parquetUnit(&l.Unit), l.IsAdjustedToUTC)
		}, false
	case *parquetformat.DateType:
		return func(dst []byte, v parquet.Value) []byte {
			return time.Unix(int64(v.Int32())*86400, 0).UTC().AppendFormat(dst, time.DateOnly)
		}, false
	case *parquetformat.TimeType:
		return func(dst []byte, v parquet.Value) []byte {
			return time.Unix(0, 0).UTC().Add(time.Duration(integer(v))*parquetUnit(&l.Unit)).AppendFormat(dst, "15:04:05.999999999")
		}, false
	case *parquetformat.DecimalType:
		return func(dst []byte, v parquet.Value) []byte { return appendDecimal(dst, v, int(l.Scale)) }, true
	case *parquetformat.IntType:
		if !l.IsSigned {
			return func(dst []byte, v parquet.Value) []byte {
				if v.Kind() == parquet.Int32 {
					return strconv.AppendUint(dst, uint64(v.Uint32()), 10)
				}
				return strconv.AppendUint(dst, v.Uint64(), 10)
			}, true
		}
	case *parquetformat.Float16Type:
		return func(dst []byte, v parquet.Value) []byte { return csvfield.AppendNumber(dst, halfFloat(v.ByteArray())) }, true
	case *parquetformat.UUIDType:
		return func(dst []byte, v parquet.Value) []byte { return hex.AppendEncode(dst, v.ByteArray()) }, false
	}
	number = t.Kind() == parquet.Float || t.Kind() == parquet.Double
	return appendPlain, number
}

// appendPlain appends a text, or a value without a logical type.
func appendPlain(dst []byte, v parquet.Value) []byte {
	switch v.Kind() {
	case parquet.Boolean:
		return strconv.AppendBool(dst, v.Boolean())
	case parquet.Int32, parquet.Int64:
		return strconv.AppendInt(dst, integer(v), 10)
	case parquet.Float:
		return appendParquetNumber(dst, float64(v.Float()), 32)
	case parquet.Double:
		return appendParquetNumber(dst, v.Double(), 64)
	case parquet.Int96:
		i := v.Int96() // nanoseconds of the day, Julian day
		at := time.Unix((int64(i[2])-2440588)*86400, 0).Add(time.Duration(int64(i[1])<<32 | int64(i[0])))
		return at.UTC().AppendFormat(dst, time.RFC3339Nano)
	}
	if text := v.ByteArray(); utf8.Valid(text) {
		return csvfield.AppendText(dst, lineBreaks.Replace(string(text)))
	}
	return hex.AppendEncode(append(dst, "0x"...), v.ByteArray())
}

// integer returns a signed integer. Int64 would read -1 in 32 bits as 2^32 - 1.
func integer(v parquet.Value) int64 {
	if v.Kind() == parquet.Int32 {
		return int64(v.Int32())
	}
	return v.Int64()
}

// lineBreaks replaces line breaks by spaces: a cell is on one line.
var lineBreaks = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")

func parquetUnit(u *parquetformat.TimeUnit) time.Duration {
	switch u.String() {
	case "MILLIS":
		return time.Millisecond
	case "MICROS":
		return time.Microsecond
	}
	return time.Nanosecond
}

// appendStamp appends a time stamp. A time stamp that is not adjusted to UTC is a local time in the time zone of
// the input.
func appendStamp(dst []byte, v int64, unit time.Duration, adjusted bool) []byte {
	perSecond := int64(time.Second / unit)
	at := time.Unix(v/perSecond, v%perSecond*int64(unit)).UTC()
	if adjusted {
		return at.AppendFormat(dst, time.RFC3339Nano)
	}
	return at.AppendFormat(dst, "2006-01-02T15:04:05.999999999")
}

// appendDecimal appends v / 10^scale.
func appendDecimal(dst []byte, v parquet.Value, scale int) []byte {
	if k := v.Kind(); k == parquet.Int32 || k == parquet.Int64 {
		return appendScaled(dst, binary.BigEndian.AppendUint64(nil, uint64(integer(v))), scale)
	}
	return appendScaled(dst, v.ByteArray(), scale)
}

// appendScaled appends b / 10^scale, where b is a big-endian integer in two's complement.
func appendScaled(dst, b []byte, scale int) []byte {
	var n big.Int
	n.SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		n.Sub(&n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	if n.Sign() < 0 {
		dst = append(dst, '-')
	}
	digits := n.Abs(&n).String()
	if most := 100; scale <= 0 || scale > most {
		return fmt.Appendf(dst, "%se%d", digits, -scale)
	}
	if zeros := scale + 1 - len(digits); zeros > 0 {
		digits = strings.Repeat("0", zeros) + digits
	}
	point := len(digits) - scale
	return append(append(append(dst, digits[:point]...), '.'), digits[point:]...)
}

// halfFloat returns the little-endian IEEE 754 binary16 number in two bytes.
func halfFloat(b []byte) float64 {
	if len(b) != 2 {
		return math.NaN()
	}
	bits := uint(b[0]) | uint(b[1])<<8
	exponent, fraction := int(bits>>10&31), float64(bits&1023)
	v := math.Ldexp(1024+fraction, exponent-25)
	switch {
	case exponent == 0:
		v = math.Ldexp(fraction, -24)
	case exponent == 31 && fraction == 0:
		v = math.Inf(1)
	case exponent == 31:
		return math.NaN()
	}
	if bits>>15 == 1 {
		return -v
	}
	return v
}

// appendParquetNumber appends a number with the digits of 32 or 64 bits; NaN is an empty cell.
func appendParquetNumber(dst []byte, v float64, bits int) []byte {
	if math.IsNaN(v) {
		return dst
	}
	return strconv.AppendFloat(dst, v, 'g', -1, bits)
}
