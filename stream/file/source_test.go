package file_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/file"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/format/sniff"
	"github.com/orffvar/forecaster/stream/format/timestamp"
	"github.com/orffvar/forecaster/stream/refuse"
	"github.com/orffvar/forecaster/stream/run"
	"github.com/orffvar/forecaster/stream/streamtest"
)

func write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSourceContract(t *testing.T) {
	compressed := func(text string) string {
		var b strings.Builder
		z := gzip.NewWriter(&b)
		fmt.Fprint(z, text)
		z.Close()
		return b.String()
	}
	const csv = "time,a\n0,1\n\n1,2\r\n2,3\n3,4"
	for _, c := range []struct{ name, text string }{
		{"data.csv", csv}, {"data.csv.gz", compressed(csv)}, {"data.tsv", strings.ReplaceAll(csv, ",", "\t")},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := write(t, c.name, c.text)
			comma := ","
			if strings.HasSuffix(c.name, "tsv") {
				comma = "\t"
			}
			var want []stream.Message
			for i, line := range []int64{1, 3, 4, 5} {
				want = append(want, stream.Message{
					Topic: path, Partition: -1, Offset: line, Key: []byte("data"), Value: fmt.Appendf(nil, "%d%s%d", i, comma, i+1),
				})
			}
			streamtest.TestSource(t, streamtest.SourceTest{
				Open: func(t *testing.T) stream.Source {
					s, err := file.OpenSource(path, file.SourceConfig{})
					if err != nil {
						t.Fatal(err)
					}
					return s
				},
				Want: want,
			})
		})
	}
}

// TestPipe: a pipe may wait for more, and is not rewound.
func TestPipe(t *testing.T) {
	for _, header := range []string{"", "time,a\n"} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		path := fmt.Sprintf("/dev/fd/%d", r.Fd())
		if _, err := os.Stat(path); err != nil {
			t.Skip("no /dev/fd on this system")
		}
		c := file.SourceConfig{Format: "csv", Series: "s"}
		if header == "" {
			c.CSV.Header = []string{"time", "a"}
		}
		s, err := file.OpenSource(path, c)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Seek(context.Background(), 100, stream.Mark{}); err != nil {
			t.Fatal(err)
		}
		dst := make([]stream.Message, 8)
		short := func() context.Context {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
			t.Cleanup(cancel)
			return ctx
		}
		if n, err := s.Read(short(), dst); n != 0 || !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("of an empty pipe Read returned %d, %v", n, err)
		}
		fmt.Fprint(w, header+"0,1\n1,2\n2,")
		n, err := s.Read(context.Background(), dst)
		if n != 2 || err != nil || dst[0].Offset != 100 || dst[1].Offset != 101 || string(dst[1].Value) != "1,2" {
			t.Fatalf("Read returned %d, %v, %+v", n, err, dst[:n])
		}
		var rec stream.Record
		if err := s.Decoder().Decode(&rec, &dst[1]); err != nil || rec.Series != "s" || rec.Values[0] != 2 {
			t.Fatalf("%+v, %v", rec, err)
		}
		if n, err := s.Read(short(), dst); n != 0 || !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("in the middle of a line Read returned %d, %v", n, err)
		}
		fmt.Fprint(w, "3")
		w.Close()
		if n, err := s.Read(context.Background(), dst); n != 1 || err != nil || string(dst[0].Value) != "2,3" {
			t.Fatalf("Read returned %d, %v", n, err)
		}
		if _, err := s.Read(context.Background(), dst); !errors.Is(err, io.EOF) {
			t.Fatalf("at the end Read returned %v", err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		r.Close()
	}
}

// TestBadFiles: each mistake has one clear message, either when the file is opened
// or read, or as a dead letter that names the line.
func TestBadFiles(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty.csv", "", "empty.csv is empty, a line with the names of the columns was expected"},
		{"blank.csv", "\n \r\n\n", "blank.csv is empty, a line with the names of the columns was expected"},
		{"cdf.csv", "CDF,time\n1,2026-01-01\n2,2026-01-02\n", ""}, // NetCDF begins so
		{"header.csv", "time,a\n", "header.csv has no data"},
		{"empty.jsonl", "\n\n", ""},
		{"nothing.jsonl", "", "nothing.jsonl has no data"},
		{"noheader.csv", "2026-01-01,1,2\n2026-01-02,1,2\n", "line 1 begins like data (2026-01-01), a line with the names of the columns was expected"},
		{"graphite.csv", "web.cpu,2026-01-01 00:00:00,1.5\nweb.cpu,2026-01-01 00:01:00,2\n", "add one with  (echo series,time,v1; cat IN) > OUT.csv"},
		{"savetxt.csv", "1.5e+00,2.0e+00\n1.0e+00,2.5e+00\n", `with  awk 'BEGIN {print "step,v1,v2"} !/^ *#/ {print n++ "," $0}' IN > OUT.csv`},
		{"only.csv", "time\n1\n", "no column has values"},
		{"json.csv", `{"time":"2026-01-01","a":1}` + "\n", "json.csv: line 1 is a JSON object, no names of columns: name the format with SourceConfig.Format=jsonl"},
		{"quote.csv", "time,\"a\n1,2\n", ":1: the header: "},
		{"unknown.xyz", "1", `the extension ".xyz" does not say whether this is csv, jsonl, influx, parquet, arrow, tsf or xlsx: name it with SourceConfig.Format=csv`},
		{"broken.csv.gz", "time,a and more", "broken.csv.gz has no data"},

		{"ragged.csv", "time,a,b\n1,2,3\n2,3\n", "ragged.csv:3: malformed: 2 fields where the header has 3 columns"},
		{"wide.csv", "time,a,b\n1,2,3\n2,3,4,5\n", "wide.csv:3: malformed: 4 fields where the header has 3 columns"},
		{"text.csv", "time,a\n1,2\n\n2,two\n", `text.csv:4: malformed: "two" in column "a" is not a number`},
		{"nan.csv", "time,a\n1,Inf\n", `nan.csv:2: non_finite: "Inf" in column "a" is not a finite number`},
		{"inf.csv", "time,a\n1,-Inf\n", `inf.csv:2: non_finite: "-Inf" in column "a" is not a finite number`},
		{"late.csv", "time,a\n2,1\n1,1\n", `late.csv:3: late: the sample is 1s older than the last of series "late"`},
		{"same.csv", "time,a\n2,1\n2,1\n", `same.csv:3: duplicate: the last sample of series "same" has the same time`},
		{"time.csv", "time,a\n1,1\nnoon,1\n2,1\n3,1\n4,1\n5,1\n6,1\n7,1\n8,1\n9,1\n", `time.csv:3: malformed: the time "noon" in column "time" is of no form that is read: RFC 3339, 2006-01-02 15:04:05, 2006/1/2, 2 Jan 2006, Jan 2006, 01/2006, 2006Q1, 2006-W01 or seconds since 1970`},
		{"long.csv", "time,a\n1," + strings.Repeat("1", 2<<20) + "\n2,2\n", "long.csv:2: too_large: 1048577 bytes, at most 1048576 are allowed"},
		{"binary.jsonl", "{\"time\": 1, \"values\": [1]}\n\x00\xff\x1b\n", "binary.jsonl:2: malformed: binary, it begins with the bytes 00 ff 1b"},
		{"cut.jsonl", "{\"time\": 1, \"values\": [1]}\n{\"time\": 2, \"val", "cut.jsonl:2: malformed: not JSON at byte 16: unexpected end of JSON input"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := outcome(t, write(t, c.name, c.text))
			if !strings.Contains(got, c.want) || c.want == "" && got != "" || strings.Count(got, "\n") > 1 {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
	if got := outcome(t, filepath.Join(t.TempDir(), "missing.csv")); !strings.Contains(got, "missing.csv: no such file") && !strings.Contains(got, "cannot find") {
		t.Errorf("a missing file gave %s", got)
	}
	if got := outcome(t, t.TempDir()); !strings.Contains(got, "is a directory") {
		t.Errorf("a directory gave %s", got)
	}
}

// outcome runs a file through an engine and returns its error and dead letters.
func outcome(t *testing.T, path string) string {
	t.Helper()
	src, err := file.OpenSource(path, file.SourceConfig{})
	if err != nil {
		return err.Error()
	}
	defer src.Close()
	var out letters
	r, err := run.NewRunner(run.Config{Source: src, Decoder: src.Decoder(), Engine: streamtest.NewEngine(t, streamtest.DriftConfig()), Sink: stream.Discard{}, DeadLetters: &out})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Run(context.Background()); err != nil {
		return err.Error()
	}
	return string(out)
}

type letters string

func (l *letters) WriteDeadLetters(_ context.Context, letter []stream.DeadLetter) error {
	for _, d := range letter {
		*l += letters(fmt.Sprintf("%s: %s: %s\n", d.Message.Origin(), d.Reason, d.Detail))
	}
	return nil
}
func (l *letters) Close() error { return nil }

func TestSeekInAnotherFile(t *testing.T) {
	s, err := file.OpenSource(write(t, "s.csv", "time,a\n1,1\n"), file.SourceConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Seek(context.Background(), 3, stream.Mark{}); err == nil || !strings.Contains(err.Error(), "has 2 lines, but 3 were already processed") {
		t.Errorf("got %v", err)
	}
}

// TestPandas: the index of a data frame has no name.
func TestPandas(t *testing.T) {
	s, err := file.OpenSource(write(t, "pandas.csv", ",0,1\n2026-01-01 00:00:00,1.5,\n"), file.SourceConfig{Series: "s"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	dst := make([]stream.Message, 1)
	if _, err := s.Read(context.Background(), dst); err != nil {
		t.Fatal(err)
	}
	var r stream.Record
	if err := s.Decoder().Decode(&r, &dst[0]); err != nil || r.Series != "s" || r.Names[0] != "0" || r.Values[0] != 1.5 {
		t.Errorf("%+v, %v", r, err)
	}
}

func FuzzSource(f *testing.F) {
	f.Add("time,a\n1,2\n", true)
	f.Add("{\"time\": 1, \"values\": [1]}\n", false)
	f.Add("\ufeff\"time\",a\r\n\r\n1,\"2\n", true)
	f.Fuzz(func(t *testing.T, text string, csv bool) {
		name := "f.jsonl"
		if csv {
			name = "f.csv"
		}
		s, err := file.OpenSource(write(t, name, text), file.SourceConfig{MaxBytes: 100})
		if err != nil {
			return
		}
		defer s.Close()
		dst := make([]stream.Message, 3)
		last := int64(-1)
		for {
			n, err := s.Read(context.Background(), dst)
			if err != nil {
				return
			}
			for i := range n {
				if dst[i].Offset <= last || strings.Contains(string(dst[i].Value), "\n") {
					t.Fatalf("line %d after %d is %q", dst[i].Offset, last, dst[i].Value)
				}
				last = dst[i].Offset
				var r stream.Record
				var data *refuse.Error
				if err := s.Decoder().Decode(&r, &dst[i]); err != nil && !errors.As(err, &data) {
					t.Fatal(err)
				}
			}
		}
	})
}

// TestLineProtocol: a line is a message, told by the name of the file.
func TestLineProtocol(t *testing.T) {
	s, err := file.OpenSource(write(t, "telegraf.lp", "# comment\ncpu,host=a idle=1,user=2 17\n\ncpu,host=a text=\"x\" 18\ncpu,host=a idle= 19\n"), file.SourceConfig{Influx: format.InfluxConfig{TimeUnit: timestamp.Nanoseconds}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	dst := make([]stream.Message, 9)
	n, err := s.Read(context.Background(), dst)
	if n != 4 || err != nil {
		t.Fatalf("%d messages, %v", n, err)
	}
	split := s.Decoder().(stream.Splitter)
	var got string
	var r stream.Record
	for i := range n {
		split.Split(&dst[i])
		for {
			err := split.Next(&r)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				got += fmt.Sprintf("%s refused; ", r.Message.Origin())
				continue
			}
			got += fmt.Sprintf("%s %d %v %v; ", r.Series, r.Time, r.Names, r.Values)
		}
	}
	if want := "cpu,host=a 17 [idle user] [1 2]; " + dst[0].Topic + ":5 refused; "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestRepeatedHour: the hour that the end of summer time repeats has its times in every decoder of a
// file, and behind a row to which the source was set.
func TestRepeatedHour(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	path := write(t, "autumn.csv", "time,a\n2025-10-26 01:00,1\n2025-10-26 02:00,2\n2025-10-26 02:00,3\n2025-10-26 03:00,4\n")
	open := func() *file.Source {
		s, err := file.OpenSource(path, file.SourceConfig{CSV: format.CSVConfig{Zone: zone}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	hours := func(s *file.Source, decoders ...stream.Decoder) (utc []int) {
		messages := make([]stream.Message, 8)
		n, err := s.Read(t.Context(), messages)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range decoders {
			for i := range n {
				var r stream.Record
				if err := d.Decode(&r, &messages[i]); err != nil {
					t.Fatal(err)
				}
				utc = append(utc, time.Unix(0, r.Time).UTC().Hour())
			}
		}
		return utc
	}
	s := open()
	if got := hours(s, s.Decoder(), s.Decoder()); !slices.Equal(got, []int{23, 0, 1, 2, 23, 0, 1, 2}) {
		t.Errorf("hours %v", got)
	}
	s = open()
	d := s.Decoder()
	if err := s.Seek(t.Context(), 3, stream.Mark{}); err != nil {
		t.Fatal(err)
	}
	if got := hours(s, d); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("hours behind the first of two equal rows: %v", got)
	}
}

// TestSortDropsEqualRows: sorting leaves out rows that equal another one of their time, wherever they
// stand, and says how many. Other rows of one time stay, as do lines that cannot be read.
func TestSortDropsEqualRows(t *testing.T) {
	const text = "time,host,a\n3,x,1\n1,x,1\n1,y,1\n1,x,1\n1,x,2\n3,x,1\nbad\nbad\n2,x,1\n"
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for drop, want := range map[bool]string{
		true:  "1,x,1 1,y,1 1,x,2 2,x,1 3,x,1 bad bad",
		false: "1,x,1 1,y,1 1,x,1 1,x,2 2,x,1 3,x,1 3,x,1 bad bad",
	} {
		src, err := file.OpenSource(path, file.SourceConfig{Sort: true, DropEqual: drop, CSV: format.CSVConfig{Time: "time", TimeUnit: timestamp.Seconds, Series: []string{"host"}}})
		if err != nil {
			t.Fatal(err)
		}
		messages := make([]stream.Message, 20)
		n, err := src.Read(context.Background(), messages)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range messages[:n] {
			got = append(got, string(m.Value))
		}
		said := slices.ContainsFunc(src.Assumptions(), func(a sniff.Assumption) bool { return a.Text == "equal rows left out: 2" && a.Usual })
		if strings.Join(got, " ") != want || said != drop {
			t.Errorf("drop %t: %q, want %s, assumed %v", drop, got, want, src.Assumptions())
		}
		src.Close()
	}

	newest := filepath.Join(t.TempDir(), "newest.csv")
	if err := os.WriteFile(newest, []byte("time,a\n2026-01-05,1\n2026-01-04,1\n2026-01-04,1\n2026-01-03,1\n2026-01-02,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	src, err := file.OpenSource(newest, file.SourceConfig{DropEqual: true})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if got := readAll(src); got.rows != 4 || got.err != nil {
		t.Errorf("newest line first: %+v, want 4 rows", got)
	}
}

// A compressed file that was cut or damaged says so wherever that is, also beyond the lines that are
// looked at first, and nothing else.
func TestDamagedGzip(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	fmt.Fprint(z, "time,a\n")
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 100_000 {
		fmt.Fprintf(z, "%d,%d\n", i, random.Uint32())
	}
	z.Close()
	whole := packed.Bytes()
	read := func(content []byte, sort bool) error {
		path := write(t, "data.csv.gz", string(content))
		src, err := file.OpenSource(path, file.SourceConfig{Sort: sort, CSV: format.CSVConfig{Decimal: '.'}}) // known: no check reads all lines
		if err != nil || sort {                                                                               // to sort a file, all of it is read when it is opened
			return err
		}
		defer src.Close()
		messages := make([]stream.Message, 1000)
		for err == nil {
			_, err = src.Read(t.Context(), messages)
		}
		return err
	}
	if err := read(whole, false); !errors.Is(err, io.EOF) {
		t.Fatalf("the whole file: %v", err)
	}
	for _, n := range []int{5, 12, len(whole) / 2, len(whole) - 9, len(whole) - 1} {
		for _, sort := range []bool{false, true} {
			if err := read(whole[:n], sort); err == nil || !strings.Contains(err.Error(), "data.csv.gz") ||
				!strings.Contains(err.Error(), "the compressed file is truncated, its end is missing: copy it again") {
				t.Errorf("%d of %d bytes, sorted %t: %v", n, len(whole), sort, err)
			}
		}
	}
	for _, at := range []int{2, len(whole) / 2, len(whole) - 6} {
		content := slices.Clone(whole)
		content[at] ^= 0xff
		if err := read(content, false); err == nil || !strings.Contains(err.Error(), "the compressed file is damaged: copy it again") {
			t.Errorf("byte %d: %v", at, err)
		}
	}
}

// A number such as 1.170 behind first lines of whole numbers is a fraction or more than a thousand:
// the file is refused, with the line and the settings, unless another number or a setting shows what a
// point is.
func TestPointsBehindWholeNumbers(t *testing.T) {
	const rows = 6000 // more than the lines that are looked at first
	content := func(step int, comma string, late ...string) string {
		var b strings.Builder
		fmt.Fprintf(&b, "time%sa\n", comma)
		for i := range rows {
			fmt.Fprintf(&b, "%d%s%d\n", 1767225600+step*i, comma, 800+i%200)
		}
		for i, v := range late {
			fmt.Fprintf(&b, "%d%s%s\n", 1767225600+step*(rows+i), comma, v)
		}
		return b.String()
	}
	for _, c := range []struct {
		text string
		csv  format.CSVConfig
		want float64 // of the row behind the whole numbers; 0 = refused
	}{
		{content(3600, ",", "1.170", "1.180"), format.CSVConfig{}, 0},
		{content(3600, ";", "1.170", "999", "1.180"), format.CSVConfig{}, 0},
		{content(-3600, ",", "1.170"), format.CSVConfig{}, 0}, // newest first: the line is that of the file
		{content(3600, ",", "1.170", "1.18"), format.CSVConfig{}, 1.17},
		{content(3600, ",", "1.170", "0.180"), format.CSVConfig{}, 1.17},
		{content(3600, ",", "1.170"), format.CSVConfig{Decimal: '.'}, 1.17},
		{content(3600, ",", "1.170"), format.CSVConfig{Thousands: '.'}, 1170},
		{content(3600, ",", "1170"), format.CSVConfig{}, 1170},
	} {
		src, err := file.OpenSource(write(t, "late.csv", c.text), file.SourceConfig{CSV: c.csv})
		const message = `late.csv: line 6002 has 1.170 in column "a", which is 1.170 or 1170, and no other number shows what its point is: say CSVConfig.Thousands=. (thousands) or CSVConfig.Decimal=. (a fraction)`
		if c.want == 0 {
			if err == nil || !strings.HasSuffix(err.Error(), message) {
				t.Errorf("%.20q: %v", c.text, err)
			}
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		var r stream.Record
		messages := make([]stream.Message, rows+1)
		n, err := src.Read(t.Context(), messages)
		d := src.Decoder()
		for i := range n {
			if err = d.Decode(&r, &messages[i]); err != nil {
				break
			}
		}
		if src.Close(); err != nil || n != rows+1 || r.Values[0] != c.want {
			t.Errorf("%v after %d rows, %v; want %v", r.Values, n, err, c.want)
		}
	}
}
