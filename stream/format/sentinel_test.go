package format_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/format/timestamp"
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

// TestSentinels: numbers far from all others that come again are named, with their count and the
// setting, and strict reading refuses them; values of usual data are not.
func TestSentinels(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	normal := func(int) float64 { return 20 + 3*rng.NormFloat64() }
	at := func(every int, value float64, other func(int) float64) func(int) float64 {
		return func(i int) float64 {
			if i%every == 7 {
				return value
			}
			return other(i)
		}
	}
	around := func(i int) float64 { return 1000 + 10*math.Sin(float64(i)/9) + rng.NormFloat64() }
	for name, c := range map[string]struct {
		value func(i int) float64
		want  string // "" = nothing is said
	}{
		"-999":             {at(100, -999, normal), "-999 (5 times in v)"},
		"-9999.0":          {at(70, -9999, normal), "-9999 (8 times in v)"},
		"0 of a thousand":  {at(50, 0, around), "0 (10 times in v)"},
		"65535":            {at(90, 65535, normal), "65535 (6 times in v)"},
		"1e20":             {at(100, 1e20, normal), "1e+20 (5 times in v)"},
		"fill of NetCDF":   {at(170, 9.969209968386869e36, normal), "(3 times in v)"},
		"4711":             {at(60, 4711, normal), "4711 (9 times in v)"},
		"normal":           {normal, ""},
		"0 and 1":          {func(i int) float64 { return float64(i / 7 % 2) }, ""},
		"counts":           {func(int) float64 { return math.Floor(rng.ExpFloat64() * 3) }, ""},
		"lognormal":        {func(int) float64 { return math.Round(math.Exp(3 * rng.NormFloat64())) }, ""},
		"rain":             {func(int) float64 { return math.Round(10*max(0, rng.NormFloat64()-1)) / 10 }, ""},
		"power on and off": {func(i int) float64 { return float64(i/20%2)*2000 + rng.NormFloat64() }, ""},
		"one spike":        {at(1000, 99999, normal), ""},
		"trend":            {func(i int) float64 { return float64(i) }, ""},
	} {
		text := "time,v\n"
		for i := range 500 {
			text += fmt.Sprintf("%d,%g\n", 1767225600+3600*i, c.value(i))
		}
		s, err := format.SniffCSV([]byte(text), false, format.CSVConfig{})
		said := ""
		for _, a := range s.Assumptions {
			said += a.Text
		}
		if err != nil || c.want == "" && strings.Contains(said, "far from") || !strings.Contains(said, c.want) {
			t.Errorf("%s: said %q, %v", name, said, err)
		}
	}
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

// The unit of a time without one is that of its magnitude, in both directions from 1970, with
// the boundaries of the documentation: 1e11, 1e14 and 1e17.
func TestUnitsByMagnitude(t *testing.T) {
	for _, c := range []struct {
		n    int64
		unit int64 // ns
	}{
		{0, 1e9}, {1, 1e9}, {99_999_999_999 / 11, 1e9}, // 1e11 s are beyond 2261
		{1e11, 1e6}, {1e11 + 1, 1e6}, {9_223_372_036_854, 1e6},
		{1e14, 1e3}, {1e14 + 1, 1e3}, {9_223_372_036_854_775, 1e3},
		{1e17, 1}, {1e17 + 1, 1}, {math.MaxInt64, 1},
	} {
		for _, sign := range []int64{1, -1} {
			text := fmt.Sprint(sign * c.n)
			if got, err := timestamp.Parse([]byte(text), timestamp.Auto); err != nil || got != sign*c.n*c.unit {
				t.Errorf("%s: %d ns (%v), want %d", text, got, err, sign*c.n*c.unit)
			}
		}
	}
	// Just below a boundary the smaller unit does not fit any more: an error, no other unit.
	for _, text := range []string{"99999999999", "-99999999999", "99999999999999", "99999999999999999"} {
		if got, err := timestamp.Parse([]byte(text), timestamp.Auto); err == nil {
			t.Errorf("%s: %d ns, want an error", text, got)
		}
	}
}
