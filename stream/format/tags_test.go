package format_test

import (
	"fmt"
	"testing"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
)

func showTags(tags []stream.Tag) string {
	text := ""
	for _, t := range tags {
		text += fmt.Sprintf("%s=%s;", t.Key, t.Value)
	}
	return text
}

func TestTagsOf(t *testing.T) {
	for _, c := range []struct {
		series      string
		measurement bool
		want        string
	}{
		{"host=a,rack=2", false, "host=a;rack=2;"},
		{`h\=o=a\,b\\`, false, `h=o=a,b\;`},
		{"cpu,host=a", true, "host=a;metric=cpu;"},
		{"cpu", true, "metric=cpu;"},
		{`a=b\,c,host=a`, true, "host=a;metric=a=b,c;"},
		{"cpu,metric=x,metric_=y", true, "metric=cpu;metric_=x;metric__=y;"},
		{"cpu,host=a", false, ""},
		{"a=b=c", false, ""},
		{"", false, ""},
	} {
		if got := showTags(format.TagsOf(c.series, c.measurement)); got != c.want {
			t.Errorf("%q: got %s, want %s", c.series, got, c.want)
		}
	}
}

// TestTagsOfDecoded: the tags of a line are found again in the name that the decoder has made.
func TestTagsOfDecoded(t *testing.T) {
	const line = `c\ p\,u=x,a\=b=c\,\ d\=e,host=web1 v=1 7`
	for _, c := range []struct {
		series []string
		want   string
	}{
		{nil, "a=b=c, d=e;host=web1;metric=c p,u=x;"},
		{[]string{"host"}, "host=web1;"},
		{[]string{"host", format.Measurement}, "host=web1;metric=c p,u=x;"},
	} {
		d := newInflux(t, format.InfluxConfig{Series: c.series})
		var r stream.Record
		if err := d.Decode(&r, &stream.Message{Value: []byte(line)}); err != nil {
			t.Fatal(err)
		}
		if got := showTags(format.TagsOf(r.Series, len(c.series) != 1)); got != c.want {
			t.Errorf("%q: got %s, want %s", r.Series, got, c.want)
		}
	}
}

func TestSeriesTemplate(t *testing.T) {
	for _, c := range []struct{ template, series, want string }{
		{"{dc}/{host}", "eu/web1", "dc=eu;host=web1;"},
		{"{dc}/{host}", "eu/web1/x", "dc=eu;host=web1/x;"},
		{"m.{host}.cpu{n}!", "m.web1.cpu7!", "host=web1;n=7;"},
		{"{host}", "web1", "host=web1;"},
		{"{dc}/{host}", "web1", ""},
		{"{dc}/{host}", "/web1", ""},
		{"{dc}/{host}", "eu/", ""},
		{"m.{host}", "x.web1", ""},
		{"{host}!", "web1", ""},
	} {
		template, err := format.ParseSeriesTemplate(c.template)
		if err != nil {
			t.Fatal(err)
		}
		if got := showTags(template.Tags(c.series)); got != c.want {
			t.Errorf("%s of %q: got %s, want %s", c.template, c.series, got, c.want)
		}
	}
	for _, bad := range []string{"", "host", "{host", "{}", "{a}{b}", "{a}/{a}", "{id}"} {
		if _, err := format.ParseSeriesTemplate(bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

// TestJSONTags: a message is decoded alike by a decoder that has seen one of its shape and by
// one that has not.
func TestJSONTags(t *testing.T) {
	config := format.JSONConfig{Tags: []string{"meta.dc", "host", "shard"}}
	d, err := format.NewJSON(config)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ value, want string }{
		{`{"time":7,"host":"web1","meta":{"dc":"eu"},"shard":3,"cpu":1}`, "dc=eu,host=web1,shard=3 7 cpu=1"},
		{`{"time":8,"host":"web22","meta":{"dc":"us"},"shard":12,"cpu":2}`, "dc=us,host=web22,shard=12 8 cpu=2"},
		{`{"time":9,"host":"a,b=c","meta":{"dc":"u\ns"},"shard":1,"cpu":2}`, "dc=u\ns,host=a\\,b\\=c,shard=1 9 cpu=2"},
		{`{"time":9,"host":"web1","cpu":2}`, "host=web1 9 cpu=2"},
		{`{"time":9,"host":"web2","cpu":3}`, "host=web2 9 cpu=3"},
		{`{"time":9,"host":"web2","shard":null,"values":{"cpu":3}}`, "host=web2 9 cpu=3"},
		{`{"time":9,"host":"web2","shard":1,"values":{"cpu":3}}`, "host=web2,shard=1 9 cpu=3"},
		{`{"time":9,"cpu":3}`, `malformed: none of ["meta.dc" "host" "shard"], which make the series`},
		{`{"time":9,"host":"","cpu":3}`, `malformed: none of ["meta.dc" "host" "shard"], which make the series`},
		{`{"time":9,"host":"a","host":"a","cpu":3}`, `malformed: the member "host" is there twice`},
		{`{"time":9,"host":true,"cpu":3}`, `malformed: the name of the tag is neither text nor a number`},
	} {
		fresh, err := format.NewJSON(config)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []*format.JSON{fresh, d, d} {
			if got := show(d, "key", c.value); got != c.want {
				t.Errorf("%s\ngot  %s\nwant %s", c.value, got, c.want)
			}
		}
	}
	for _, bad := range []format.JSONConfig{
		{Tags: []string{"a.x", "b.x"}}, {Tags: []string{"a", "a"}}, {Tags: []string{"time"}}, {Tags: []string{"a"}, Series: "b"}, {Tags: []string{""}},
	} {
		if _, err := format.NewJSON(bad); err == nil {
			t.Errorf("%+v was accepted", bad)
		}
	}
}

func TestJSONTagsDoNotAllocate(t *testing.T) {
	d, err := format.NewJSON(format.JSONConfig{Tags: []string{"host", "dc"}})
	if err != nil {
		t.Fatal(err)
	}
	var messages []*stream.Message
	for _, host := range []string{"web1", "web2"} {
		messages = append(messages, &stream.Message{Value: []byte(`{"time":7,"host":"` + host + `","dc":"eu","cpu":1.5}`)})
	}
	var r stream.Record
	decode := func() {
		for _, m := range messages {
			if err := d.Decode(&r, m); err != nil {
				t.Fatal(err)
			}
		}
	}
	decode()
	if n := testing.AllocsPerRun(100, decode); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
