package sniff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream/format"
)

// jsonLines returns n objects with a time of an hour after that of the one before.
func jsonLines(n int, members func(i int) string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"time": "%s", %s}`+"\n", hours(i, ""), members(i))
	}
	return b.String()
}

// TestJSONMembers: what JSON leaves out is said with the setting for it, and members separate series by the rules for
// columns.
func TestJSONMembers(t *testing.T) {
	const flat = `make the lines flat with  jq -c '[paths(type != "object" and type != "array") as $p | {key: $p | map(tostring) | join("."), value: getpath($p)}] | from_entries' IN > OUT.jsonl`
	same := func(text string) string { return jsonLines(3, func(int) string { return text }) }
	turns := func(texts ...string) string {
		return jsonLines(40, func(i int) string { return texts[i%len(texts)] + fmt.Sprintf(`, "v": %d.5`, i*i) })
	}
	for _, c := range []struct {
		name, text string
		config     format.JSONConfig
		want       string
	}{
		{"numbers", same(`"a": 1, "b": 2`), format.JSONConfig{}, ""},
		{"values", same(`"values": {"a": 1}`), format.JSONConfig{}, ""},
		{"values in an array", same(`"values": [1, 2], "a": 1`), format.JSONConfig{}, "a left out, beside the object values (JSONConfig.Values=values)"},
		{"numbers beside values", same(`"a": 1, "values": {"b": 1}, "c": true`), format.JSONConfig{}, "a, c left out, beside the object values (JSONConfig.Values=values)"},
		{"numbers within objects", same(`"a": 1, "in": {"b": 1, "c": 2}`), format.JSONConfig{}, "in.b, in.c left out (JSONConfig.Values=in reads in alone) (JSONConfig.Values=.)"},
		{"numbers within several objects", same(`"a": 1, "in": {"b": 1}, "out": {"b": 1, "c": 2}`), format.JSONConfig{}, "in.b, out.b, out.c left out (JSONConfig.Values=out reads out alone) (JSONConfig.Values=.)"},
		{"numbers within objects with text", same(`"a": 1, "in": {"b": 1, "c": "x"}`), format.JSONConfig{}, "in.b left out (" + flat + ") (JSONConfig.Values=.)"},
		{"numbers within objects with the series", same(`"a": 1, "in": {"b": 1, "host": "x"}`), format.JSONConfig{Series: "in.host"}, "in.b left out (JSONConfig.Values=in reads in alone) (JSONConfig.Values=.)"},
		{"numbers within arrays of objects", same(`"a": 1, "in": {"x": [{"b": 1}, 5, {"b": 2}]}`), format.JSONConfig{}, "in.x.b, in.x left out (" + flat + ") (JSONConfig.Values=.)"},
		{"more than five numbers", same(`"a": 1, "in": {"b": 1, "c": 2, "d": 3, "e": 4, "f": 5, "g": 6, "h": 7}`), format.JSONConfig{}, "in.b, in.c, in.d, in.e, in.f and 2 more left out (JSONConfig.Values=in reads in alone) (JSONConfig.Values=.)"},
		{"only numbers within objects", same(`"in": {"b": 1}`), format.JSONConfig{}, ""}, // the decoder refuses them with the remedy
		{"values configured", same(`"a": 1, "in": {"b": 1}`), format.JSONConfig{Values: "in"}, ""},
		{"a constant text", same(`"a": 1, "t": "x"`), format.JSONConfig{}, ""},
		{"a text", jsonLines(3, func(i int) string { return fmt.Sprintf(`"a": 1, "t": "x%d"`, i) }), format.JSONConfig{}, "text of t left out (JSONConfig.Values=.)"},
		{"texts beside values", jsonLines(3, func(i int) string { return fmt.Sprintf(`"values": {"a": 1}, "t": "x%d", "u": "y%d"`, i, i) }), format.JSONConfig{}, "text of t, u left out (JSONConfig.Values=values)"},
		{"text that is a tag", jsonLines(3, func(i int) string { return fmt.Sprintf(`"a": 1, "t": "x%d"`, i) }), format.JSONConfig{Tags: []string{"t"}}, ""},
		{"text that is the series", jsonLines(3, func(i int) string { return fmt.Sprintf(`"a": 1, "t": "x%d"`, i) }), format.JSONConfig{Series: "t"}, ""},
		{"numbers that are tags", same(`"a": 1, "b": 2, "values": {"c": 1}`), format.JSONConfig{Series: "a", Tags: []string{"b"}}, ""},
		{"series", turns(`"host": "x"`, `"host": "y"`), format.JSONConfig{}, "Series=host a series for each host (JSONConfig.Series=host)"},
		{"series of a number", turns(`"host": 1`, `"host": 2`), format.JSONConfig{}, "Series=host a series for each host (JSONConfig.Series=host)"},
		{"series configured", turns(`"host": "x", "t": "x"`, `"host": "y", "t": "y"`), format.JSONConfig{Series: "host"}, "text of t left out (JSONConfig.Values=.)"},
		{"long", turns(`"host": "x"`, `"host": "y"`), format.JSONConfig{Long: true}, ""},
		{"times as months", `{"time": 202601, "a": 1}` + "\n" + `{"time": 202602, "a": 1}` + "\n", format.JSONConfig{}, "TimeUnit=yyyymm times are months such as 202601 (CSVConfig.TimeUnit=yyyymm)"},
		{"another name of the time", `{"ts": 202601, "a": 1}` + "\n" + `{"ts": 202602, "a": 1}` + "\n", format.JSONConfig{}, "TimeUnit=yyyymm times are months such as 202601 (CSVConfig.TimeUnit=yyyymm)"},
		{"a configured name of the time", `{"at": 202601, "year": 1}` + "\n" + `{"at": 202602, "year": 1}` + "\n", format.JSONConfig{Time: "at", TimeUnit: "yyyymm"}, "TimeUnit=yyyymm"},
		{"a broken line before", `{"ti` + "\n" + `{"ts": 202601, "a": 1}` + "\n" + `{"ts": 202602, "a": 1}` + "\n", format.JSONConfig{}, "TimeUnit=yyyymm times are months such as 202601 (CSVConfig.TimeUnit=yyyymm)"},
		{"no time", `{"at": 7, "a": 1}` + "\n" + `{"at": 8, "a": 1}` + "\n", format.JSONConfig{}, ""},
		{"empty", "", format.JSONConfig{}, ""},
		{"an envelope of Connect", strings.Repeat(`{"schema": {}, "payload": {"time": 1, "t": "x"}}`+"\n", 2), format.JSONConfig{}, "the record of a message is payload, paths begin there"},
		{"an envelope of Debezium", strings.Repeat(`{"before": null, "after": {"time": 1}, "op": "c", "ts_ms": 1}`+"\n", 2), format.JSONConfig{}, "the record of a message is after, paths begin there"},
		{"an envelope of both", strings.Repeat(`{"schema": {}, "payload": {"before": null, "after": {"time": 1}, "op": "c", "source": {}}}`+"\n", 2), format.JSONConfig{}, "the record of a message is payload.after, paths begin there"},
		{"a member payload beside a time", same(`"payload": {"a": 1}, "b": 1`), format.JSONConfig{}, "payload.a left out (JSONConfig.Values=payload reads payload alone) (JSONConfig.Values=.)"},
	} {
		config, found, err := JSON([]byte(c.text), false, c.config)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var parts []string
		if config.Series != c.config.Series {
			parts = append(parts, "Series="+config.Series)
		}
		if config.TimeUnit != "" {
			parts = append(parts, "TimeUnit="+string(config.TimeUnit))
		}
		for _, a := range found {
			text := a.Text
			if a.Field != "" {
				text += " (" + a.Field + "=" + a.Value + ")"
			}
			parts = append(parts, text)
		}
		if got := strings.Join(parts, " "); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestJSONTags: several members together separate series; a member that may separate them is refused, unless a
// setting decides.
func TestJSONTags(t *testing.T) {
	var pairs, uneven strings.Builder
	for i := range 40 {
		fmt.Fprintf(&pairs, `{"time": "%s", "a": "%c", "b": "%c", "v": %d.5}`+"\n", hours(i/4, ""), "xy"[i%2], "uw"[i/2%2], i*i)
		fmt.Fprintf(&uneven, `{"time": %d, "a": "%c", "v": %d.5}`+"\n", 1767225600+60*(i/4*15+1<<(i%4)), "xy"[i%2], i*i%7)
	}
	c, found, err := JSON([]byte(pairs.String()), false, format.JSONConfig{})
	if err != nil || len(found) != 1 || found[0].Text != "a series for each a and b" || found[0].Field != "JSONConfig.Tags" || found[0].Value != "a,b" || strings.Join(c.Tags, ",") != "a,b" {
		t.Errorf("tags %q, %v, %v", c.Tags, found, err)
	}
	const want = "a may tell several series apart, whose rows alternate at uneven times: say JSONConfig.Series=a for a series of each, or JSONConfig.Values=. for one series"
	if _, _, err := JSON([]byte(uneven.String()), false, format.JSONConfig{}); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	for _, c := range []format.JSONConfig{{Values: format.Flat}, {Series: "a"}, {Tags: []string{"a"}}} {
		if _, found, err := JSON([]byte(uneven.String()), false, c); err != nil || len(found) > 0 {
			t.Errorf("%+v: %v, %v", c, found, err)
		}
	}
}
