package format_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/refuse"
)

// refusals decodes messages that must be refused with one of the reasons.
func refusals(t *testing.T, reasons []refuse.Reason, values map[string]string) {
	t.Helper()
	d, err := format.NewJSON(format.JSONConfig{})
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range values {
		var r stream.Record
		m := stream.Message{Key: []byte("s"), Value: []byte(value)}
		r.Message = &m
		err := d.Decode(&r, &m)
		var refusal *refuse.Error
		if !errors.As(err, &refusal) {
			t.Errorf("%s: got %v", name, err)
			continue
		}
		ok := false
		for _, reason := range reasons {
			ok = ok || refusal.Reason == reason
		}
		if !ok || len(refusal.Detail) > 500 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFault23_MalformedJSON: a message without a record becomes a dead letter, however
// deep, long or ambiguous it is.
func TestFault23_MalformedJSON(t *testing.T) {
	refusals(t, []refuse.Reason{refuse.Malformed, refuse.TooLarge}, map[string]string{
		"not JSON":        "x",
		"cut":             `{"time": 7, "values": [1`,
		"deep":            `{"time": 7, "x": ` + strings.Repeat("[", 1e6),
		"twice":           `{"time": 7, "time": 8, "values": [1]}`,
		"variable twice":  `{"time": 7, "values": {"a": 1, "a": 2}}`,
		"long number":     `{"time": 7, "values": [` + strings.Repeat("9", 1e6) + `e]}`,
		"array":           `[]`,
		"invalid UTF-8":   "{\"time\": 7, \"values\": {\"\xff\": 1}, \xff: 1}",
		"many values":     `{"time": 7, "values": [` + strings.Repeat("1,", 5000) + `1]}`,
		"more than a MiB": `{"time": 7, "x": "` + strings.Repeat("x", 1<<20) + `", "values": [1]}`,
	})
}

// TestFault24_EmptyValues: an empty value, such as a tombstone, is refused; an empty
// key is refused by the engine, which needs the name of a series.
func TestFault24_EmptyValues(t *testing.T) {
	refusals(t, []refuse.Reason{refuse.Malformed}, map[string]string{"empty": "", "blank": " \n", "null": "null"})
}
