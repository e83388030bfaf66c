package avro_test

import (
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	twmb "github.com/twmb/avro"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format/avro"
)

// TestKindsOfFields: times, tags and values of each type of Avro, also null and within null, and what is told about
// others.
func TestKindsOfFields(t *testing.T) {
	record := func(fields string) string { return `{"type":"record","name":"r","fields":[` + fields + `]}` }
	field := func(name, kind string) string {
		if !strings.HasPrefix(kind, "{") && !strings.HasPrefix(kind, "[") {
			kind = `"` + kind + `"`
		}
		return `{"name":"` + name + `","type":` + kind + `}`
	}
	logical := func(kind, name string) string { return `{"type":"` + kind + `","logicalType":"` + name + `"}` }
	timed := func(fields ...string) string { return record(field("time", "long") + "," + strings.Join(fields, ",")) }
	of := func(time any) object { return object{"time": time, "a": 1.5} }
	double := field("a", "double")
	rome, err := time.LoadLocation("Europe/Rome")
	if err != nil {
		t.Fatal(err)
	}
	tag := func(fields ...string) avro.Config { return avro.Config{Tags: fields} }
	map10 := `{"type":"map","values":["null","boolean","int","float","string",{"type":"array","items":"int"}]}`
	for _, c := range []struct {
		name   string
		config avro.Config
		schema string
		value  any
		want   string
	}{
		{"seconds", avro.Config{}, record(field("time", "int") + "," + double), of(int32(7)), "k 7000000000 a=1.5"},
		{"a fraction", avro.Config{}, record(field("time", "double") + "," + double), of(1767225600.5), "k 1767225600500000000 a=1.5"},
		{"text", avro.Config{}, record(field("time", "string") + "," + double), of("2026-01-01"), "k 1767225600000000000 a=1.5"},
		{"milliseconds that are told", avro.Config{TimeUnit: "ms"}, record(field("time", "long") + "," + double), of(int64(7)), "k 7000000 a=1.5"},
		{"a calendar form", avro.Config{TimeUnit: "s"}, record(field("time", "long") + "," + double), of(int64(-7)), "k -7000000000 a=1.5"},
		{"microseconds", avro.Config{TimeUnit: "s"}, record(field("time", logical("long", "timestamp-micros")) + "," + double), of(int64(7)), "k 7000 a=1.5"},
		{"nanoseconds", avro.Config{TimeUnit: "s"}, record(field("time", logical("long", "timestamp-nanos")) + "," + double), of(int64(7)), "k 7 a=1.5"},
		{"a date before 1970", avro.Config{}, record(field("time", logical("int", "date")) + "," + double), of(int32(-1)), "k -86400000000000 a=1.5"},
		{"a local time in winter", avro.Config{Zone: rome}, record(field("time", logical("long", "local-timestamp-micros")) + "," + double), of(int64(1767225600_500000)), "k 1767222000500000000 a=1.5"},
		{"a local time in summer", avro.Config{Zone: rome}, record(field("time", logical("long", "local-timestamp-millis")) + "," + double), of(int64(1782864000_000)), "k 1782856800000000000 a=1.5"},
		{"a local time without a zone", avro.Config{}, record(field("time", logical("long", "local-timestamp-millis")) + "," + double), of(int64(7)), "k 7000000 a=1.5"},
		{"a time of a union", avro.Config{}, record(field("time", `["null","string"]`) + "," + double), of("2026-01-01"), "k 1767225600000000000 a=1.5"},
		{"no time", avro.Config{}, record(field("time", `["null","long"]`) + "," + double), of(nil), `malformed: no time at "time"`},
		{"a time that is true", avro.Config{}, record(field("time", "boolean") + "," + double), of(true), `malformed: no time at "time"`},
		{"a text that is no time", avro.Config{}, record(field("time", "string") + "," + double), of("noon" + strings.Repeat("x", 40)), `malformed: the time "noonxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" is of no form`},
		{"a time of another age", avro.Config{TimeUnit: "s"}, record(field("time", "long") + "," + double), of(int64(1e12)), "malformed: the time 1000000000000 is outside the years 1678 to 2261"},
		{"kinds of tags", tag("s", "n", "b", "f", "e", "u"), timed(double, field("s", "string"), field("n", "long"), field("b", "boolean"), field("f", "double"), field("e", `{"type":"enum","name":"e","symbols":["on","off"]}`), field("u", `["null","string"]`)),
			object{"time": int64(7), "a": 1.5, "s": "x", "n": int64(-3), "b": true, "f": .5, "e": "off", "u": nil}, "b=true,e=off,f=0.5,n=-3,s=x 7000000000 a=1.5"},
		{"tags that may be null", tag("n", "b", "f", "e", "s"), timed(double, field("s", `["null","string"]`), field("n", `["null","int"]`), field("b", `["boolean","null"]`), field("f", `["null","double"]`), field("e", `["null",{"type":"enum","name":"e","symbols":["on","off"]}]`)),
			object{"time": int64(7), "a": 1.5, "s": "x", "n": int32(-3), "b": false, "f": .5, "e": "on"}, "b=false,e=on,f=0.5,n=-3,s=x 7000000000 a=1.5"},
		{"tags that are null", tag("s", "n"), timed(double, field("s", `["null","string"]`), field("n", `["null","int"]`)), object{"time": int64(7), "a": 1.5, "s": "", "n": nil}, `malformed: none of ["s" "n"], which make the series`},
		{"a tag within null", tag("m.s", "n"), timed(double, field("n", "int"), field("m", `["null",`+`{"type":"record","name":"m","fields":[{"name":"s","type":"string"}]}`+`]`)), object{"time": int64(7), "a": 1.5, "n": int32(1), "m": nil}, "n=1 7000000000 a=1.5"},
		{"no tag of the schema", tag("x", "y"), timed(double), of(int64(7)), `malformed: schema 1: none of the fields ["x" "y"], which make the series; it has time, a`},
		{"a tag that is a list", tag("l", "n"), timed(double, field("n", "int"), field("l", `{"type":"array","items":"int"}`)), object{"time": int64(7), "a": 1.5, "n": int32(1), "l": []any{int32(1)}}, "n=1 7000000000 a=1.5"},
		{"a series that is null", avro.Config{Series: "s"}, timed(double, field("s", `["null","string"]`)), object{"time": int64(7), "a": 1.5, "s": nil}, `malformed: no name of the series at "s"`},
		{"no series", avro.Config{Series: "x"}, timed(double), of(int64(7)), `malformed: schema 1: no name of the series at "x", the schema has time, a: avro.Config.Series=PATH`},
		{"a field for two ends", avro.Config{Series: "time"}, timed(double), of(int64(7)), `malformed: schema 1: no name of the series at "time", which another path has, or lies within: avro.Config.Series=PATH`},
		{"a map", avro.Config{Values: "m"}, timed(field("m", map10)), object{"time": int64(7), "m": object{"f": float32(.25), "b": true, "i": int32(3), "z": nil, "s": "x"}}, "k 7000000000 b=1 f=0.25 i=3 s=NaN z=NaN"},
		{"a map of decimals", avro.Config{Values: "m"}, timed(field("m", `{"type":"map","values":["null",{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}]}`)), object{"time": int64(7), "m": object{"d": big.NewRat(-125, 100), "z": nil}}, "k 7000000000 d=-1.25 z=NaN"},
		{"a map with a list", avro.Config{Values: "m"}, timed(field("m", map10)), object{"time": int64(7), "m": object{"l": []any{int32(1)}}}, `malformed: the value of "l" is no number but []interface {}`},
		{"an array with a list", avro.Config{Values: "m"}, timed(field("m", `{"type":"array","items":["int",{"type":"array","items":"int"}]}`)), object{"time": int64(7), "m": []any{int32(1), []any{int32(1)}}}, `malformed: the value of "#2" is no number but []interface {}`},
		{"a map that is null", avro.Config{Values: "m"}, timed(field("m", `["null",{"type":"map","values":"int"}]`)), object{"time": int64(7), "m": nil}, `malformed: no values at "m"`},
		{"as many values as are allowed", avro.Config{MaxDim: 2}, timed(double, field("b", "int")), object{"time": int64(7), "a": 1.5, "b": int32(2)}, "k 7000000000 a=1.5 b=2"},
		{"too many values", avro.Config{MaxDim: 2}, timed(double, field("b", "int"), field("c", "int")), object{"time": int64(7), "a": 1.5, "b": int32(2), "c": int32(2)}, "malformed: schema 1: more than 2 values"},
		{"a long array", avro.Config{MaxDim: 2, Values: "m"}, timed(field("m", `{"type":"array","items":"int"}`)), object{"time": int64(7), "m": []any{int32(1), int32(2)}}, "k 7000000000 1 2"},
		{"a longer array", avro.Config{MaxDim: 2, Values: "m"}, timed(field("m", `{"type":"array","items":"int"}`)), object{"time": int64(7), "m": []any{int32(1), int32(2), int32(3)}}, "too_large: more than 2 values"},
		{"values in a record", avro.Config{Values: "m"}, timed(double, field("m", `{"type":"record","name":"m","fields":[{"name":"x","type":"int"},{"name":"s","type":"string"}]}`)), object{"time": int64(7), "a": 1.5, "m": object{"x": int32(3), "s": "x"}}, "k 7000000000 x=3"},
		{"values beside a record", avro.Config{Values: "."}, timed(double, field("values", `{"type":"record","name":"m","fields":[{"name":"x","type":"int"}]}`)), object{"time": int64(7), "a": 1.5, "values": object{"x": int32(3)}}, "k 7000000000 a=1.5"},
		{"a number named values", avro.Config{}, timed(field("values", "double")), object{"time": int64(7), "values": 2.5}, "k 7000000000 values=2.5"},
		{"no values", avro.Config{Values: "x"}, timed(double), of(int64(7)), `malformed: schema 1: no values at "x", the schema has time, a: avro.Config.Values=PATH`},
		{"values in a number", avro.Config{Values: "a.x"}, timed(double), of(int64(7)), `malformed: schema 1: no values at "a.x", the schema has no fields there: avro.Config.Values=PATH`},
		{"numbers that are times", avro.Config{}, timed(field("d", logical("int", "date")), field("x", logical("long", "timestamp-millis"))), object{"time": int64(7), "d": int32(1), "x": int64(1)}, "malformed: schema 1: no number beside the time among the fields time, d, x: avro.Config.Values=PATH"},
		{"many fields", avro.Config{Time: "x"}, record(field("f0", "int") + "," + field("f1", "int") + "," + field("f2", "int") + "," + field("f3", "int") + "," + field("f4", "int") + "," + field("f5", "int") + "," + field("f6", "int") + "," + field("f7", "int") + "," + field("f8", "int") + "," + field("f9", "int") + "," + field("fa", "int")),
			object{"f0": 0, "f1": 0, "f2": 0, "f3": 0, "f4": 0, "f5": 0, "f6": 0, "f7": 0, "f8": 0, "f9": 0, "fa": 0}, `malformed: schema 1: no time at "x", the schema has f0, f1, f2, f3, f4, f5, f6, f7, f8, f9 and 1 more: avro.Config.Time=PATH`},
	} {
		s := schemas{1: c.schema}
		c.config.Schemas = s
		data := s.frame(t, 1, c.value)
		d := newDecoder(t, c.config)
		if got := show(d, "k", data); got != c.want && !(strings.HasSuffix(c.want, "of no form") && strings.HasPrefix(got, c.want)) {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
		for limit, allowed := range map[int]bool{len(data): true, len(data) - 1: false} {
			c.config.MaxBytes = limit
			if got := show(newDecoder(t, c.config), "k", data); strings.HasPrefix(got, "too_large: ") == allowed && !strings.HasPrefix(c.want, "too_large") {
				t.Errorf("%s: %d bytes of %d allowed: %s", c.name, len(data), limit, got)
			}
		}
	}
}

// TestKeys: a key is the name of a series as it is, or as Avro text in the wire format.
func TestKeys(t *testing.T) {
	s := schemas{1: `{"type":"record","name":"r","fields":[{"name":"time","type":"long"},{"name":"a","type":"double"}]}`, 2: `"string"`, 3: `"int"`}
	d := newDecoder(t, avro.Config{Schemas: s})
	data := s.frame(t, 1, object{"time": int64(7), "a": 1.5})
	for key, want := range map[string]string{
		"host": "host 7000000000 a=1.5", "": " 7000000000 a=1.5", string(s.frame(t, 2, "web1")): "web1 7000000000 a=1.5",
		string(s.frame(t, 3, int32(1))): "malformed: the key of the message is Avro of the type int, not the name of a series: avro.Config.Series=PATH or avro.Config.Tags",
		"\x00\x00\x00\x00\x02\x08x":     "malformed: the key of the message: ", "\x00\x00\x00\x00\x09x": "malformed: schema 9: the registry has no such schema",
	} {
		if got := show(d, key, data); got != want && !(strings.HasSuffix(want, ": ") && strings.HasPrefix(got, want)) {
			t.Errorf("key %q:\ngot  %s\nwant %s", key, got, want)
		}
	}
	var r stream.Record
	if err := d.Decode(&r, &stream.Message{Key: []byte("k")}); !errors.Is(err, stream.ErrDeleted) {
		t.Errorf("a tombstone: %v", err)
	}
	if err := d.Decode(&r, &stream.Message{}); err == nil || !strings.HasPrefix(err.Error(), "malformed: not Confluent's wire format, which begins with 0 and four bytes for the schema: ") {
		t.Errorf("an empty message: %v", err)
	}
	schema, err := twmb.Parse(s[1])
	if err != nil {
		t.Fatal(err)
	}
	alone := newDecoder(t, avro.Config{Schema: schema})
	for _, text := range [][]byte{data[5:], append([]byte{0xc3, 1, 1, 2, 3, 4, 5, 6, 7, 8}, data[5:]...)} { // also as a single object
		if got := show(alone, string(s.frame(t, 2, "web1")), text); !strings.HasSuffix(got, " 7000000000 a=1.5") || strings.HasPrefix(got, "web1") {
			t.Errorf("without a registry: %q", got)
		}
	}
	if alone.Problem() != "" {
		t.Error(alone.Problem())
	}
	if _, err := avro.New(t.Context(), avro.Config{}); err == nil || err.Error() != "avro: neither a registry nor a schema" {
		t.Error(err)
	}
}
