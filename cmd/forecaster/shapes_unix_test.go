//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/avro"
	"github.com/twmb/franz-go/pkg/sr"

	"github.com/orffvar/forecaster/internal/tools/testserver"
)

// TestRealShapes: the same data in the shapes that companies have, read live, give the forecasts of flat JSON, byte for
// byte. Avro comes in two versions of its schema, from a real registry.
func TestRealShapes(t *testing.T) {
	t.Parallel()
	registry := testserver.StartApicurio(t)
	client, err := sr.NewClient(sr.URLs(registry.URL))
	if err != nil {
		t.Fatal(err)
	}
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
	topics := []string{"flat", "connect", "debezium", "jsonschema", "avro"}
	addr := startBroker(t, topics...)
	const rows = 600
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
		resp, err := producer.Produce(context.Background(), &kafka.ProduceRequest{Topic: topic, RequiredAcks: kafka.RequireAll, Records: kafka.NewRecordReader(messages[topic]...)})
		if err != nil || resp.Error != nil {
			t.Fatal(err, resp)
		}
		out := filepath.Join(t.TempDir(), topic+".csv")
		format, block := "json", "json"
		args := []string{"run"}
		if topic == "avro" {
			format, block = "avro", "avro"
			args = append(args, "--set", "input.avro.registry="+registry.URL)
		}
		args = append(args, "--set", "input.kafka.brokers="+addr, "--set", "input.kafka.topics="+topic, "--set", "input.kafka.session_timeout=6s",
			"--set", "input.kafka.consumer_group="+topic, "--set", "input.data_format="+format, "--set", "input."+block+".time_field=ts", "--set", "input."+block+".tags=host",
			"--set", "output.file.path="+out, "--set", "state.dir="+t.TempDir(), "--set", "state.interval=20ms", "--set", "model.type=var2", "--set", "model.horizon=3", "--set", "log.format=json")
		if topic == "avro" {
			mustCall(t, append([]string{"lint", "--connect"}, args[1:]...)...)
		}
		p := start(t, "forecaster", args...)
		lines := 0
		if !poll(func() bool {
			last := lines
			if b, err := os.ReadFile(out); err == nil {
				lines = bytes.Count(b, []byte("\n"))
			}
			return want == nil && lines > rows && lines == last || want != nil && lines == bytes.Count(want, []byte("\n"))
		}) {
			t.Errorf("%s: %d lines", topic, lines)
		}
		if code := p.terminate(t); code != exitDone {
			t.Errorf("%s: exit code %d", topic, code)
		}
		got := readFile(t, out)
		if want == nil {
			want = got
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes that are not the %d of flat JSON", topic, len(got), len(want))
		}
	}
}
