package avro_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	twmb "github.com/twmb/avro"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/format/avro"
	"github.com/orffvar/forecaster/stream/format/timestamp"
	"github.com/orffvar/forecaster/stream/refuse"
)

// schemas are those of a registry.
type schemas map[int]string

func (s schemas) Schema(_ context.Context, id int) (*twmb.Schema, error) {
	text, ok := s[id]
	if !ok {
		return nil, errors.New("the registry has no such schema")
	}
	return twmb.Parse(text)
}

// frame encodes a value in Confluent's wire format.
func (s schemas) frame(t testing.TB, id int, value any) []byte {
	t.Helper()
	schema, err := twmb.Parse(s[id])
	if err != nil {
		t.Fatal(err)
	}
	data, err := schema.Encode(value)
	if err != nil {
		t.Fatal(err)
	}
	return append(binary.BigEndian.AppendUint32([]byte{0}, uint32(id)), data...)
}

func newDecoder(t testing.TB, c avro.Config) *avro.Decoder {
	t.Helper()
	d, err := avro.New(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// show prints what a decoder makes of a message.
func show(d stream.Decoder, key string, value []byte) string {
	var r stream.Record
	if err := d.Decode(&r, &stream.Message{Key: []byte(key), Value: value}); err != nil {
		return err.Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d", r.Series, r.Time)
	for i, v := range r.Values {
		b.WriteByte(' ')
		if r.Names != nil {
			b.WriteString(r.Names[i] + "=")
		}
		fmt.Fprint(&b, v)
	}
	return b.String()
}

const at = 1767225600123

type object = map[string]any

func TestAvro(t *testing.T) {
	record := func(fields string) string { return `{"type":"record","name":"r","fields":[` + fields + `]}` }
	const ms = `{"name":"time","type":{"type":"long","logicalType":"timestamp-millis"}}`
	decimal := `{"type":"bytes","logicalType":"decimal","precision":20,"scale":3}`
	debezium := record(`{"name":"before","type":["null",` + record(ms+`,{"name":"a","type":["null","double"]}`) + `]},{"name":"after","type":["null","r"]},{"name":"op","type":"string"},{"name":"ts_ms","type":["null","long"]}`)
	debezium = strings.Replace(debezium, `"name":"r"`, `"name":"envelope"`, 1)
	local, err := time.LoadLocation("Europe/Rome")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		config avro.Config
		schema string
		value  any
		want   string
	}{
		{avro.Config{}, record(ms + `,{"name":"cpu","type":"double"},{"name":"n","type":"int"},{"name":"big","type":"long"},{"name":"f","type":"float"},{"name":"up","type":"boolean"},{"name":"host","type":"string"}`),
			object{"time": int64(at), "cpu": .5, "n": 3, "big": int64(1) << 40, "f": float32(.25), "up": true, "host": "web1"}, "k 1767225600123000000 cpu=0.5 n=3 big=1.099511627776e+12 f=0.25 up=1"},
		{avro.Config{}, record(ms + `,{"name":"a","type":["null","double"]},{"name":"b","type":["long","null"]},{"name":"c","type":["null","int","double","string"]}`),
			object{"time": int64(at), "a": nil, "b": int64(2), "c": 1.5}, "k 1767225600123000000 a=NaN b=2 c=1.5"},
		{avro.Config{Tags: []string{"meta.rack", "host", "none"}}, record(ms + `,{"name":"a","type":` + decimal + `},{"name":"host","type":["null","string"]},{"name":"meta","type":{"type":"record","name":"m","fields":[{"name":"rack","type":"int"},{"name":"x","type":"double"}]}}`),
			object{"time": int64(at), "a": big.NewRat(12345, 1000), "host": "web,1", "meta": object{"rack": 7, "x": 1.}}, `host=web\,1,rack=7 1767225600123000000 a=12.345`},
		{avro.Config{Series: "id", Time: "ts", Values: "v"}, record(`{"name":"id","type":{"type":"string","logicalType":"uuid"}},{"name":"ts","type":{"type":"long","logicalType":"timestamp-nanos"}},{"name":"v","type":{"type":"map","values":["null","double"]}}`),
			object{"id": "01234567-89ab-cdef-0123-456789abcdef", "ts": int64(7), "v": object{"b": 2., "a": nil}}, "01234567-89ab-cdef-0123-456789abcdef 7 a=NaN b=2"},
		{avro.Config{}, record(`{"name":"time","type":"string"},{"name":"values","type":{"type":"array","items":["null","long"]}}`),
			object{"time": "2026-01-01T00:00:00.5Z", "values": []any{int64(1), nil}}, "k 1767225600500000000 1 NaN"},
		{avro.Config{Time: "d"}, record(`{"name":"d","type":{"type":"int","logicalType":"date"}},{"name":"a","type":"long"}`), object{"d": int32(20454), "a": int64(5)}, "k 1767225600000000000 a=5"},
		{avro.Config{Zone: local}, record(strings.Replace(ms, "timestamp", "local-timestamp", 1) + `,{"name":"a","type":"long"}`), object{"time": int64(at), "a": int64(5)}, "k 1767222000123000000 a=5"},
		{avro.Config{}, record(`{"name":"time","type":"long"},{"name":"a","type":"long"}`), object{"time": int64(at), "a": int64(5)}, "k 1767225600123000000 a=5"},
		{avro.Config{}, debezium, object{"before": nil, "after": object{"time": int64(at), "a": .5}, "op": "c", "ts_ms": int64(1)}, "k 1767225600123000000 a=0.5"},
		{avro.Config{}, debezium, object{"before": object{"time": int64(at), "a": .5}, "after": nil, "op": "d", "ts_ms": int64(1)}, stream.ErrDeleted.Error()},

		{avro.Config{}, record(`{"name":"ts","type":"long"},{"name":"a","type":"long"}`), object{"ts": int64(at), "a": int64(5)}, `malformed: schema 1: no time at "time", the schema has ts, a: avro.Config.Time=PATH`},
		{avro.Config{}, record(ms), object{"time": int64(at)}, "malformed: schema 1: no number beside the time among the fields time: avro.Config.Values=PATH"},
		{avro.Config{}, `"string"`, "x", "malformed: schema 1: it is of the type string, and must be a record"},
		{avro.Config{Values: "time"}, record(ms), object{"time": int64(at)}, `malformed: schema 1: the values at "time" are of the type long`},
	} {
		s := schemas{1: c.schema}
		c.config.Schemas, c.config.TimeUnit = s, timestamp.Auto
		data := s.frame(t, 1, c.value)
		d := newDecoder(t, c.config)
		for range 2 {
			if got := show(d, "k", data); !strings.HasPrefix(got, c.want) {
				t.Errorf("%s\ngot  %s\nwant %s", c.schema, got, c.want)
			}
		}
		if strings.HasPrefix(c.want, "malformed") {
			continue
		}
		for n := range len(data) {
			if got := show(d, "k", data[:n]); !strings.HasPrefix(got, "malformed: not ") {
				t.Fatalf("%d bytes of %d: %s", n, len(data), got)
			}
		}
		if got := show(d, "k", append(data, 0)); !strings.Contains(got, "1 bytes follow") {
			t.Errorf("with a byte more: %s", got)
		}
	}
}

// TestVersions: schemas may change in the middle of a topic, and back.
func TestVersions(t *testing.T) {
	s := schemas{
		1: `{"type":"record","name":"r","fields":[{"name":"time","type":"long"},{"name":"a","type":"double"}]}`,
		2: `{"type":"record","name":"r","fields":[{"name":"b","type":["null","double"]},{"name":"time","type":"long"},{"name":"a","type":"double"}]}`,
		9: `"string"`,
	}
	d := newDecoder(t, avro.Config{Schemas: s, TimeUnit: timestamp.Seconds})
	one, two := s.frame(t, 1, object{"time": int64(5), "a": 1.}), s.frame(t, 2, object{"time": int64(6), "a": 2., "b": nil})
	for range 2 {
		if got := show(d, "k", one); got != "k 5000000000 a=1" {
			t.Error(got)
		}
		if got := show(d, string(s.frame(t, 9, "key")), two); got != "key 6000000000 b=NaN a=2" {
			t.Error(got)
		}
	}
	if got := show(d, "k", append([]byte{0, 0, 0, 0, 7}, two[5:]...)); got != "malformed: schema 7: the registry has no such schema" {
		t.Error(got)
	}
	if got := show(d, "k", []byte(`{"a":1}`)); !strings.Contains(got, "stream.Decoder=json") {
		t.Error(got)
	}
	if got := show(d, string(s.frame(t, 1, object{"time": int64(5), "a": 1.})), one); !strings.Contains(got, "avro.Config.Series") {
		t.Error(got)
	}
	schema := twmb.MustParse(s[1])
	alone := newDecoder(t, avro.Config{Schema: schema, TimeUnit: timestamp.Seconds})
	if got := show(alone, "k", one[5:]); got != "k 5000000000 a=1" {
		t.Error(got)
	}
}

// hostileSchemas have what could take time or memory without limit.
var hostileSchemas = schemas{
	1: `{"type":"record","name":"r","fields":[{"name":"junk","type":{"type":"array","items":"null"}},{"name":"time","type":"long"},{"name":"a","type":"double"}]}`,
	2: `{"type":"record","name":"r","fields":[{"name":"next","type":["null","r"]},{"name":"time","type":"long"},{"name":"a","type":"double"}]}`,
	3: `{"type":"record","name":"r","fields":[{"name":"time","type":"long"},{"name":"values","type":{"type":"array","items":"null"}}]}`,
	4: `{"type":"record","name":"r","fields":[{"name":"time","type":"string"},{"name":"values","type":{"type":"map","values":["null","double","r"]}}]}`,
	5: `{"type":"record","name":"r","fields":[{"name":"time","type":["string","long","null"]},{"name":"a","type":{"type":"fixed","name":"f","size":4,"logicalType":"decimal","precision":9,"scale":2}}]}`,
}

// TestHostileBytes: what announces more than it has is refused without the memory for it.
func TestHostileBytes(t *testing.T) {
	huge := binary.AppendVarint(nil, 1<<33)
	for id, body := range map[int][]byte{
		1: append(huge, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0),
		2: []byte(strings.Repeat("\x02", 1<<19)),
		3: append([]byte{2}, append(huge, 0)...),
		4: append(binary.AppendVarint(nil, 100<<20), 'x'),
	} {
		d := newDecoder(t, avro.Config{Schemas: hostileSchemas})
		message := append([]byte{0, 0, 0, 0, byte(id)}, body...)
		var got string
		bytes := testing.Benchmark(func(b *testing.B) {
			for b.Loop() {
				got = show(d, "k", message)
			}
		}).AllocedBytesPerOp()
		if !strings.HasPrefix(got, "malformed: not Avro") || bytes > 1<<20 {
			t.Errorf("schema %d: %d bytes of memory, %s", id, bytes, got)
		}
	}
}

// FuzzAvro: any bytes are a record or refused, with bounded memory.
func FuzzAvro(f *testing.F) {
	for id := range hostileSchemas {
		f.Add(byte(id), []byte{2, 4, 6, 0, 0, 0})
	}
	d := newDecoder(f, avro.Config{Schemas: hostileSchemas, TimeUnit: timestamp.Auto})
	f.Fuzz(func(t *testing.T, id byte, body []byte) {
		var r stream.Record
		err := d.Decode(&r, &stream.Message{Key: []byte("k"), Value: append([]byte{0, 0, 0, 0, id}, body...)})
		var refusal *refuse.Error
		if err != nil && !errors.As(err, &refusal) {
			t.Fatal(err)
		}
		if err == nil && (r.Names != nil && len(r.Names) != len(r.Values) || r.Series != "k") {
			t.Fatalf("%+v", r)
		}
	})
}

// BenchmarkAvro compares with JSON: a message of seven values.
func BenchmarkAvro(b *testing.B) {
	fields, object, text := `{"name":"time","type":{"type":"long","logicalType":"timestamp-millis"}}`, object{"time": int64(at)}, fmt.Sprintf(`{"time":%d`, int64(at))
	for i := range 7 {
		v := math.Sqrt(float64(i + 2))
		fields += fmt.Sprintf(`,{"name":"v%d","type":["null","double"]}`, i)
		object[fmt.Sprint("v", i)] = v
		text += fmt.Sprintf(`,"v%d":%v`, i, v)
	}
	s := schemas{1: `{"type":"record","name":"r","fields":[` + fields + `]}`}
	j, err := format.NewJSON(format.JSONConfig{})
	if err != nil {
		b.Fatal(err)
	}
	for name, c := range map[string]struct {
		d     stream.Decoder
		value []byte
	}{"avro": {newDecoder(b, avro.Config{Schemas: s}), s.frame(b, 1, object)}, "json": {j, []byte(text + "}")}} {
		b.Run(name, func(b *testing.B) {
			m, r := &stream.Message{Key: []byte("k"), Value: c.value}, stream.Record{}
			b.ReportAllocs()
			for b.Loop() {
				if err := c.d.Decode(&r, m); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
