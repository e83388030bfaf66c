package format_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/refuse"
)

const (
	connectSchema = `{"type":"struct","fields":[{"type":"int64","field":"ts"},{"type":"double","field":"cpu"}],"optional":false,"version":1}`
	debeziumTail  = `"source":{"version":"3.0","connector":"postgresql","ts_ms":1767225600123,"table":"hosts","lsn":33},"op":"%s","ts_ms":1767225600456`
)

// enveloped returns a flat object in the envelopes, by name.
func enveloped(object string) map[string]string {
	debezium := `{"before":null,"after":` + object + `,` + fmt.Sprintf(debeziumTail, "c") + `}`
	return map[string]string{
		"payload alone": `{"payload":` + object + `}`,
		"Connect":       `{"schema":` + connectSchema + `,"payload":` + object + `}`,
		"Debezium":      debezium,
		"both":          `{"schema":` + connectSchema + `,"payload":` + debezium + `}`,
		"update":        `{"before":` + object + `,"after":` + object + `,` + fmt.Sprintf(debeziumTail, "u") + `,"transaction":null}`,
	}
}

// TestEnvelopes: a record in an envelope is the record, with the paths that it has without; also when messages of
// all kinds alternate.
func TestEnvelopes(t *testing.T) {
	for _, c := range []struct {
		config format.JSONConfig
		object string
	}{
		{format.JSONConfig{Time: "ts"}, `{"ts":17672256%02d,"cpu":%d.5,"host":"web1"}`},
		{format.JSONConfig{Time: "ts", Tags: []string{"host"}}, `{"ts":17672256%02d,"cpu":%d.5,"host":"web1","up":true,"none":null}`},
		{format.JSONConfig{Time: "ts", Series: "host", Values: "v"}, `{"ts":17672256%02d,"v":{"cpu":%d.5,"mem":1},"host":"web1"}`},
		{format.JSONConfig{}, `{"time":17672256%02d,"values":[%d.5,null]}`},
		{format.JSONConfig{Long: true}, `{"unique_id":"web1","ds":17672256%02d,"variable":"cpu","y":%d}`},
	} {
		var told []string
		c.config.Assume = func(text string) { told = append(told, text) }
		mixed := newJSON(t, c.config)
		for i := range 3 {
			object := fmt.Sprintf(c.object, i, i)
			want := show(newJSON(t, c.config), "k", object)
			if strings.Contains(want, "malformed") {
				t.Fatal(want)
			}
			for name, text := range enveloped(object) {
				alone := newJSON(t, c.config)
				for range 2 { // the second one by the shape of the first
					if got := show(alone, "k", text); got != want {
						t.Errorf("%s: %s\nwant %s", name, got, want)
					}
				}
				if got := show(mixed, "k", text); got != want {
					t.Errorf("%s among others: %s\nwant %s", name, got, want)
				}
			}
			if got := show(mixed, "k", object); got != want {
				t.Errorf("flat among others: %s\nwant %s", got, want)
			}
		}
		told = told[:0:0]
		d := newJSON(t, c.config)
		for range 3 {
			show(d, "k", enveloped(fmt.Sprintf(c.object, 1, 1))["both"])
		}
		if len(told) != 1 || !strings.Contains(told[0], "payload.after") {
			t.Errorf("told %q", told)
		}
	}
}

// TestDeletes: what deletes is no record, and nothing is wrong with it.
func TestDeletes(t *testing.T) {
	d := newJSON(t, format.JSONConfig{Time: "ts"})
	nothing := []string{
		`{"before":{"ts":1,"cpu":2},"after":null,` + fmt.Sprintf(debeziumTail, "d") + `}`,
		`{"schema":null,"payload":{"before":null,"after":null,` + fmt.Sprintf(debeziumTail, "t") + `}}`,
		`{"schema":` + connectSchema + `,"payload":null}`,
	}
	all := engine.NewDecoded(8)
	add := func(value []byte) {
		all.Decode(d, &stream.Message{Key: []byte("k"), Value: value})
	}
	for _, text := range nothing {
		add([]byte(text))
		var r stream.Record
		if err := d.Decode(&r, &stream.Message{Value: []byte(text)}); !errors.Is(err, stream.ErrDeleted) {
			t.Errorf("%s: %v", text, err)
		}
	}
	add(nil)
	add([]byte(`{"ts":1,"cpu":2}`))
	if all.Deleted() != 4 {
		t.Errorf("%d deleted", all.Deleted())
	}
	parts := 0
	for i := range all.Len() {
		if err := all.Parts(i, func(*stream.Record, *refuse.Error) error { parts++; return nil }); err != nil {
			t.Error(err)
		}
	}
	if parts != 1 {
		t.Errorf("%d records, want 1", parts)
	}
}

// TestPathsWithinTheValues: the values are the numbers of an object that no other path names.
func TestPathsWithinTheValues(t *testing.T) {
	d := newJSON(t, format.JSONConfig{Time: "data.meta.ts", Tags: []string{"data.host", "data.rack"}, Values: "data"})
	for text, want := range map[string]string{
		`{"data":{"cpu":1,"host":"a","rack":7,"meta":{"ts":5,"n":3},"up":true,"x":null,"list":[1]},"y":2}`: `host=a,rack=7 5 cpu=1 up=1 x=-`,
		`{"data":null,"y":2}`: `malformed: no time at "data.meta.ts"`,
		`{"data":{"host":"a","meta":{"ts":5}},"data":{"cpu":2}}`: `malformed: the member "data" is there twice`,
		`{"data":{"cpu":1,"host":"a","meta":{"ts":5},"cpu":2}}`:  `malformed: the variable "cpu" is there twice`,
	} {
		if got := show(d, "k", text); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", text, got)
		}
	}
	for _, bad := range []format.JSONConfig{
		{Time: "a", Series: "a"}, {Time: "a.b", Series: "a"}, {Time: "a", Series: "a.b"}, {Time: "a", Values: "a"},
		{Long: true, Time: "y.ts"}, {Time: "v", Values: "v.x"},
	} {
		if _, err := format.NewJSON(bad); err == nil {
			t.Errorf("%+v was accepted", bad)
		}
	}
}

// FuzzEnvelope: whatever is in an envelope reads as it does without.
func FuzzEnvelope(f *testing.F) {
	f.Add([]byte(`{"time":1,"a":2,"b":null}`))
	f.Add([]byte(`{"time":"2026-01-01","values":{"a":2}}`))
	f.Add([]byte(`{"payload":{"time":1}}`))
	c := format.JSONConfig{MaxDepth: 6}
	plain := newJSON(f, c)
	f.Fuzz(func(t *testing.T, object []byte) {
		var flat, in stream.Record
		if plain.Decode(&flat, &stream.Message{Value: object}) != nil || envelopeLike(object) {
			return
		}
		for name, text := range enveloped(string(object)) {
			if err := newJSON(t, format.JSONConfig{}).Decode(&in, &stream.Message{Value: []byte(text)}); err != nil {
				t.Fatalf("%s %q: %v", name, object, err)
			}
			if in.Time != flat.Time || len(in.Values) != len(flat.Values) {
				t.Fatalf("%s %q: %v, want %v", name, object, in, flat)
			}
			for i := range in.Values {
				if math.Float64bits(in.Values[i]) != math.Float64bits(flat.Values[i]) {
					t.Fatalf("%s %q: %v, want %v", name, object, in.Values, flat.Values)
				}
			}
		}
	})
}

// envelopeLike reports whether an object may be an envelope itself, or have members of one.
func envelopeLike(object []byte) bool {
	for _, word := range []string{"payload", "after", `\u`} {
		if strings.Contains(string(object), word) {
			return true
		}
	}
	return false
}
