package format_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/influxdata/line-protocol/v2/lineprotocol"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/format/timestamp"
	"github.com/orffvar/forecaster/stream/refuse"
)

func newInflux(t testing.TB, c format.InfluxConfig) *format.Influx {
	t.Helper()
	d, err := format.NewInflux(c)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// showAll prints what a decoder makes of a message, one record or refusal a line.
func showAll(d stream.Splitter, m *stream.Message) string {
	var b strings.Builder
	var r stream.Record
	d.Split(m)
	for {
		err := d.Next(&r)
		var data *refuse.Error
		switch {
		case errors.Is(err, io.EOF):
			return b.String()
		case errors.As(err, &data):
			fmt.Fprintf(&b, "%s <%s>\n", err, r.Message.Value)
			continue
		case err != nil:
			return "not a refusal: " + err.Error()
		}
		fmt.Fprintf(&b, "%s @%d", r.Series, r.Time)
		for i, v := range r.Values {
			fmt.Fprintf(&b, " %s=%s", r.Names[i], strconv.FormatFloat(v, 'g', -1, 64))
		}
		b.WriteByte('\n')
	}
}

func TestInflux(t *testing.T) {
	all := format.InfluxConfig{TimeUnit: timestamp.Nanoseconds}
	host := format.InfluxConfig{TimeUnit: timestamp.Nanoseconds, Series: []string{"host"}, Ignore: []string{"dc"}}
	cpu := format.InfluxConfig{Series: []string{format.Measurement}, Fields: []string{"user", "idle"}, TimeUnit: timestamp.Seconds, MaxDim: 1, MaxBytes: 100}
	for _, c := range []struct {
		config      format.InfluxConfig
		value, want string
	}{
		// As Telegraf writes it: an empty line at the end, strings among the fields.
		{all, "cpu,host=a,cpu=cpu0 usage_idle=97.5,usage_user=2i 17\n", "cpu,cpu=cpu0,host=a @17 usage_idle=97.5 usage_user=2\n"},
		{all, "mem,host=a used=3u,ok=true,bad=f,state=\"up\" 17\nsystem,host=a uptime_format=\"1 day\" 17\n\n# x=\"\nmem,host=b used=-1e3 -18",
			"mem,host=a @17 used=3 ok=1 bad=0\nmem,host=b @-18 used=-1000\n"},
		{all, "m x=1 17\r\nm x=2 18\r\n", "m @17 x=1\nm @18 x=2\n"},
		{all, "m x=1\nm y=2 ", "m @99 x=1\nm @99 y=2\n"},
		{all, `m\,\ \\n,a\ b=c\,d\=e\ f x\ y\,z\=w=1 17`, `m\,\ \\\\n,a\ b=c\,d\=e\ f @17 x y,z=w=1` + "\n"},
		{all, "m text=\"two\nlines, x=\\\"3\\\" \",x=1 17\nm x=2 18", "m @17 x=1\nm @18 x=2\n"},
		{all, "\n \n#\n", ""},
		{all, "", ""},
		{all, "m x=1 17\nm x= 18\nm,a x=1 19\nm x=1,x=2 20\nm,a=1,a=2 x=1 21\nm x=1 22",
			"m @17 x=1\n" +
				"malformed: column 5: field value has unrecognized type <m x= 18>\n" +
				"malformed: column 3: expected '=' after tag key \"a\", but got ' ' instead <m,a x=1 19>\n" +
				"malformed: the field \"x\" is there twice <m x=1,x=2 20>\n" +
				"malformed: the tag \"a\" is there twice <m,a=1,a=2 x=1 21>\n" +
				"m @22 x=1\n"},
		{all, "m x=1e999 17", "malformed: column 5: cannot parse value for field key \"x\": line-protocol value out of range <m x=1e999 17>\n"},
		{all, "m x=1 17 18", "malformed: column 10: unexpected text after timestamp (\"18\") <m x=1 17 18>\n"},
		{all, "m x=1 99999999999999999999", "malformed: the time 99999999999999999999 is outside the years 1678 to 2261 <m x=1 99999999999999999999>\n"},
		{all, "m x=\"open 17\nm x=1 18", "malformed: column 5: expected closing quote for string field value, found end of input <m x=\"open 17\nm x=1 18>\n"},
		{host, "cpu,host=a,cpu=cpu0,dc=x usage=1 17\nmem,dc=y,host=a used=2,usage=3 17\nmem,dc=x used=2 17",
			"host=a @17 cpu,cpu=cpu0 usage=1\nhost=a @17 mem used=2 mem usage=3\nmalformed: none of [\"host\"], which make the series <mem,dc=x used=2 17>\n"},
		{cpu, "cpu,host=a user=1,system=2 17\ncpu system=2 17\ncpu user=1,idle=2 17",
			"cpu @17000000000 host=a user=1\ntoo_large: more than 1 values <cpu user=1,idle=2 17>\n"},
		{cpu, strings.Repeat(" ", 101), "too_large: 101 bytes, at most 100 are allowed <" + strings.Repeat(" ", 101) + ">\n"},
	} {
		d := newInflux(t, c.config)
		for range 2 { // the second time, the lines are known
			if got := showAll(d, &stream.Message{Time: 99, Value: []byte(c.value)}); got != c.want {
				t.Errorf("%.120q\ngot\n%swant\n%s", c.value, got, c.want)
			}
		}
	}
	if got, want := showAll(newInflux(t, all), &stream.Message{Value: []byte("m x=1")}), "malformed: no time <m x=1>\n"; got != want {
		t.Errorf("got %s", got)
	}
	for _, c := range []format.InfluxConfig{{TimeUnit: "%H"}, {MaxDim: -1}, {Series: []string{"a"}, Ignore: []string{"a"}}} {
		if _, err := format.NewInflux(c); err == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
}

// TestInfluxDecode: one record of a message, for sources of one line a message.
func TestInfluxDecode(t *testing.T) {
	d := newInflux(t, format.InfluxConfig{})
	var r stream.Record
	if err := d.Decode(&r, &stream.Message{Value: []byte("m x=1,y=2 17")}); err != nil || r.Series != "m" || len(r.Values) != 2 {
		t.Errorf("%+v %v", r, err)
	}
	var data *refuse.Error
	if err := d.Decode(&r, &stream.Message{Value: []byte("# nothing")}); !errors.As(err, &data) {
		t.Errorf("got %v", err)
	}
}

// TestKnownLines: a decoder that has seen other lines decodes each as a new one
// does.
func TestKnownLines(t *testing.T) {
	d := newInflux(t, format.InfluxConfig{})
	h := newInflux(t, format.InfluxConfig{Series: []string{"h"}, Fields: []string{"a", "b"}})
	for _, line := range []string{
		"m,h=x a=1,b=2 7", "m,h=x a=3,b=4 8", "m,h=x a=3,b=4", "m,h=x b=4,a=5 9", "m,h=x a=1 7", "m,h=x a=1,b=2,c=3 7", "m,h=x a=1,b=2,c=\"x y,z\" 7", "m,h=x a=1,a=2 7",
		"m,h=x a=1i,b=-0i 7", "m,h=x a=2u,b=-1u 7", "m,h=x a=1.5i,b=2 7", "m,h=x a=-0,b=-1.5e3 7", "m,h=x a=41.13000106811523,b=9007199254740993i 7", "m,h=x a=t,b=false 7",
		"m,h=x a=1,b=2 7 ", "m,h=x a=1,b=2  7", "m,h=x a=1,b=2 7.5", "m,h=x a=1,b=2 2026-01-01T00:00:00Z", "m,h=x a=1,b=2 x", "m,h=x a=,b=2 7", "m,h=x a=1,b=2, 7", "m,h=x =1 7", "m,h=x a=1 b=2 7",
		"m,h=x a=\"1\"2,b=2 7", "m,h=x a=\"1,b=2 7", "m,h=x a=1,b=0x1p3 7", "m,h=x a=1_0,b=2 7", "m,h=x a=.5,b=5. 7", "m,h=x a=+1,b=2 7", "m,h=x  a=1,b=2 7", "m,h=\\x a=1,b=2 7", "m,h=x a=1e999,b=2 7",
	} {
		for range 2 {
			m := &stream.Message{Time: 99, Value: []byte(line)}
			if got, want := showAll(d, m), showAll(newInflux(t, format.InfluxConfig{}), m); got != want {
				t.Errorf("%s\ngot  %swant %s", line, got, want)
			}
			if got, want := showAll(h, m), showAll(newInflux(t, format.InfluxConfig{Series: []string{"h"}, Fields: []string{"a", "b"}}), m); got != want {
				t.Errorf("%s\ngot  %swant %s", line, got, want)
			}
		}
	}
}

func TestInfluxDoesNotAllocate(t *testing.T) {
	d := newInflux(t, format.InfluxConfig{Series: []string{"host"}})
	m := &stream.Message{Value: []byte("cpu,cpu=cpu-total,host=a usage_idle=97.49999999999999,usage_user=1 1767225600000000000\nmem,host=a used=3i,free=4u 1767225600000000000\n")}
	var r stream.Record
	decode := func() {
		d.Split(m)
		for {
			if err := d.Next(&r); errors.Is(err, io.EOF) {
				return
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
	decode()
	if n := testing.AllocsPerRun(100, decode); n != 0 {
		t.Errorf("%v allocations a message", n)
	}
}

// FuzzInflux: of what the library decodes as a whole, the lines give the same
// numbers, also when they are known; and lines only become more or fewer where
// some are refused.
func FuzzInflux(f *testing.F) {
	for _, s := range []string{
		"cpu,host=a,cpu=cpu0 usage_idle=97.5,usage_user=2i 17\nmem x=\"a\nb\",y=3 18\n", "m\\ n,a\\==\\, b\\\"c=\"\\\"\\\\\" 1", "# x=\"\nm x=1u\r\n", "m,a=\" x=1\nm x=t",
		"m \"=\"\n\" 1\nm a=1", "m\\\n x=1",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		d := newInflux(t, format.InfluxConfig{})
		first := showAll(d, &stream.Message{Time: 1, Value: value})
		if again := showAll(d, &stream.Message{Time: 1, Value: value}); again != first {
			t.Fatalf("%q is first\n%sand then\n%s", value, first, again)
		}
		var got []float64
		var r stream.Record
		d.Split(&stream.Message{Time: 1, Value: value})
		size := 0
		for {
			err := d.Next(&r)
			if errors.Is(err, io.EOF) {
				break
			}
			if size += len(r.Message.Value) + 1; size > len(value)+1 {
				t.Fatalf("the lines of %q have %d bytes", value, size)
			}
			if err != nil {
				return
			}
			got = append(got, r.Values...)
		}
		var want []float64
		dec := lineprotocol.NewDecoderWithBytes(value)
		for dec.Next() {
			for {
				key, v, err := dec.NextField()
				if err != nil {
					t.Fatalf("%q was accepted, but: %v", value, err)
				}
				if key == nil {
					break
				}
				switch v.Kind() {
				case lineprotocol.Float:
					want = append(want, v.FloatV())
				case lineprotocol.Int:
					want = append(want, float64(v.IntV()))
				case lineprotocol.Uint:
					want = append(want, float64(v.UintV()))
				case lineprotocol.Bool:
					x := 0.
					if v.BoolV() {
						x = 1
					}
					want = append(want, x)
				}
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%q gives %v, not %v", value, got, want)
		}
		for i := range got {
			if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
				t.Fatalf("%q gives %v, not %v", value, got, want)
			}
		}
	})
}

func BenchmarkInflux(b *testing.B) {
	d := newInflux(b, format.InfluxConfig{})
	m := &stream.Message{Value: []byte("cpu,cpu=cpu-total,host=server01 usage_guest=0,usage_idle=97.5,usage_iowait=0.25,usage_system=1.25,usage_user=1 1767225600000000000\n")}
	var r stream.Record
	b.ReportAllocs()
	b.SetBytes(int64(len(m.Value)))
	for b.Loop() {
		if err := d.Decode(&r, m); err != nil {
			b.Fatal(err)
		}
	}
}
