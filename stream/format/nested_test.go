package format

import (
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream"
)

// TestNestedValues: the object or array that is proposed for the values is the one with the most
// numbers that the decoder reads with this setting; where there is none, the lines are made flat.
func TestNestedValues(t *testing.T) {
	for line, want := range map[string]string{
		`{"time": 1, "metrics": {"cpu": 1, "mem": 2}}`:                                   "metrics",
		`{"time": 1, "host": {"name": "a", "up": 1}, "data": {"cpu": 1, "mem": null}}`:   "data", // host has a text
		`{"time": 1, "host": {"up": 1}, "data": {"cpu": {"user": 1, "sys": 2}, "n": 3}}`: "data.cpu",
		`{"time": 1, "v": [1, 2, null]}`:                                                 "v",
		`{"time": 1, "v": [{"a": 1}, {"a": 2}]}`:                                         "", // of objects
		`{"time": 1, "host": {"name": "a", "up": 1}}`:                                    "",
		`{"time": 1, "meta": {"ok": true}, "data": {"x": 1, "y": true}}`:                 "data",
	} {
		d, err := NewJSON(JSONConfig{})
		if err != nil {
			t.Fatal(err)
		}
		var r stream.Record
		err = d.Decode(&r, &stream.Message{Value: []byte(line)})
		if err == nil {
			t.Errorf("%s: decoded", line)
			continue
		}
		_, after, _ := strings.Cut(err.Error(), "--set input.json.values_field=")
		path, _, _ := strings.Cut(after, " ")
		if path != want || want == "" && !strings.Contains(err.Error(), flatten) {
			t.Errorf("%s: proposes %q, want %q: %v", line, path, want, err)
			continue
		}
		if path == "" {
			continue
		}
		if d, err = NewJSON(JSONConfig{Values: path}); err == nil {
			err = d.Decode(&r, &stream.Message{Value: []byte(line)})
		}
		if err != nil || len(r.Values) < 2 {
			t.Errorf("%s with values at %s: %v, %v", line, path, r.Values, err)
		}
	}
}
