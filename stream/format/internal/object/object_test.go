package object

import (
	"fmt"
	"strings"
	"testing"
)

// TestEnvelopes: the envelopes of Connect and of Debezium, alone and together, and objects that look like them.
func TestEnvelopes(t *testing.T) {
	for message, want := range map[string]string{ // path of the record, " deleted", "" = none
		`{"schema": {}, "payload": {"a": 1}}`:                                     "payload",
		`{"payload": {"a": 1}}`:                                                   "payload",
		`{"schema": null, "payload": null}`:                                       "payload deleted",
		`{"schema": {}}`:                                                          "",
		`{"schema": {}, "payload": 1}`:                                            "",
		`{"schema": {}, "payload": {"a": 1}, "b": 1}`:                             "",
		`{"before": null, "after": {"a": 1}, "op": "c", "ts_ms": 1}`:              "after",
		`{"before": null, "after": {"a": 1}, "op": "c", "source": {}}`:            "after",
		`{"before": {"a": 1}, "after": null, "op": "d", "ts_ms": 1}`:              "after deleted",
		`{"op": "t", "ts_ms": 1}`:                                                 "after deleted",
		`{"after": {"a": 1}, "op": "c"}`:                                          "",
		`{"after": {"a": 1}, "ts_ms": 1}`:                                         "",
		`{"after": {"a": 1}, "op": 1, "ts_ms": 1}`:                                "",
		`{"after": 1, "op": "c", "ts_ms": 1}`:                                     "",
		`{"schema": {}, "payload": {"after": {"a": 1}, "op": "c", "source": {}}}`: "payload.after",
		`{"schema": {}, "payload": {"after": null, "op": "d", "source": {}}}`:     "payload.after deleted",
		`{}`: "", `[{"payload": {}}]`: "", `1`: "",
	} {
		got := ""
		if e := EnvelopeOf([]byte(message)); e != nil {
			got = e.Path + map[bool]string{true: " deleted"}[e.Deleted]
			if text := EnvelopeText(e); text != "the record of a message is "+e.Path+", paths begin there" {
				t.Error(text)
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", message, got, want)
		}
	}
}

func TestTimeField(t *testing.T) {
	for object, want := range map[string]string{
		`{"a": 1, "ts": 2, "date": 3}`: "date", `{"ts": 1, "time": 2, "date": 3}`: "time", `{"Time": 1}`: "Time", `{"a": {"time": 1}}`: "FIELD", `{}`: "FIELD", `{"@timestamp": 1}`: "@timestamp",
	} {
		if got := TimeField([]byte(object)); got != want {
			t.Errorf("%s: %s, want %s", object, got, want)
		}
	}
}

// TestMembers: numbers and texts by their place, and the object or array to read the values from.
func TestMembers(t *testing.T) {
	set := func(field, value string) string { return field + "=" + value }
	for _, c := range []struct {
		objects []string
		want    string
		remedy  string
	}{
		{[]string{`{"time": 1, "a": 2, "b": true, "t": "x", "n": null}`, `{"c": 3, "a": 4, "t": "y"}`}, "flat a,b,c nested  text t names a,b,t,c values false rows a=2,a=4", "flat"},
		{[]string{`{"host": "h", "rack": "r", "id": 7, "a": 1}`}, "flat a nested  text  names a values false rows a=1", "flat"}, // the series and the tags are asked for
		{[]string{`{"values": {"a": 1}, "b": 2}`}, "flat b nested  text  names b values true rows b=2", "flat"},
		{[]string{`{"values": 1}`}, "flat values nested  text  names values values false rows values=1", "flat"},
		{[]string{`{"in": {"a": 1, "b": 2}, "out": {"c": 3}}`}, "flat  nested in.a,in.b,out.c text  names  values false rows ", "in"},
		{[]string{`{"out": {"c": 3}, "in": {"a": 1, "b": 2}}`}, "flat  nested out.c,in.a,in.b text  names  values false rows ", "in"},
		{[]string{`{"a": {"x": 3}, "b": {"y": 2}}`}, "flat  nested a.x,b.y text  names  values false rows ", "a"},
		{[]string{`{"in": {"a": 1, "b": null, "c": true}}`}, "flat  nested in.a text  names  values false rows ", "in"},
		{[]string{`{"in": {"a": 1, "b": "x"}}`}, "flat  nested in.a text  names  values false rows ", "flat"},
		{[]string{`{"in": {"a": 1, "time": "x"}}`}, "flat  nested in.a text  names  values false rows ", "flat"},
		{[]string{`{"in": {"a": 1, "deep": {"b": 2}}}`}, "flat  nested in.a,in.deep.b text  names  values false rows ", "in.deep"},
		{[]string{`{"in": {"a": 1, "id": "x"}}`}, "flat  nested in.a text  names  values false rows ", "flat"},
		{[]string{`{"in": [1, 2]}`}, "flat  nested in text  names  values false rows ", "in"},
		{[]string{`{"in": [{"a": 1}, {"a": 2}]}`}, "flat  nested in.a text  names  values false rows ", "flat"},
	} {
		var n Members
		var rows []string
		for _, object := range c.objects {
			n.Read([]byte(object), "", "host", []string{"rack", "id"})
			for _, name := range n.Flat {
				if text := n.Rows[len(n.Rows)-1][name]; text != "" && name != "b" || name == "b" && len(n.Flat) == 1 {
					rows = append(rows, name+"="+text)
					break
				}
			}
		}
		join := func(list []string) string { return strings.Join(list, ",") }
		if got := fmt.Sprintf("flat %s nested %s text %s names %s values %v rows %s", join(n.Flat), join(n.Nested), join(n.Text), join(n.Names), n.Values, join(rows)); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.objects, got, c.want)
		}
		want := "make the lines flat with  " + flatten
		if c.remedy != "flat" {
			want = "JSONConfig.Values=" + c.remedy + " reads " + c.remedy + " alone"
		}
		if got := n.Remedy(set); got != want {
			t.Errorf("%s: %s, want %s", c.objects, got, want)
		}
	}
	if got, want := NestedValues([]byte(` {"in": {"a": 1, "b": 2, "in.host": 1}} `), "", "in.host", nil, set), "the numbers in.a, in.b, in.in.host stand within objects: JSONConfig.Values=in reads in alone"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := NestedValues([]byte(`{"a": 1}`), "", "", nil, set); got != "" {
		t.Error(got)
	}
	names := []string{"a", "b", "c", "d", "e", "f", "g"}
	for n, want := range map[int]string{0: "", 1: "a", 5: "a, b, c, d, e", 6: "a, b, c, d, e and 1 more", 7: "a, b, c, d, e and 2 more"} {
		if got := SomeOf(names[:n]); got != want {
			t.Errorf("%d names: %s, want %s", n, got, want)
		}
	}
}
