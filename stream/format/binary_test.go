package format_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/refuse"
)

// TestBinaryIsNamed: whatever the format, a message that is no text is named, once, with the setting that helps.
func TestBinaryIsNamed(t *testing.T) {
	csv, err := format.NewCSV(format.CSVConfig{Header: []string{"time", "a"}, Comma: ','})
	if err != nil {
		t.Fatal(err)
	}
	influx, err := format.NewInflux(format.InfluxConfig{})
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]string{
		"\x00\x00\x00\x00\x07\x02\x0aabc":                "Confluent wire format, schema 7, 5 bytes: stream.Decoder=avro",
		"\x00\x00\x00\x00\x07":                           "Confluent wire format, schema 7, 0 bytes",
		"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\n\x01": "gzip",
		"Obj\x01\x04\x14avro.codec":                      "a whole file of Avro",
		"\xc3\x01\x01\x02":                               "fingerprint",
		"\x0a\x05hello\x10\x01":                          "Protobuf? stream.Decoder=otlp_proto",
		"\x80\x81\xff":                                   "binary, it begins with the bytes 80 81 ff",
	} {
		for name, d := range map[string]stream.Decoder{"json": newJSON(t, format.JSONConfig{}), "csv": csv, "influx": influx} {
			all := engine.NewDecoded(1)
			all.Decode(d, &stream.Message{Value: []byte(value)})
			n := 0
			err := all.Parts(0, func(_ *stream.Record, refusal *refuse.Error) error {
				n++
				if refusal == nil || !strings.Contains(refusal.Detail, want) {
					t.Errorf("%s: %q is %v, want %s", name, value, refusal, want)
				}
				return nil
			})
			if n != 1 || err != nil {
				t.Errorf("%s: %q has %d parts, %v", name, value, n, err)
			}
		}
	}
	for _, text := range []string{"", "{", "\ufeffx", "time,1", "é"} {
		if got := format.Names(nil).Unreadable([]byte(text)); got != "" {
			t.Errorf("%q is %s", text, got)
		}
	}
}

// TestJSONSchemaMessages: JSON behind the five bytes of a schema registry is the JSON.
func TestJSONSchemaMessages(t *testing.T) {
	d := newJSON(t, format.JSONConfig{})
	for i := range 3 {
		object := fmt.Sprintf(`{"time":%d,"a":1.5}`, i)
		if got, want := show(d, "k", "\x00\x00\x00\x01\x00"+object), show(newJSON(t, format.JSONConfig{}), "k", object); got != want || strings.HasPrefix(want, "malformed") {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
