package format_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/format/timestamp"
)

// decodeJSON returns all that comes of a message, to the bit.
func decodeJSON(d *format.JSON, value []byte) string {
	var r stream.Record
	m := stream.Message{Key: []byte("key"), Value: value}
	if err := d.Decode(&r, &m); err != nil {
		return err.Error()
	}
	if r.Message != &m {
		return "the record is not of this message"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%q %d %q", r.Series, r.Time, r.Names)
	for _, v := range r.Values {
		fmt.Fprintf(&b, " %x", math.Float64bits(v))
	}
	return b.String()
}

var shapeConfigs = []format.JSONConfig{
	{}, {Series: "id"}, {Values: format.Flat}, {Long: true}, {Series: "m.id", Time: "m.t", TimeUnit: timestamp.Milliseconds, MaxBytes: 60},
}

// shapes are messages of which some have one shape, for one of the configurations, and
// others nearly.
var shapes = []string{
	`{"time":7,"values":{"a":1,"b":2}}`, `{"time":8,"values":{"a":-1.5,"b":null}}`, `{"time":9,"values":{"a":null,"b":0}}`,
	`{"time":-7.5,"values":{"a":1e3,"b":2E-5}}`, `{"time":7,"values":{"a":-0,"b":-0.0}}`, `{"time":7,"values":{"a":01,"b":2}}`,
	`{"time":7,"values":{"a":1.,"b":2}}`, `{"time":7,"values":{"a":.5,"b":2}}`, `{"time":7,"values":{"a":-,"b":2}}`,
	`{"time":7,"values":{"a":-.5,"b":-1}}`, `{"time":7,"values":{"a":+1,"b":2}}`, `{"time":7,"values":{"a":nul,"b":2}}`,
	`{"time":7,"values":{"a":1 ,"b":2}}`, `{"time":7,"values":{"a":"1","b":2}}`, `{"time":7,"values":{"a":,"b":2}}`,
	`{"time":null,"values":{"a":1,"b":2}}`, `{"time":007,"values":{"a":1,"b":2}}`, `{"time":2026-01-01,"values":{"a":1,"b":2}}`,
	`{"time":1e3,"values":{"a":1,"b":2}}`, `{"time":7.,"values":{"a":1,"b":2}}`, `{"time":1.2.3,"values":{"a":1,"b":2}}`,
	`{"time":"7","values":{"a":1,"b":2}}`, `{"time":"2026-01-01T00:00:00Z","values":{"a":1,"b":2}}`, `{"time":"","values":{"a":1,"b":2}}`,
	`{"time":"2026-01-01","values":{"a":1,"b":2}}`, `{"time":"2026\u002d01-01","values":{"a":1,"b":2}}`, `{"time":"20\"26","values":{"a":1,"b":2}}`,
	`{"time":7,"values":{"a":1,"b":2}} `, `{"time":7,"values":{"a":1,"b":2}}x`, `{"time":7,"values":{"a":1,"b":2}`, `{"time":7,"values":{"a":1,"a":2}}`,
	`{"time":7,"values":{"a":1,"b":2,"c":3}}`, `{"time":7,"values":{"a":1}}`, `{"time":7,"values":{"b":1,"a":2}}`,
	`{"time":7,"values":[1,null]}`, `{"time":8,"values":[null,2.25]}`, `{"time":8,"values":[1]}`, `{"time":8,"values":[]}`, `{"time":8,"values":[true,1]}`,
	`{"time":7,"values":{"a":123456789012345678901234567890,"b":1}}`, `{"time":7,"values":{"a":1e999,"b":0.1234567890123456789}}`,
	`{"id":"x","time":7,"values":[1]}`, `{"id":"yz","time":8,"values":[2]}`, `{"id":"","time":8,"values":[2]}`, `{"id":"a\"b","time":8,"values":[2]}`,
	`{"id":"a\\","time":8,"values":[2]}`, "{\"id\":\"a\nb\",\"time\":8,\"values\":[2]}", "{\"id\":\"\xff\",\"time\":8,\"values\":[2]}", `{"id":"é","time":8,"values":[2]}`,
	`{"id":17,"time":8,"values":[2]}`, `{"id":18.5,"time":8,"values":[2]}`, `{"id":1.2.3,"time":8,"values":[2]}`, `{"id":1e1,"time":8,"values":[2]}`, `{"id":null,"time":8,"values":[2]}`,
	`{"time":7,"a":1,"host":"x","b":2}`, `{"time":8,"a":2,"host":"x","b":null}`, `{"time":8,"a":"2","host":"x","b":null}`,
	`{"unique_id":"x","ds":7,"variable":"a","y":1}`, `{"unique_id":"x","ds":8,"variable":"b","y":2}`, `{"unique_id":"x","ds":8,"variable":"b","y":null}`,
	`{"unique_id":"x","ds":7,"y":1}`, `{"ds":7,"y":1}`, `{"ds":8,"y":2}`, `{"ds":8,"variable":7,"y":2}`, `{"ds":8,"variable":8,"y":2}`,
	`{"m":{"id":"x","t":7},"values":{"a":1}}`, `{"m":{"id":"x","t":8},"values":{"a":1}}`, `{"m":{"id":"a long name that is too long","t":8},"values":{"a":1}}`,
	``, `null`, `[]`,
}

// TestShapeOfTheMessageBefore: a decoder that has seen another message reads each as a
// new one does.
func TestShapeOfTheMessageBefore(t *testing.T) {
	for _, c := range shapeConfigs {
		fresh := func(value string) string { return decodeJSON(newJSON(t, c), []byte(value)) }
		want := make([]string, len(shapes))
		for i, s := range shapes {
			want[i] = fresh(s)
		}
		d := newJSON(t, c)
		for i, first := range shapes {
			for j, second := range shapes {
				for _, k := range []int{i, j} {
					if got := decodeJSON(d, []byte(shapes[k])); got != want[k] {
						t.Fatalf("%+v: of %s and %s the one is\n%s\nwant\n%s", c, first, second, got, want[k])
					}
				}
			}
		}
	}
}

// FuzzShape: any two messages.
func FuzzShape(f *testing.F) {
	for i := range shapes[1:] {
		f.Add([]byte(shapes[i]), []byte(shapes[i+1]))
	}
	decoders := make([]*format.JSON, len(shapeConfigs))
	for i, c := range shapeConfigs {
		decoders[i] = newJSON(f, c)
	}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		for i, c := range shapeConfigs {
			decodeJSON(decoders[i], first)
			if got, want := decodeJSON(decoders[i], second), decodeJSON(newJSON(t, c), second); got != want {
				t.Fatalf("%+v: %q after %q is\n%s\nwant\n%s", c, second, first, got, want)
			}
		}
	})
}
