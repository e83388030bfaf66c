// Package otlp decodes OpenTelemetry metrics, as the Kafka exporter of the Collector writes them.
package otlp

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/format/internal/intern"
	"github.com/orffvar/forecaster/stream/refuse"
)

// Config assigns the parts of a message to series and variables.
type Config struct {
	Names format.Names // names of the fields in errors

	JSON bool // the encoding otlp_json; otherwise otlp_proto

	// Series are the attributes of resources, scopes or points that identify a series; nil: all attributes of the
	// resource. Other attributes of a point become part of the names of its variables.
	Series []string
	Ignore []string // attributes that belong neither to series nor to variables

	// Rates marks monotonic cumulative sums, and the counts and sums of histograms, as counters: see
	// stream.Record.Since.
	Rates bool

	// Assume is called once, when messages have no key.
	Assume func(text string)

	MaxBytes int // largest length of a message
	MaxDim   int // largest number of values per record
}

// Decoder joins the points of a message with equal series and time in one record. A gauge or a sum is one value; a
// histogram or a summary is two, NAME_count and NAME_sum. Decoder implements stream.Splitter.
type Decoder struct {
	c             Config
	series, names *intern.Strings
	told          bool

	message *stream.Message
	err     error // error of the message
	records []record
	next    int
	index   map[key]int // index in records
	buf     []byte
	tags    []pair
}

type key struct {
	series string
	time   int64
}

type record struct {
	key
	names  []string
	values []float64
	since  []int64 // start of the counter; 0: no counter
}

type pair struct{ key, value string }

var _ stream.Splitter = (*Decoder)(nil)

// New returns a decoder.
func New(c Config) (*Decoder, error) {
	for _, name := range c.Ignore {
		if slices.Contains(c.Series, name) {
			return nil, fmt.Errorf("the attribute %q cannot both make the series and be ignored", name)
		}
	}
	c.MaxBytes, c.MaxDim = cmp.Or(c.MaxBytes, 1<<20), cmp.Or(c.MaxDim, 1024)
	return &Decoder{c: c, series: intern.New(), names: intern.New(), index: make(map[key]int)}, nil
}

// Decode implements stream.Decoder for messages of one record.
func (d *Decoder) Decode(r *stream.Record, m *stream.Message) error {
	d.Split(m)
	err := d.Next(r)
	if errors.Is(err, io.EOF) {
		return malformed("no point of a metric")
	}
	return err
}

func malformed(format string, args ...any) error {
	return refuse.New(refuse.Malformed, format, args...)
}

// Split implements stream.Splitter.
func (d *Decoder) Split(m *stream.Message) {
	d.message, d.records, d.next, d.err = m, d.records[:0], 0, nil
	clear(d.index)
	if len(m.Key) == 0 && !d.told && d.c.Assume != nil {
		d.told = true
		d.c.Assume("messages have no key, so a series may come from several partitions: set partition_metrics_by_resource_attributes: true in the Collector's exporter")
	}
	if len(m.Value) > d.c.MaxBytes {
		d.err = refuse.New(refuse.TooLarge, "%d bytes, at most %d are allowed", len(m.Value), d.c.MaxBytes)
		return
	}
	var all metrics.MetricsData
	if d.c.JSON {
		if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(m.Value, &all); err != nil {
			d.err = malformed("%s", cmp.Or(d.c.Names.Unreadable(m.Value), fmt.Sprintf("not metrics of OpenTelemetry in JSON: %.200s", err)))
		}
	} else if err := (proto.UnmarshalOptions{RecursionLimit: 32}).Unmarshal(m.Value, &all); err != nil {
		d.err = malformed("not metrics of OpenTelemetry in Protobuf: %.200s%s", err, d.jsonHint(m.Value))
	}
	for _, r := range all.GetResourceMetrics() {
		for _, s := range r.GetScopeMetrics() {
			for _, metric := range s.GetMetrics() {
				if d.err == nil {
					d.err = d.metric(r.GetResource().GetAttributes(), s.GetScope().GetAttributes(), metric)
				}
			}
		}
	}
	if d.err != nil {
		d.records = d.records[:0]
	}
}

func (d *Decoder) jsonHint(message []byte) string {
	if strings.HasPrefix(strings.TrimSpace(string(message[:min(len(message), 16)])), "{") {
		return "; " + d.c.Names.Set("stream.Decoder", "otlp_json")
	}
	return ""
}

// point has the methods that all kinds of points share.
type point interface {
	GetAttributes() []*common.KeyValue
	GetStartTimeUnixNano() uint64
	GetTimeUnixNano() uint64
	GetFlags() uint32
}

// metric adds the points of a metric.
func (d *Decoder) metric(resource, scope []*common.KeyValue, m *metrics.Metric) error {
	add := func(p point, suffix string, v float64, counts bool) error {
		if p.GetFlags()&uint32(metrics.DataPointFlags_DATA_POINT_FLAGS_NO_RECORDED_VALUE_MASK) != 0 {
			v = math.NaN()
		}
		var since int64
		if counts {
			since = max(1, int64(min(p.GetStartTimeUnixNano(), math.MaxInt64)))
		}
		return d.add(resource, scope, m.GetName(), suffix, p, v, since)
	}
	cumulative := func(t metrics.AggregationTemporality) bool {
		return t == metrics.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE
	}
	numbers := func(points []*metrics.NumberDataPoint, counts bool) error {
		for _, p := range points {
			v := math.NaN()
			switch n := p.GetValue().(type) {
			case *metrics.NumberDataPoint_AsDouble:
				v = n.AsDouble
			case *metrics.NumberDataPoint_AsInt:
				v = float64(n.AsInt)
			}
			if err := add(p, "", v, counts); err != nil {
				return err
			}
		}
		return nil
	}
	counted := func(p point, count uint64, sum float64, counts bool) error {
		return errors.Join(add(p, "_count", float64(count), counts), add(p, "_sum", sum, counts))
	}
	if err := numbers(m.GetGauge().GetDataPoints(), false); err != nil {
		return err
	}
	if err := numbers(m.GetSum().GetDataPoints(), m.GetSum().GetIsMonotonic() && cumulative(m.GetSum().GetAggregationTemporality())); err != nil {
		return err
	}
	for _, p := range m.GetHistogram().GetDataPoints() {
		if err := counted(p, p.GetCount(), p.GetSum(), cumulative(m.GetHistogram().GetAggregationTemporality())); err != nil {
			return err
		}
	}
	for _, p := range m.GetExponentialHistogram().GetDataPoints() {
		if err := counted(p, p.GetCount(), p.GetSum(), cumulative(m.GetExponentialHistogram().GetAggregationTemporality())); err != nil {
			return err
		}
	}
	for _, p := range m.GetSummary().GetDataPoints() { // counts since the start of the process
		if err := counted(p, p.GetCount(), p.GetSum(), true); err != nil {
			return err
		}
	}
	return nil
}

// add adds a value to the record of its series and time.
func (d *Decoder) add(resource, scope []*common.KeyValue, name, suffix string, p point, v float64, since int64) error {
	if name == "" {
		return malformed("a metric without a name")
	}
	d.tags = d.tags[:0]
	for _, kv := range resource {
		if len(d.c.Series) == 0 || slices.Contains(d.c.Series, kv.GetKey()) {
			d.tag(kv)
		}
	}
	for _, list := range [][]*common.KeyValue{scope, p.GetAttributes()} {
		for _, kv := range list {
			if slices.Contains(d.c.Series, kv.GetKey()) {
				d.tag(kv)
			}
		}
	}
	if len(d.tags) == 0 && len(d.c.Series) > 0 {
		return malformed("the metric %.40q has none of the attributes %q, which make the series", name, d.c.Series)
	}
	d.buf = appendPairs(d.buf[:0], d.tags)
	k := key{d.series.Get(d.buf), int64(p.GetTimeUnixNano())}
	if len(d.tags) == 0 {
		k.series = d.series.Get(d.message.Key)
	}
	switch {
	case p.GetTimeUnixNano() > math.MaxInt64:
		return malformed("a time behind the year 2262")
	case k.time == 0:
		k.time = d.message.Time
	}
	d.tags = d.tags[:0]
	for _, kv := range p.GetAttributes() {
		if !slices.Contains(d.c.Series, kv.GetKey()) {
			d.tag(kv)
		}
	}
	d.buf = append(append(d.buf[:0], name...), suffix...)
	d.buf = appendPairs(d.buf, d.tags)
	i, ok := d.index[k]
	if !ok {
		i = len(d.records)
		d.index[k] = i
		d.records = slices.Grow(d.records, 1)[:i+1]
		d.records[i] = record{k, d.records[i].names[:0], d.records[i].values[:0], d.records[i].since[:0]}
	}
	r, variable := &d.records[i], d.names.Get(d.buf)
	switch {
	case slices.Contains(r.names, variable):
		return malformed("the variable %.80q is there twice at one time", variable)
	case len(r.values) == d.c.MaxDim:
		return refuse.New(refuse.TooLarge, "more than %d values of a series at one time", d.c.MaxDim)
	}
	r.names, r.values, r.since = append(r.names, variable), append(r.values, v), append(r.since, since)
	return nil
}

// tag adds an attribute, unless it is ignored, has no value or was added already.
func (d *Decoder) tag(kv *common.KeyValue) {
	var text string
	switch v := kv.GetValue().GetValue().(type) {
	case *common.AnyValue_StringValue:
		text = v.StringValue
	case *common.AnyValue_IntValue:
		text = strconv.FormatInt(v.IntValue, 10)
	case *common.AnyValue_BoolValue:
		text = strconv.FormatBool(v.BoolValue)
	case *common.AnyValue_DoubleValue:
		text = strconv.FormatFloat(v.DoubleValue, 'g', -1, 64)
	}
	if text != "" && kv.GetKey() != "" && !slices.Contains(d.c.Ignore, kv.GetKey()) &&
		!slices.ContainsFunc(d.tags, func(p pair) bool { return p.key == kv.GetKey() }) {
		d.tags = append(d.tags, pair{kv.GetKey(), text})
	}
}

// appendPairs appends tags in the order of their keys.
func appendPairs(dst []byte, tags []pair) []byte {
	slices.SortFunc(tags, func(a, b pair) int { return cmp.Compare(a.key, b.key) })
	for _, t := range tags {
		dst = format.AppendTag(dst, t.key, t.value)
	}
	return dst
}

// Next implements stream.Splitter. The record shares no memory with the message.
func (d *Decoder) Next(r *stream.Record) error {
	r.Message = d.message
	if d.err != nil {
		err := d.err
		d.err = nil
		return err
	}
	if d.next == len(d.records) {
		return io.EOF
	}
	rec := &d.records[d.next]
	d.next++
	r.Series, r.Time, r.Names, r.Values, r.Since = rec.series, rec.time, rec.names, rec.values, nil
	if d.c.Rates {
		r.Since = rec.since
	}
	return nil
}
