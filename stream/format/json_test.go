package format_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/refuse"
)

func newJSON(t testing.TB, c format.JSONConfig) *format.JSON {
	t.Helper()
	d, err := format.NewJSON(c)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// show prints what a decoder makes of a message.
func show(d stream.Decoder, key, value string) string {
	var r stream.Record
	if err := d.Decode(&r, &stream.Message{Key: []byte(key), Value: []byte(value)}); err != nil {
		var data *refuse.Error
		if !errors.As(err, &data) {
			return "not a refusal: " + err.Error()
		}
		return err.Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d", r.Series, r.Time/1e9)
	for i, v := range r.Values {
		b.WriteByte(' ')
		if r.Names != nil {
			b.WriteString(r.Names[i] + "=")
		}
		if math.IsNaN(v) {
			b.WriteByte('-')
		} else {
			b.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
	return b.String()
}

func TestJSON(t *testing.T) {
	wide := format.JSONConfig{}
	nested := format.JSONConfig{Series: "meta.id", Time: "meta.ts", Values: "data", MaxDepth: 4, MaxDim: 3, MaxBytes: 200}
	flat := format.JSONConfig{Series: "host", Time: "ts", Values: format.Flat}
	long := format.JSONConfig{Long: true}
	tall := format.JSONConfig{Long: true, Series: "id", Time: "t", Variable: "of.name", Values: "is.now"}
	for _, c := range []struct {
		config      format.JSONConfig
		value, want string
	}{
		{wide, `{"time": 7, "values": {"b": 0.5, "a": -1e-3}}`, `key 7 b=0.5 a=-0.001`},
		{wide, ` { "values":[1,null , 3] ,"time":"1970-01-01T00:00:07Z" } ` + "\n", `key 7 1 - 3`},
		{wide, `{"time": 7, "values": {}}`, `key 7`},
		{wide, `{"time": 7, "values": [], "more": {"a": [1, {"b": null}], "c": "d"}}`, `key 7`},
		{wide, `{"time": 7, "values": {"\u0061": 1, "é": 2}}`, `key 7 a=1 é=2`},
		{wide, `{"time": 7, "values": [0.1, 123456789012345678901234567890, 5e-324, 1.7976931348623157e308, 1e999, -1e999, -0]}`,
			`key 7 0.1 1.2345678901234568e+29 5e-324 1.7976931348623157e+308 +Inf -Inf -0`},
		{wide, ``, `malformed: an empty message`},
		{wide, `7`, `malformed: not a JSON object but 7`},
		{wide, `{"time": 7, "values": [1]`, "malformed: not JSON at byte 25: unexpected end of JSON input; before it `e\": 7, \"values\": [1]`"},
		{wide, `x`, "malformed: not JSON at byte 1: invalid character 'x' looking for beginning of value; before it ``"},
		{wide, `{"time": 7, "values": [1]} x`, `malformed: something follows the object`},
		{wide, `{"time": 7, "values": [01]}`, "malformed: not JSON at byte 25: invalid character '1' after array element; before it `me\": 7, \"values\": [0`"},
		{wide, `{"time": 7, "values": [1,]}`, "malformed: not JSON at byte 26: invalid character ']' looking for beginning of value; before it `e\": 7, \"values\": [1,`"},
		{wide, `{"time": 7, "values": [NaN]}`, "malformed: not JSON at byte 24: invalid character 'N' looking for beginning of value; before it `ime\": 7, \"values\": [`"},
		{wide, `{"time": 7, "values": {"a": NaN}}`, "malformed: not JSON at byte 29: invalid character 'N' looking for beginning of value; before it ` 7, \"values\": {\"a\": `"},
		{wide, `{"time": 7, "values": ["1"]}`, `malformed: the value of "#1" is of type string, not a number, true, false or null`},
		{wide, `{"time": 7, "values": {"a": true}}`, `key 7 a=1`},
		{wide, `{"time": 7, "values": {"a": {"b": 1}}}`, `malformed: the value of "a" is of type object, not a number, true, false or null`},
		{wide, `{"time": 7, "values": 8}`, `key 7 values=8`},
		{wide, `{"time": 7}`, `malformed: no values: neither at "values" nor beside the time`},
		{wide, `{"values": [1]}`, `malformed: no time at "time": JSONConfig.Time=FIELD`},
		{wide, `{"time": null, "values": [1]}`, `malformed: the time is neither a number nor text`},
		{wide, `{"time": "10.12.2026", "values": [1]}`, `malformed: the time "10.12.2026" is a date that does not begin with the year, which only CSV may have: write it as 2006-01-02`},
		{wide, `{"time": "noon", "values": [1]}`, `malformed: the time "noon" is of no form that is read: RFC 3339, 2006-01-02 15:04:05, 2006/1/2, 2 Jan 2006, Jan 2006, 01/2006, 2006Q1, 2006-W01 or seconds since 1970`},
		{wide, `{"time": 1e9, "values": [1]}`, `malformed: the time 1e9 has an exponent`},
		{wide, `{"time": 7, "time": 8, "values": [1]}`, `malformed: the member "time" is there twice`},
		{wide, `{"time": 7, "values": [1], "values": [1]}`, `malformed: the member "values" is there twice`},
		{wide, `{"time": 7, "values": {"a": 1, "\u0061": 2}}`, `malformed: the variable "a" is there twice`},
		{wide, "{\"time\": 7, \"values\": {\"\xff\": 1}}", `malformed: not UTF-8`},
		{wide, `{"time": 7, "x": ` + strings.Repeat("[", 8) + strings.Repeat("]", 8) + `, "values": [1]}`, `too_large: nested deeper than 8`},
		{wide, `{"x": ` + strings.Repeat(`{"x":`, 100000), `too_large: nested deeper than 8`},
		{nested, `{"meta": {"id": "s", "ts": 7, "x": 0}, "data": {"a": 1}}`, `s 7 a=1`},
		{nested, `{"meta": {"id": 12, "ts": 7}, "data": [1, 2, 3]}`, `12 7 1 2 3`},
		{nested, `{"meta": {"id": 12, "ts": 7}, "data": [1, 2, 3, 4]}`, `too_large: more than 3 values`},
		{nested, `{"meta": {"id": null, "ts": 7}, "data": [1]}`, `malformed: the name of the series is neither text nor a number`},
		{nested, `{"meta": {"ts": 7}, "data": [1]}`, `malformed: no name of the series at "meta.id"`},
		{nested, `{"meta": 1, "data": [1]}`, `malformed: no time at "meta.ts": JSONConfig.Time=FIELD`},
		{nested, `{"meta": {"ts": 7}, "meta": {"ts": 8}, "data": [1]}`, `malformed: the member "ts" is there twice`},
		{nested, strings.Repeat(" ", 201), `too_large: 201 bytes, at most 200 are allowed`},
		{flat, `{"ts": 7, "host": "h", "cpu": 1, "os": "linux", "up": true, "mem": null, "tags": {"a": 1}}`, `h 7 cpu=1 up=1 mem=-`},
		{flat, `{"ts": 7, "host": "h", "cpu": 1, "cpu": 1}`, `malformed: the variable "cpu" is there twice`},
		{long, `{"unique_id": "h", "ds": "1970-01-01T00:00:07Z", "variable": "cpu", "y": 0.5}`, `h 7 cpu=0.5`},
		{long, `{"y": null, "variable": "cpu", "ds": 7, "unique_id": 12, "trend": [1]}`, `12 7 cpu=-`},
		{long, `{"unique_id": "h", "ds": 7, "y": 0.5}`, `h 7 y=0.5`},
		{long, `{"ds": 7, "y": 0.5}`, `key 7 y=0.5`},
		{long, `{"unique_id": "h", "ds": 7, "y": "1"}`, `malformed: the value of "y" is of type string, not a number, true, false or null`},
		{long, `{"unique_id": "h", "ds": 7, "y": 1, "y": 2}`, `malformed: the member "y" is there twice`},
		{long, `{"unique_id": "h", "ds": 7, "variable": ["a"], "y": 1}`, `malformed: the name of the variable is neither text nor a number`},
		{long, `{"unique_id": "h", "ds": 7, "variable": "cpu"}`, `malformed: no values at "y"`},
		{tall, `{"t": 7, "of": {"name": "temp"}, "is": {"now": 20}}`, `malformed: no name of the series at "id"`},
		{tall, `{"t": 7, "id": "h", "of": {"name": "temp"}, "is": {"now": 20}}`, `h 7 temp=20`},
		{tall, `{"t": 7, "id": "h", "is": {"now": 20}}`, `h 7 now=20`},
		{format.JSONConfig{Keyless: "host"}, `{"time": 7, "host": "h", "values": [1]}`, `h 7 1`},
		{format.JSONConfig{Keyless: "host"}, `{"time": 7, "values": [1]}`, `key 7 1`},
		{format.JSONConfig{Keyless: "host", Series: "id"}, `{"time": 7, "host": "h", "id": "i", "values": [1]}`, `i 7 1`},
		{format.JSONConfig{Keyless: "host", Tags: []string{"dc"}}, `{"time": 7, "host": "h", "dc": "eu", "values": [1]}`, `dc=eu 7 1`},
	} {
		if got := show(newJSON(t, c.config), "key", c.value); got != c.want {
			t.Errorf("%.80s\ngot  %s\nwant %s", c.value, got, c.want)
		}
	}
	for _, c := range []format.JSONConfig{{TimeUnit: "h"}, {Time: "values"}, {Time: "a", Values: "a.b"}, {MaxDepth: -1},
		{Variable: "v"}, {Long: true, Values: format.Flat}, {Long: true, Variable: "ds"}} {
		if _, err := format.NewJSON(c); err == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
}

// TestNamesOfTheMessageBefore: a decoder that has seen other messages reads each as
// a new one does.
func TestNamesOfTheMessageBefore(t *testing.T) {
	d := newJSON(t, format.JSONConfig{})
	for _, names := range []string{"abc", "abc", "ab", "abc", "acb", "abcd", "", "abc", "abca", "abc", "aa", "abb", "abcdefg", "abcdefga", "gfedcba", "xabc", "abc"} {
		value := `{"time": 7, "values": {`
		for i, name := range names {
			if i > 0 {
				value += ","
			}
			value += fmt.Sprintf(`"%c": %d`, name, i)
		}
		value += "}}"
		if got, want := show(d, "key", value), show(newJSON(t, format.JSONConfig{}), "key", value); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", value, got, want)
		}
	}
}

func TestJSONDoesNotAllocate(t *testing.T) {
	for _, c := range []struct {
		config format.JSONConfig
		value  string
	}{
		{format.JSONConfig{Series: "meta.id", Time: "meta.ts"},
			`{"meta": {"id": "host", "ts": "2026-01-01T00:00:00Z", "x": [1, {"y": 2}]}, "values": {"a": 1.5, "b": null, "c": -2}}`},
		{format.JSONConfig{Long: true}, `{"unique_id": "host", "ds": "2026-01-01T00:00:00Z", "variable": "a", "y": 1.5}`},
	} {
		d := newJSON(t, c.config)
		m := &stream.Message{Value: []byte(c.value)}
		var r stream.Record
		if n := testing.AllocsPerRun(100, func() {
			if err := d.Decode(&r, m); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%v allocations a message", n)
		}
	}
}

// FuzzJSON compares with encoding/json: an accepted message is valid, and has the
// numbers that encoding/json reads, to the bit.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{
		`{"time": 7, "values": {"b": 0.5, "a": -1e-3, "c": null}}`, `{"time": "2026-01-01", "values": [1, null]}`,
		`{"time": 7, "values": {"a": 1, "a": 2}}`, `{"time":1,"values":[0.1e+5,1e999]}x`, `{"x":{"y":[[{}]]},"time":1,"values":[-0]}`,
	} {
		f.Add([]byte(s))
	}
	d := newJSON(f, format.JSONConfig{})
	f.Fuzz(func(t *testing.T, value []byte) {
		var r stream.Record
		if d.Decode(&r, &stream.Message{Value: value}) != nil {
			return
		}
		if !json.Valid(value) {
			t.Fatalf("%q was accepted", value)
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(value, &want); err != nil {
			t.Fatal(err)
		}
		if want["time"] == nil {
			return // in an envelope: see FuzzEnvelope
		}
		compare := func(i int, raw json.RawMessage) {
			t.Helper()
			v := math.NaN()
			if string(raw) != "null" {
				v, _ = strconv.ParseFloat(string(raw), 64)
			}
			if math.Float64bits(v) != math.Float64bits(r.Values[i]) {
				t.Fatalf("%s became %v", raw, r.Values[i])
			}
		}
		if r.Names == nil {
			var list []json.RawMessage
			if err := json.Unmarshal(want["values"], &list); err != nil || len(list) != len(r.Values) {
				t.Fatalf("%d values of %q, %v", len(r.Values), value, err)
			}
			for i := range list {
				compare(i, list[i])
			}
			return
		}
		var object map[string]json.RawMessage
		if err := json.Unmarshal(want["values"], &object); err != nil || len(object) != len(r.Values) {
			t.Fatalf("%d values of %q, %v", len(r.Values), value, err)
		}
		for i, name := range r.Names {
			compare(i, object[name])
		}
	})
}

func BenchmarkJSON(b *testing.B) {
	for _, dim := range []int{5, 31} {
		var s strings.Builder
		s.WriteString(`{"time": "2026-01-01T00:00:00Z", "values": {`)
		for j := range dim {
			if j > 0 {
				s.WriteString(", ")
			}
			fmt.Fprintf(&s, `"v%d": %v`, j, math.Sqrt(float64(j+2)))
		}
		s.WriteString("}}")
		b.Run(fmt.Sprint("dim=", dim), func(b *testing.B) {
			d := newJSON(b, format.JSONConfig{})
			m := &stream.Message{Key: []byte("host"), Value: []byte(s.String())}
			var r stream.Record
			b.ReportAllocs()
			for b.Loop() {
				if err := d.Decode(&r, m); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
