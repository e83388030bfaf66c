package otlp_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format/otlp"
)

func attributes(pairs ...string) (all []*common.KeyValue) {
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, &common.KeyValue{Key: pairs[i], Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: pairs[i+1]}}})
	}
	return all
}

func double(time uint64, v float64, pairs ...string) *metrics.NumberDataPoint {
	return &metrics.NumberDataPoint{TimeUnixNano: time, Attributes: attributes(pairs...), Value: &metrics.NumberDataPoint_AsDouble{AsDouble: v}}
}

func gauge(name string, points ...*metrics.NumberDataPoint) *metrics.Metric {
	return &metrics.Metric{Name: name, Data: &metrics.Metric_Gauge{Gauge: &metrics.Gauge{DataPoints: points}}}
}

func host(name string, all ...*metrics.Metric) *metrics.ResourceMetrics {
	return &metrics.ResourceMetrics{
		Resource:     &resource.Resource{Attributes: attributes("host.name", name, "os.type", "linux")},
		ScopeMetrics: []*metrics.ScopeMetrics{{Scope: &common.InstrumentationScope{Name: "s", Attributes: attributes("zone", "z1")}, Metrics: all}},
	}
}

// message has two hosts and every kind of metric, as the Collector's exporter writes it without keys.
var message = &metrics.MetricsData{ResourceMetrics: []*metrics.ResourceMetrics{
	host("web1",
		gauge("cpu", double(5, .5, "state", "user", "cpu", "0"), double(5, .25, "state", "idle", "cpu", "0"), double(6, .75, "state", "user", "cpu", "0")),
		&metrics.Metric{Name: "requests", Data: &metrics.Metric_Sum{Sum: &metrics.Sum{IsMonotonic: true, DataPoints: []*metrics.NumberDataPoint{
			{TimeUnixNano: 5, Value: &metrics.NumberDataPoint_AsInt{AsInt: 7}}, {TimeUnixNano: 6, Flags: 1},
		}}}},
		&metrics.Metric{Name: "latency", Data: &metrics.Metric_Histogram{Histogram: &metrics.Histogram{DataPoints: []*metrics.HistogramDataPoint{{TimeUnixNano: 5, Count: 3, Sum: proto.Float64(1.5)}}}}},
	),
	host("web2", gauge("cpu", double(5, 1))),
}}

func encoded(t testing.TB, m *metrics.MetricsData, json bool) []byte {
	t.Helper()
	b, err := proto.Marshal(m)
	if json {
		b, err = protojson.Marshal(m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// show prints the records of a message.
func show(t testing.TB, c otlp.Config, m *stream.Message) (all []string) {
	t.Helper()
	d, err := otlp.New(c)
	if err != nil {
		t.Fatal(err)
	}
	d.Split(m)
	for {
		var r stream.Record
		err := d.Next(&r)
		switch {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			all = append(all, err.Error())
			continue
		}
		text := fmt.Sprint(r.Series, " ", r.Time)
		for i, v := range r.Values {
			text += fmt.Sprintf(" %s=%v", r.Names[i], v)
		}
		all = append(all, text)
	}
}

func TestOTLP(t *testing.T) {
	for _, c := range []struct {
		config otlp.Config
		want   []string
	}{
		{otlp.Config{}, []string{
			"host.name=web1,os.type=linux 5 cpu,cpu=0,state=user=0.5 cpu,cpu=0,state=idle=0.25 requests=7 latency_count=3 latency_sum=1.5",
			"host.name=web1,os.type=linux 6 cpu,cpu=0,state=user=0.75 requests=NaN", "host.name=web2,os.type=linux 5 cpu=1",
		}},
		{otlp.Config{Series: []string{"host.name", "zone"}, Ignore: []string{"cpu"}}, []string{
			"host.name=web1,zone=z1 5 cpu,state=user=0.5 cpu,state=idle=0.25 requests=7 latency_count=3 latency_sum=1.5",
			"host.name=web1,zone=z1 6 cpu,state=user=0.75 requests=NaN", "host.name=web2,zone=z1 5 cpu=1",
		}},
		{otlp.Config{Series: []string{"state"}}, []string{`malformed: the metric "requests" has none of the attributes ["state"], which make the series`}},
		{otlp.Config{Ignore: []string{"state"}}, []string{`malformed: the variable "cpu,cpu=0" is there twice at one time`}},
		{otlp.Config{MaxDim: 2}, []string{"too_large: more than 2 values of a series at one time"}},
	} {
		for _, json := range []bool{false, true} {
			c.config.JSON = json
			told := 0
			c.config.Assume = func(text string) {
				if told++; !strings.Contains(text, "partition_metrics_by_resource_attributes") {
					t.Error(text)
				}
			}
			if got := show(t, c.config, &stream.Message{Value: encoded(t, message, json)}); !slices.Equal(got, c.want) || told != 1 {
				t.Errorf("JSON %v, told %d times\ngot  %q\nwant %q", json, told, got, c.want)
			}
		}
	}
	for value, want := range map[string]string{
		"\xff":         "malformed: not metrics of OpenTelemetry in Protobuf",
		`{"a":1}`:      "stream.Decoder=otlp_json",
		"":             "",
		"\x0a\x7f":     "malformed: not metrics",
		"\x1f\x8b\x08": "malformed: not metrics",
	} {
		got := strings.Join(show(t, otlp.Config{}, &stream.Message{Key: []byte("k"), Value: []byte(value)}), "|")
		if !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
}

// TestRates: what only grows counts since its start; gauges, sums that go up and down, and differences
// do not.
func TestRates(t *testing.T) {
	sum := func(name string, monotonic bool, temporality metrics.AggregationTemporality, start uint64) *metrics.Metric {
		return &metrics.Metric{Name: name, Data: &metrics.Metric_Sum{Sum: &metrics.Sum{IsMonotonic: monotonic, AggregationTemporality: temporality,
			DataPoints: []*metrics.NumberDataPoint{{StartTimeUnixNano: start, TimeUnixNano: 5, Value: &metrics.NumberDataPoint_AsInt{AsInt: 7}}}}}}
	}
	const delta, cumulative = metrics.AggregationTemporality_AGGREGATION_TEMPORALITY_DELTA, metrics.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE
	value := encoded(t, &metrics.MetricsData{ResourceMetrics: []*metrics.ResourceMetrics{host("web1",
		gauge("cpu", double(5, 1)), sum("requests", true, cumulative, 3), sum("unknown", true, cumulative, 0), sum("queue", false, cumulative, 3), sum("delta", true, delta, 3),
		&metrics.Metric{Name: "latency", Data: &metrics.Metric_Histogram{Histogram: &metrics.Histogram{AggregationTemporality: cumulative,
			DataPoints: []*metrics.HistogramDataPoint{{StartTimeUnixNano: 4, TimeUnixNano: 5, Count: 3, Sum: proto.Float64(1.5)}}}}},
	)}}, false)
	for _, rates := range []bool{false, true} {
		d, err := otlp.New(otlp.Config{Rates: rates})
		if err != nil {
			t.Fatal(err)
		}
		var r stream.Record
		if err := d.Decode(&r, &stream.Message{Key: []byte("k"), Value: value}); err != nil {
			t.Fatal(err)
		}
		want := []int64{0, 3, 1, 0, 0, 4, 4}
		if !rates {
			want = nil
		}
		if !slices.Equal(r.Since, want) {
			t.Errorf("rates %v: %v of %v, want %v", rates, r.Since, r.Names, want)
		}
	}
}

// TestHostileBytes: many empty messages within one take a bounded multiple of its memory.
func TestHostileBytes(t *testing.T) {
	value := []byte(strings.Repeat("\x0a\x00", 1<<19))
	bytes := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			show(b, otlp.Config{}, &stream.Message{Value: value})
		}
	}).AllocedBytesPerOp()
	if most := int64(len(value)) * 100; bytes > most {
		t.Errorf("%d bytes of memory for %d, want at most %d", bytes, len(value), most)
	}
}

// FuzzOTLP: any bytes are records or refused.
func FuzzOTLP(f *testing.F) {
	f.Add(encoded(f, message, false), false)
	f.Add(encoded(f, message, true), true)
	f.Fuzz(func(t *testing.T, value []byte, json bool) {
		for _, text := range show(t, otlp.Config{JSON: json}, &stream.Message{Key: []byte("k"), Value: value}) {
			if strings.HasPrefix(text, "not ") {
				t.Fatal(text)
			}
		}
	})
}
