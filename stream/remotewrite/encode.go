package remotewrite

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/influxdata/line-protocol/v2/lineprotocol"
	"github.com/klauspost/compress/s2"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/orffvar/forecaster/stream/delivery"
)

// encoder encodes lines as requests. Its memory is reused.
type encoder struct {
	names  map[string]string // original of each Prometheus name, by kind
	series [][]byte          // encoded TimeSeries
	index  map[string]int    // index in series, by encoded labels

	labels []label // labels of a line, with room for the metric name
	values []value // values of a line
	buf    []byte
	out    []byte
}

type label struct{ name, value string }

type value struct {
	series int
	value  float64
}

// Field numbers of prometheus.WriteRequest, TimeSeries, Label and Sample.
const (
	writeTimeSeries            = 1
	seriesLabels, seriesSample = 1, 2
	labelName, labelValue      = 1, 2
	sampleValue, sampleTime    = 1, 2
)

func newEncoder() *encoder { return &encoder{names: map[string]string{}, index: map[string]int{}} }

// encode returns a WriteRequest in Snappy's block format, valid until the next call. It refuses a time after
// latest, ns; 0 = no limit.
func (e *encoder) encode(lines []byte, latest int64) ([]byte, error) {
	e.series = e.series[:0]
	clear(e.index)
	for d := lineprotocol.NewDecoderWithBytes(lines); d.Next(); {
		if err := e.line(d, latest); err != nil {
			return nil, delivery.PointError(err.Error())
		}
	}
	e.buf = e.buf[:0]
	for _, s := range e.series {
		e.buf = appendField(e.buf, writeTimeSeries, s)
	}
	e.out = s2.EncodeSnappy(e.out[:cap(e.out)], e.buf)
	return e.out, nil
}

func appendField[T []byte | string](dst []byte, number protowire.Number, v T) []byte {
	dst = protowire.AppendTag(dst, number, protowire.BytesType)
	dst = protowire.AppendVarint(dst, uint64(len(v)))
	return append(dst, v...)
}

// line adds the fields of a line to their series.
func (e *encoder) line(d *lineprotocol.Decoder, latest int64) error {
	measurement, err := d.Measurement()
	if err != nil {
		return err
	}
	prefix := string(measurement) + "_"
	e.labels, e.values = e.labels[:0], e.values[:0]
	for {
		key, v, err := d.NextTag()
		if err != nil {
			return err
		}
		if key == nil {
			break
		}
		name, err := e.name("label ", string(key))
		if err != nil {
			return err
		}
		e.labels = append(e.labels, label{name, string(v)})
	}
	tags := e.labels
	for {
		key, v, err := d.NextField()
		if err != nil {
			return err
		}
		if key == nil {
			break
		}
		name, err := e.name("metric ", prefix+string(key))
		if err != nil {
			return err
		}
		e.labels = append(tags[:len(tags):len(tags)], label{"__name__", name})
		e.values = append(e.values, value{e.find(), number(v)})
	}
	at, err := d.Time(lineprotocol.Nanosecond, time.Time{})
	if err != nil {
		return err
	}
	if latest != 0 && at.UnixNano() > latest {
		return fmt.Errorf("the time %s lies ahead of the clock, and would make Prometheus refuse the scrapes of others until then", at.UTC().Format(time.RFC3339))
	}
	ms := uint64(at.UnixMilli())
	for _, v := range e.values {
		s := protowire.AppendTag(e.series[v.series], seriesSample, protowire.BytesType)
		s = protowire.AppendVarint(s, uint64(1+8+1+protowire.SizeVarint(ms)))
		s = protowire.AppendTag(s, sampleValue, protowire.Fixed64Type)
		s = protowire.AppendFixed64(s, math.Float64bits(v.value))
		s = protowire.AppendTag(s, sampleTime, protowire.VarintType)
		e.series[v.series] = protowire.AppendVarint(s, ms)
	}
	return nil
}

// find returns the index of the series with these labels. It sorts the labels, as servers require.
func (e *encoder) find() int {
	slices.SortFunc(e.labels, func(a, b label) int { return cmp.Compare(a.name, b.name) })
	e.buf = e.buf[:0]
	for _, l := range e.labels {
		e.buf = protowire.AppendTag(e.buf, seriesLabels, protowire.BytesType)
		e.buf = protowire.AppendVarint(e.buf, uint64(2+protowire.SizeBytes(len(l.name))+protowire.SizeBytes(len(l.value))))
		e.buf = appendField(e.buf, labelName, l.name)
		e.buf = appendField(e.buf, labelValue, l.value)
	}
	i, ok := e.index[string(e.buf)]
	if !ok {
		i = len(e.series)
		e.index[string(e.buf)] = i
		e.series = slices.Grow(e.series, 1)[:i+1]
		e.series[i] = append(e.series[i][:0], e.buf...)
	}
	return i
}

// number returns the value of a field. A text counts as 0, as in VictoriaMetrics.
func number(v lineprotocol.Value) float64 {
	switch v.Kind() {
	case lineprotocol.Float:
		return v.FloatV()
	case lineprotocol.Int:
		return float64(v.IntV())
	case lineprotocol.Bool:
		if v.BoolV() {
			return 1
		}
	}
	return 0
}

// mostNames is the largest number of names. It limits their memory.
const mostNames = 100_000

// name returns original with an underscore in place of every character that Prometheus names exclude. It returns an
// error if another original has the same name, since their series would be mixed.
func (e *encoder) name(kind, original string) (string, error) {
	clean := strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, original)
	if c := clean[0]; c >= '0' && c <= '9' {
		clean = "_" + clean
	}
	before, ok := e.names[kind+clean]
	switch {
	case !ok:
		if len(e.names) == mostNames {
			clear(e.names)
		}
		e.names[kind+clean] = original
	case before != original:
		return "", fmt.Errorf("the names %.80q and %.80q are both %.80q to Prometheus: rename one in the input, or use the long layout", before, original, clean)
	}
	return clean, nil
}
