package format_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
)

// decodeCSV returns the record of one line.
func decodeCSV(t *testing.T, c format.CSVConfig, line string) stream.Record {
	t.Helper()
	d, err := format.NewCSV(c)
	if err != nil {
		t.Fatal(err)
	}
	var r stream.Record
	if err := d.Decode(&r, &stream.Message{Value: []byte(line)}); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	return r
}

// A number can stand for a missing value. Other numbers stay what they are, and without that
// spelling it is one of them.
func TestNumbersThatMeanMissing(t *testing.T) {
	header := []string{"time", "a", "b"}
	for _, missing := range []string{"-999", "-999.0", "9999", "0"} {
		line := fmt.Sprintf("1,%s,%s5", missing, missing)
		r := decodeCSV(t, format.CSVConfig{Header: header, Missing: []string{"x", sameNumber(missing)}}, line)
		if !math.IsNaN(r.Values[0]) || math.IsNaN(r.Values[1]) {
			t.Errorf("%s is missing: %v", missing, r.Values)
		}
		if r := decodeCSV(t, format.CSVConfig{Header: header}, line); math.IsNaN(r.Values[0]) {
			t.Errorf("%s is a number: %v", missing, r.Values)
		}
	}
}

// sameNumber is another spelling of a number.
func sameNumber(text string) string {
	if strings.Contains(text, ".") {
		return text + "0"
	}
	return text + ".00"
}

// Lines that end in CR LF, as Windows writes them, say the same as others, whatever their last
// column is: a value, a name, the time, or in quotes.
func TestCarriageReturns(t *testing.T) {
	for _, c := range []struct {
		config format.CSVConfig
		line   string
	}{
		{format.CSVConfig{Header: []string{"time", "a"}}, "1,2"},
		{format.CSVConfig{Header: []string{"time", "a", "host"}, Series: []string{"host"}}, "1,2,web-1"},
		{format.CSVConfig{Header: []string{"time", "a", "host"}, Series: []string{"host"}}, `1,2,"web-1"`},
		{format.CSVConfig{Header: []string{"a", "time"}, Time: "time"}, "2,2026-01-02T03:04:05Z"},
		{format.CSVConfig{Header: []string{"time", "value", "name"}, Values: []string{"value"}, Variable: "name"}, "1,2,cpu"},
		{format.CSVConfig{Header: []string{"time", "a"}, Missing: []string{"none"}}, "1,none"},
	} {
		want := fmt.Sprintf("%+v", said(decodeCSV(t, c.config, c.line)))
		for _, end := range []string{"\n", "\r\n", "\r"} {
			if got := fmt.Sprintf("%+v", said(decodeCSV(t, c.config, c.line+end))); got != want {
				t.Errorf("%q: %s, without the end of the line %s", c.line+end, got, want)
			}
		}
	}
}

// said is a record without its message.
func said(r stream.Record) stream.Record {
	r.Message = nil
	return r
}
