package format_test

import (
	"encoding/csv"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/format/timestamp"
)

func newCSV(t testing.TB, c format.CSVConfig) *format.CSV {
	t.Helper()
	d, err := format.NewCSV(c)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestCSV(t *testing.T) {
	plain := format.CSVConfig{Header: []string{"time", "a", "b"}}
	picked := format.CSVConfig{
		Header: []string{"host", "x", "when", "y"}, Series: []string{"host"}, Time: "when", Values: []string{"y", "x"},
		Comma: ';', TimeUnit: timestamp.Milliseconds, Missing: []string{"nan", "-"}, MaxBytes: 40,
	}
	for _, c := range []struct {
		config      format.CSVConfig
		value, want string
	}{
		{plain, `7,1,2.5`, `key 7 a=1 b=2.5`},
		{plain, "7 , 1,\t2\r\n", `key 7 a=1 b=2`},
		{plain, `7,,NA`, `key 7 a=- b=-`},
		{plain, `"7","1",2`, `key 7 a=1 b=2`},
		{plain, `7,0.1,5e-324`, `key 7 a=0.1 b=5e-324`},
		{plain, `7,1`, `malformed: 2 fields where the header has 3 columns`},
		{plain, `7,1,2,3`, `malformed: 4 fields where the header has 3 columns`},
		{plain, ``, `malformed: 1 field where the header has 3 columns`},
		{plain, `7,1,two`, `malformed: "two" in column "b" is not a number`},
		{plain, "7,1,2\n8,1,2", `malformed: more than one line`},
		{plain, `7,1,"2`, `malformed: extraneous or missing " in quoted-field`},
		{plain, `x,1,2`, `malformed: the time "x" in column "time" is of no form that is read: RFC 3339, 2006-01-02 15:04:05, 2006/1/2, 2 Jan 2006, Jan 2006, 01/2006, 2006Q1, 2006-W01 or seconds since 1970`},
		{plain, `,1,2`, `malformed: the time "" in column "time" is of no form that is read: RFC 3339, 2006-01-02 15:04:05, 2006/1/2, 2 Jan 2006, Jan 2006, 01/2006, 2006Q1, 2006-W01 or seconds since 1970`},
		{plain, `7,NaN,N/A`, `key 7 a=- b=-`},
		{plain, `7,true,False`, `key 7 a=1 b=0`},
		{plain, `7,1,-Inf`, `non_finite: "-Inf" in column "b" is not a finite number; a missing value is an empty field`},
		{plain, `7,1e999,2`, `non_finite: "1e999" in column "a" is not a finite number; a missing value is an empty field`},
		{picked, `h;1;7000;2`, `h 7 y=2 x=1`},
		{picked, `h;nan;7000;-`, `h 7 y=- x=-`},
		{picked, `"a;b";1;7000;2`, `a;b 7 y=2 x=1`},
		{picked, strings.Repeat("x", 41), `too_large: 41 bytes, at most 40 are allowed`},
	} {
		if got := show(newCSV(t, c.config), "key", c.value); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.value, got, c.want)
		}
	}
	for _, c := range []format.CSVConfig{
		{}, {Header: []string{"t", "a", "a"}}, {Header: []string{"t", ""}}, {Header: []string{"t"}}, {Header: []string{"t", "a"}, Time: "x"},
		{Header: []string{"t", "a"}, Series: []string{"x"}}, {Header: []string{"t", "a", "b"}, Series: []string{"a", "a"}}, {Header: []string{"t", "a"}, Values: []string{"x"}}, {Header: []string{"t", "a"}, Comma: '"'},
		{Header: []string{"t", "a"}, TimeUnit: "h"}, {Header: []string{"t", "a"}, MaxBytes: -1},
	} {
		if _, err := format.NewCSV(c); err == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
}

// TestCSVLong: one variable a line, as Nixtla's libraries have it.
func TestCSVLong(t *testing.T) {
	c := format.CSVConfig{Header: []string{"unique_id", "ds", "variable", "y"}, Series: []string{"unique_id"}, Time: "ds", Variable: "variable"}
	d := newCSV(t, c)
	for value, want := range map[string]string{
		"h,7,cpu,0.5":        "h 7 cpu=0.5",
		"h,7,\"a,b\",":       "h 7 a,b=-",
		"h,7,cpu,x":          `malformed: "x" in column "y" is not a number`,
		"h,1970-01-01,mem,1": "h 0 mem=1",
	} {
		if got := show(d, "key", value); got != want {
			t.Errorf("%s: got %s, want %s", value, got, want)
		}
	}
	for _, header := range [][]string{{"unique_id", "ds", "variable"}, {"unique_id", "ds", "variable", "y", "z"}, {"unique_id", "ds", "y"}} {
		c.Header = header
		if _, err := format.NewCSV(c); err == nil {
			t.Errorf("%v was accepted", header)
		}
	}

	c = format.CSVConfig{Header: []string{"time", "host", "metric", "value"}, Time: "time", Variable: "metric"}
	_, err := format.NewCSV(c)
	if want := "there are host, value: columns that tell series apart have CSVConfig.Series=host,"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
	c.Series = []string{"host"} // as the error says
	if got := show(newCSV(t, c), "key", "7,web1,cpu,0.5"); got != "web1 7 cpu=0.5" {
		t.Error(got)
	}
}

// TestCSVSeriesOfSeveralColumns: the name has a tag for each column that has a text, in the order of
// the names, which TagsOf reads back whatever the texts are.
func TestCSVSeriesOfSeveralColumns(t *testing.T) {
	d := newCSV(t, format.CSVConfig{Header: []string{"time", "site", "host", "a"}, Series: []string{"site", "host"}, Time: "time"})
	for value, want := range map[string]string{
		"7,eu,web1,2":       "host=web1,site=eu 7 a=2",
		"7, eu ,web1,2":     "host=web1,site=eu 7 a=2",
		"7,,web1,2":         "host=web1 7 a=2",
		"7,,,2":             `malformed: none of the columns ["site" "host"], which make the series, has a text`,
		`7,"a,b=c",x\y,2`:   `host=x\\y,site=a\,b\=c 7 a=2`,
		"7,host=web1,web1,": `host=web1,site=host\=web1 7 a=-`,
	} {
		if got := show(d, "key", value); got != want {
			t.Errorf("%s: got %s, want %s", value, got, want)
		}
	}
	texts := []string{"a", "b c", "a,b", "a=b", `\`, `a\,`, "=", ",", "ä"}
	seen := make(map[string]bool)
	for _, site := range texts {
		for _, host := range texts {
			var r stream.Record
			if err := d.Decode(&r, &stream.Message{Value: []byte(`1,"` + site + `","` + host + `",2`)}); err != nil {
				t.Fatal(err)
			}
			tags := format.TagsOf(r.Series, false)
			if len(tags) != 2 || tags[0] != (stream.Tag{Key: "host", Value: host}) || tags[1] != (stream.Tag{Key: "site", Value: site}) || seen[r.Series] {
				t.Errorf("%q and %q: series %q, tags %q", site, host, r.Series, tags)
			}
			seen[r.Series] = true
		}
	}
}

func TestParseHeader(t *testing.T) {
	got, err := format.ParseHeader([]byte("\ufefftime, a,\"b,c\"\r\n"), 0)
	if want := []string{"time", " a", "b,c"}; err != nil || len(got) != 3 || got[0] != want[0] || got[1] != "a" || got[2] != want[2] {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := format.ParseHeader([]byte(`a,"b`), 0); err == nil {
		t.Error("an open quote was accepted")
	}
}

func TestCSVDoesNotAllocate(t *testing.T) {
	for _, series := range [][]string{{"host"}, {"host", "site"}} {
		d := newCSV(t, format.CSVConfig{Header: []string{"time", "host", "site", "a", "b"}, Series: series, Values: []string{"a", "b"}})
		m := &stream.Message{Value: []byte("2026-01-01T00:00:00Z,h1,eu,0.25,")}
		var r stream.Record
		if n := testing.AllocsPerRun(100, func() {
			if err := d.Decode(&r, m); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("series %q: %v allocations a line", series, n)
		}
	}
}

// FuzzCSV compares with encoding/csv.
func FuzzCSV(f *testing.F) {
	for _, s := range []string{"7,1,2", `7,"1",2`, "7,,NA", `7,"1""",2`, "7,1,2,3", "7, 1,1e999", "7\r,1,\"2\"\r\n", "0,,\"\"\r\r"} {
		f.Add([]byte(s))
	}
	d := newCSV(f, format.CSVConfig{Header: []string{"time", "a", "b"}})
	f.Fuzz(func(t *testing.T, line []byte) {
		var r stream.Record
		if d.Decode(&r, &stream.Message{Value: line}) != nil {
			return
		}
		cr := csv.NewReader(strings.NewReader(string(line)))
		cr.LazyQuotes = strings.IndexByte(string(line), '"') < 0
		fields, err := cr.Read()
		if err != nil {
			t.Fatalf("%q was accepted, encoding/csv says %v", line, err)
		}
		if len(fields) != 3 {
			t.Fatalf("%q was accepted, encoding/csv finds %q", line, fields)
		}
		for i, v := range r.Values {
			want := math.NaN()
			if s := strings.TrimSpace(fields[1+i]); s != "" && s != "NA" && s != "null" {
				want, _ = strconv.ParseFloat(s, 64)
			}
			if math.Float64bits(v) != math.Float64bits(want) {
				t.Fatalf("%q became %v", fields[1+i], v)
			}
		}
	})
}
