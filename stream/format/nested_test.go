package format_test

import (
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream/format"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format/sniff"
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
		d, err := format.NewJSON(format.JSONConfig{})
		if err != nil {
			t.Fatal(err)
		}
		var r stream.Record
		err = d.Decode(&r, &stream.Message{Value: []byte(line)})
		if err == nil {
			t.Errorf("%s: decoded", line)
			continue
		}
		_, after, _ := strings.Cut(err.Error(), "JSONConfig.Values=")
		path, _, _ := strings.Cut(after, " ")
		if path != want || want == "" && !strings.Contains(err.Error(), "make the lines flat with") {
			t.Errorf("%s: proposes %q, want %q: %v", line, path, want, err)
			continue
		}
		if path == "" {
			continue
		}
		if d, err = format.NewJSON(format.JSONConfig{Values: path}); err == nil {
			err = d.Decode(&r, &stream.Message{Value: []byte(line)})
		}
		if err != nil || len(r.Values) < 2 {
			t.Errorf("%s with values at %s: %v, %v", line, path, r.Values, err)
		}
	}
}

// TestNestedValuesAndTime: one message names the settings of both the time and the values, and
// no line reports the text of the time as left out.
func TestNestedValuesAndTime(t *testing.T) {
	const line = `{"@timestamp": "2026-01-01T00:00:00Z", "host": {"name": "a"}, "cpu": {"user": 1}}`
	if _, out, err := sniff.JSON([]byte(line+"\n"+strings.Replace(line, "00:00Z", "01:00Z", 1)+"\n"), false, format.JSONConfig{}); len(out) > 0 || err != nil {
		t.Errorf("assumed %v", out)
	}
	d, err := format.NewJSON(format.JSONConfig{})
	if err != nil {
		t.Fatal(err)
	}
	var r stream.Record
	err = d.Decode(&r, &stream.Message{Key: []byte("s"), Value: []byte(line)})
	const want = `no time at "time": JSONConfig.Time=@timestamp; the numbers cpu.user stand within objects: JSONConfig.Values=cpu `
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
	if d, err = format.NewJSON(format.JSONConfig{Time: "@timestamp", Values: "cpu"}); err == nil {
		err = d.Decode(&r, &stream.Message{Key: []byte("s"), Value: []byte(line)})
	}
	if err != nil || len(r.Values) != 1 {
		t.Errorf("with both settings: %v, %v", r.Values, err)
	}
}
