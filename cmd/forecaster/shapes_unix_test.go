//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/avro"
	"github.com/twmb/franz-go/pkg/sr"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/orffvar/forecaster/internal/tools/testserver"
)

var (
	shapesMessages = flag.Int("messages", 600, "messages of each shape in TestRealShapes; with more, Kafka is a real one")
	shapesAway     = flag.Duration("away", time.Second, "how long the registry of TestRealShapes is away")
)

// TestRealShapes: the same data in the shapes that companies have, read live, give the forecasts of flat JSON, byte for
// byte. Avro comes in two versions of its schema, from a real registry that is away at first.
func TestRealShapes(t *testing.T) {
	t.Parallel()
	registry := testserver.StartApicurio(t)
	client, err := sr.NewClient(sr.URLs(registry.URL), sr.HTTPClient(&http.Client{Timeout: patience}))
	if err != nil {
		t.Fatal(err)
	}
	proxy := testserver.StartProxy(t, strings.TrimPrefix(strings.TrimSuffix(registry.URL, "/apis/ccompat/v7"), "http://"))
	through := "http://" + proxy.Addr + "/apis/ccompat/v7"
	field := func(more string) string {
		return `{"type":"record","name":"host","fields":[{"name":"ts","type":{"type":"long","logicalType":"timestamp-millis"}},` + more + `{"name":"host","type":"string"},{"name":"cpu","type":["null","double"]},{"name":"mem","type":"double"}]}`
	}
	var ids [2]int
	var schemas [2]*avro.Schema
	for i, text := range []string{field(""), field(`{"name":"rack","type":["null","string"],"default":null},`)} {
		subject, err := client.CreateSchema(t.Context(), "hosts-value", sr.Schema{Schema: text, Type: sr.TypeAvro})
		if err != nil {
			t.Fatal(err)
		}
		ids[i], schemas[i] = subject.ID, avro.MustParse(text)
	}
	topics := []string{"flat", "connect", "debezium", "jsonschema", "otlp_proto", "otlp_json", "avro"}
	rows := *shapesMessages
	var addr string
	if rows > 600 {
		broker := testserver.StartKafka(t)
		addr = broker.Addr
		for _, topic := range topics {
			broker.CreateTopic(topic, 1)
		}
	} else {
		addr = startBroker(t, topics...)
	}
	messages := make(map[string][]kafka.Record)
	add := func(topic string, value []byte) {
		messages[topic] = append(messages[topic], kafka.Record{Key: kafka.NewBytes([]byte("k")), Value: kafka.NewBytes(value)})
	}
	for i := range rows {
		ts, cpu, mem := int64(1767225600000+60000*(i/2)), any(50+20*math.Sin(float64(i)/9)), math.Sqrt(float64(i+1))
		host := []string{"web1", "web2"}[i%2]
		number := fmt.Sprint(cpu)
		if i%97 == 96 {
			cpu, number = nil, "null"
		}
		flat := fmt.Sprintf(`{"ts":%d,"host":%q,"cpu":%s,"mem":%v}`, ts, host, number, mem)
		add("flat", []byte(flat))
		add("connect", []byte(`{"schema":{"type":"struct","fields":[{"type":"int64","field":"ts"}]},"payload":`+flat+`}`))
		add("debezium", []byte(`{"before":null,"after":`+flat+`,"source":{"ts_ms":1},"op":"c","ts_ms":2}`))
		add("jsonschema", append([]byte{0, 0, 0, 0, 9}, flat...))
		otlp := gauges(uint64(ts)*1e6, host, cpu, mem)
		for topic, encode := range map[string]func(proto.Message) ([]byte, error){"otlp_proto": proto.Marshal, "otlp_json": protojson.Marshal} {
			data, err := encode(otlp)
			if err != nil {
				t.Fatal(err)
			}
			add(topic, data)
		}
		version := i / (rows / 2)
		value := map[string]any{"ts": ts, "host": host, "cpu": cpu, "mem": mem, "rack": nil}
		data, err := schemas[version].AppendEncode(binary.BigEndian.AppendUint32([]byte{0}, uint32(ids[version])), value)
		if err != nil {
			t.Fatal(err)
		}
		add("avro", data)
	}
	producer := &kafka.Client{Addr: kafka.TCP(addr)}
	var want []byte
	for _, topic := range topics {
		for some := range slices.Chunk(messages[topic], 600) {
			resp, err := producer.Produce(context.Background(), &kafka.ProduceRequest{Topic: topic, RequiredAcks: kafka.RequireAll, Records: kafka.NewRecordReader(some...)})
			if err != nil || resp.Error != nil {
				t.Fatal(err, resp)
			}
		}
		out := filepath.Join(t.TempDir(), topic+"-0.csv")
		format, block := "json", "json"
		fields := []string{"time_field=ts", "tags=host"}
		switch topic {
		case "avro":
			format, block = "avro", "avro"
			fields = append(fields, "registry="+through)
		case "otlp_proto", "otlp_json":
			format, block, fields = topic, "otlp", []string{"series=host"}
		}
		args := []string{"run"}
		for _, f := range fields {
			args = append(args, "--set", "input."+block+"."+f)
		}
		args = append(args, "--set", "input.kafka.brokers="+addr, "--set", "input.kafka.topics="+topic, "--set", "input.kafka.session_timeout=6s",
			"--set", "input.kafka.consumer_group="+topic, "--set", "input.data_format="+format,
			"--set", "output.file.path="+ofPartitions(out), "--set", "state.dir="+t.TempDir(), "--set", "state.interval=20ms", "--set", "model.type=var2", "--set", "model.horizon=3", "--set", "log.format=json")
		if topic == "avro" {
			mustCall(t, append([]string{"lint", "--connect"}, args[1:]...)...)
			proxy.SetRefuse(true)
		}
		p := start(t, "forecaster", args...)
		if topic == "avro" {
			if !poll(func() bool { return strings.Contains(p.stderr.String(), "registry") }) {
				t.Error("no log line names the registry that is away")
			}
			time.Sleep(*shapesAway)
			if b, err := os.ReadFile(out); err == nil && bytes.Count(b, []byte("\n")) > 1 {
				t.Error("forecasts without a schema")
			}
			proxy.SetRefuse(false)
		}
		size, calm := int64(0), 0
		if !poll(func() bool {
			last := size
			if info, err := os.Stat(out); err == nil {
				size = info.Size()
			}
			if calm++; size != last {
				calm = 0
			}
			return want == nil && size > int64(rows) && calm > 300 || want != nil && size == int64(len(want))
		}) {
			t.Errorf("%s: %d bytes", topic, size)
		}
		if code := p.terminate(t); code != exitDone {
			t.Errorf("%s: exit code %d", topic, code)
		}
		got := readFile(t, out)
		if want == nil {
			if want = got; bytes.Count(got, []byte("\n")) < 5*rows {
				t.Errorf("flat JSON has only %d lines", bytes.Count(got, []byte("\n")))
			}
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes that are not the %d of flat JSON", topic, len(got), len(want))
		}
	}
}

// gauges is a message of OpenTelemetry with two gauges.
func gauges(ns uint64, host string, cpu any, mem float64) *metrics.MetricsData {
	gauge := func(name string, p *metrics.NumberDataPoint) *metrics.Metric {
		p.TimeUnixNano = ns
		return &metrics.Metric{Name: name, Data: &metrics.Metric_Gauge{Gauge: &metrics.Gauge{DataPoints: []*metrics.NumberDataPoint{p}}}}
	}
	first := &metrics.NumberDataPoint{Flags: uint32(metrics.DataPointFlags_DATA_POINT_FLAGS_NO_RECORDED_VALUE_MASK)}
	if v, ok := cpu.(float64); ok {
		first = &metrics.NumberDataPoint{Value: &metrics.NumberDataPoint_AsDouble{AsDouble: v}}
	}
	return &metrics.MetricsData{ResourceMetrics: []*metrics.ResourceMetrics{{
		Resource: &resource.Resource{Attributes: []*common.KeyValue{{Key: "host", Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: host}}}}},
		ScopeMetrics: []*metrics.ScopeMetrics{{Metrics: []*metrics.Metric{
			gauge("cpu", first), gauge("mem", &metrics.NumberDataPoint{Value: &metrics.NumberDataPoint_AsDouble{AsDouble: mem}}),
		}}},
	}}}
}
