package sniff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream/format"
)

// TestSeriesColumns: a column separates series if its texts distinguish the rows of one time, or if the rows alternate
// between its texts, not if they describe the state of one thing. What may be either is refused.
func TestSeriesColumns(t *testing.T) {
	const found = "Header=time,%[1]s,v Comma=, Time=time Values=v | column %[1]s left out"
	none := func(column string) string { return fmt.Sprintf(found, column) }
	series := func(column string) string {
		return fmt.Sprintf("Header=time,%[1]s,v Comma=, Series=%[1]s Time=time Values=v | a series for each %[1]s", column)
	}
	unsure := func(column string) string {
		return fmt.Sprintf("error: %[1]s may tell several series apart, whose rows alternate at uneven times: say CSVConfig.Series=%[1]s for a series of each, or CSVConfig.Values=v for one series", column)
	}
	// uneven are steps of 1, 2, 4 and 8 minutes: less than half of them are within 10 % of their median.
	uneven := func(i int) string {
		return fmt.Sprintf("2026-01-01 %02d:%02d", (i/4*15+1<<(i%4))/60, (i/4*15+1<<(i%4))%60)
	}
	turns := func(texts ...string) func(i int) string {
		return func(i int) string { return texts[i%len(texts)] }
	}
	every := func(n int, text, other string) func(i int) string {
		return func(i int) string {
			if i%n == n-1 {
				return text
			}
			return other
		}
	}
	level := func(high float64) func(i int) float64 { // by turns 0 and high, with changes of 1 in each
		return func(i int) float64 { return float64(i%2)*high + float64(i/2%2) }
	}
	for _, c := range []struct {
		name   string
		column string
		n      int
		at     func(i int) string
		text   func(i int) string
		value  func(i int) float64
		want   string
	}{
		{"levels far apart by turns", "color", 40, nil, turns("red", "blue"), level(10), series("color")},
		{"levels as near as their changes", "color", 40, nil, turns("red", "blue"), level(2), none("color")},
		{"levels three times their changes", "color", 40, nil, turns("red", "blue"), level(3), none("color")},
		{"levels a little farther", "color", 40, nil, turns("red", "blue"), level(4.1), series("color")},
		{"levels of five rows", "color", 10, nil, turns("red", "blue"), level(10), none("color")},
		{"levels of six rows", "color", 12, nil, turns("red", "blue"), level(10), series("color")},
		{"an identifier", "host", 40, nil, turns("red", "blue"), level(2), series("host")},
		{"an identifier with five rows each", "host", 10, nil, turns("red", "blue"), level(2), series("host")},
		{"an identifier with four rows", "host", 9, nil, turns("red", "blue"), level(2), none("host")},
		{"a name of variables", "metric", 40, nil, turns("red", "blue"), level(2), series("metric")},
		{"a name of series", "series_id", 4, nil, turns("x", "x", "y", "y"), level(2), series("series_id")},
		{"a name of series with one text", "unique_id", 4, nil, turns("x"), level(2), series("unique_id")},
		{"names of days", "host", 42, nil, turns("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"), level(10), none("host")},
		{"an empty text", "host", 40, nil, turns("red", ""), level(10), none("host")},
		{"a rare text", "host", 104, nil, every(21, "rare", "usual"), level(2), none("host")},
		{"a less rare text", "host", 100, nil, every(20, "rare", "usual"), level(2), series("host")},
		{"long runs of a text", "host", 80, nil, func(i int) string { return turns("red", "blue")((i + 2) / 4) }, level(2), series("host")},
		{"longer runs of a text", "host", 80, nil, func(i int) string { return turns("red", "blue")(i / 4) }, level(2), none("host")},
		{"uneven times", "color", 40, uneven, turns("red", "blue"), level(2), unsure("color")},
		{"uneven times and levels", "color", 40, uneven, turns("red", "blue"), level(10), series("color")},
		{"even times without turns", "color", 60, nil, func(i int) string { return turns("red", "blue", "blue")(i * i / 2) }, func(i int) float64 {
			return map[string]float64{"red": 0, "blue": 50}[turns("red", "blue", "blue")(i*i/2)] + float64(i%2)
		}, none("color")},
		{"times that go back, never within a text", "color", 40, func(i int) string { return hours(i%20, "")[:14] + []string{"00", "30"}[i/20] }, func(i int) string { return turns("red", "blue")(i / 20) }, level(2), series("color")},
		{"times that go back within a text", "color", 40, func(i int) string { return hours((i+3)%20+i/20*30, "") }, func(i int) string { return turns("red", "blue")(i / 20) }, level(2), none("color")},
		{"times that go back with one text", "color", 40, func(i int) string { return hours((i+3)%40, "") }, turns("red"), level(2), none("color")},
		{"rows of one time", "color", 40, func(i int) string { return hours(i/2, "") }, turns("red", "blue"), level(2), series("color")},
		{"5 % of rows of one time", "color", 40, func(i int) string { return hours(i-i/20, "") }, func(i int) string { return turns("red", "blue")(i / 20) }, level(2), none("color")},
		{"7 % of rows of one time", "color", 45, func(i int) string { return hours(i-(i+2)/15, "") }, func(i int) string { return map[bool]string{true: "red", false: "blue"}[(i+2)%15 == 0] }, level(2), series("color")},
		{"rows of one time and text", "color", 40, func(i int) string { return hours(i/2, "") }, func(i int) string { return turns("red", "blue")(i / 2) }, level(2.5), none("color")},
		{"a text a row", "color", 40, func(i int) string { return hours(i/2, "") }, func(i int) string { return fmt.Sprint("t", i) }, level(2.5), none("color")},
	} {
		text := lines("time,"+c.column+",v", c.n, func(i int) string {
			at := hours(i, "")
			if c.at != nil {
				at = c.at(i)
			}
			return fmt.Sprintf("%s,%s,%g", at, c.text(i), c.value(i))
		})
		if got := decided(t, text, format.CSVConfig{}); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s\n%s", c.name, got, c.want, strings.SplitN(text, "\n", 9)[:8])
		}
	}
}

// TestSeriesOfSeveralColumns: the fewest columns that distinguish the rows of one time name the series. What they need
// for the long format is said with them.
func TestSeriesOfSeveralColumns(t *testing.T) {
	pairs := func(n int, texts ...string) func(i int) string { // of one time
		return func(i int) string { return hours(i/n, ",") + texts[i%len(texts)] + fmt.Sprintf(",%d.5", i*i) }
	}
	for _, c := range []struct{ name, text, want string }{
		{"one is enough", lines("time,a,b,v", 40, pairs(2, "x,u", "y,u")), "Header=time,a,b,v Comma=, Series=a Time=time Values=v | a series for each a | column b left out"},
		{"two together", lines("time,a,b,v", 40, pairs(4, "x,u", "y,u", "x,w", "y,w")), "Header=time,a,b,v Comma=, Series=a,b Time=time Values=v | a series for each a and b"},
		{"two of three", lines("time,a,b,c,v", 40, pairs(4, "x,n,u", "y,n,u", "x,n,w", "y,n,w")), "Header=time,a,b,c,v Comma=, Series=a,c Time=time Values=v | a series for each a and c | column b left out"},
		{"all three", lines("time,a,b,c,v", 80, pairs(8, "x,n,u", "y,n,u", "x,n,w", "y,n,w", "x,m,u", "y,m,u", "x,m,w", "y,m,w")), "Header=time,a,b,c,v Comma=, Series=a,b,c Time=time Values=v | a series for each a and b and c"},
		{"series named, variables not", lines("time,series,a,v", 40, pairs(4, "x,u", "y,u", "x,w", "y,w")),
			"Header=time,series,a,v Comma=, Series=series Time=time Values=v | a series for each series | column a left out (CSVConfig.Variable=a assemble.Config.Interval=1h makes a variable of each a)"},
		{"two values have no variable", lines("time,series,a,v,w", 40, func(i int) string { return pairs(4, "x,u", "y,u", "x,w", "y,w")(i) + ",1" }),
			"Header=time,series,a,v,w Comma=, Series=series Time=time Values=v,w | a series for each series | column a left out"},
		{"a variable column of two", lines("time,host,metric,v", 40, pairs(4, "x,u", "y,u", "x,w", "y,w")),
			"Header=time,host,metric,v Comma=, Series=host,metric Time=time Values=v | a series for each host and metric (CSVConfig.Series=host CSVConfig.Variable=metric assemble.Config.Interval=1h makes a variable of each metric)"},
		{"a variable column alone", lines("time,metric,v", 40, pairs(2, "x", "y")), "Header=time,metric,v Comma=, Series=metric Time=time Values=v | a series for each metric"},
		{"of Flux", lines("result,table,_start,_stop,_time,_value,_field", 40, func(i int) string {
			return fmt.Sprintf(",%d,2026-01-01T00:00:00Z,2026-02-01T00:00:00Z,%s,%d.5,%s", i/20, strings.Replace(hours(i%20, ":00Z"), " ", "T", 1), i, []string{"cpu", "mem"}[i/20])
		}), "Header=result,table,_start,_stop,_time,_value,_field Comma=, Series=_field Time=_time Values=_value | time in column _time | a series for each _field | columns result, table, _start, _stop left out"},
		{"of a panel of numbers", lines("time,shelf,v", 40, pairs(4, "7", "8", "9", "10")), "Header=time,shelf,v Comma=, Series=shelf Time=time Values=v | a series for each shelf"},
		{"of a panel with gaps", lines("time,shelf,v", 37, func(i int) string { return pairs(4, "7", "8", "9", "10")(i + i/12) }), "Header=time,shelf,v Comma=, Series=shelf Time=time Values=v | a series for each shelf"},
		{"of fractions", lines("time,shelf,v", 40, pairs(4, "7.5", "8.5", "9.5", "10.5")), "Header=time,shelf,v Comma=, Time=time Values=shelf,v"},
		{"an identifier of numbers", lines("time,sensor_id,v", 40, pairs(1, "7", "8")), "Header=time,sensor_id,v Comma=, Series=sensor_id Time=time Values=v | a series for each sensor_id"},
		{"an identifier of one number", lines("time,sensor_id,v", 40, pairs(1, "7")), "Header=time,sensor_id,v Comma=, Time=time Values=sensor_id,v"},
		{"an identifier as the only value", lines("time,sensor_id", 40, func(i int) string { return hours(i, fmt.Sprint(",", i%2)) }), "Header=time,sensor_id Comma=, Time=time Values=sensor_id"},
	} {
		if got := decided(t, c.text, format.CSVConfig{}); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestSeriesAreNotGuessed: a setting that names the series or the variable, or the values of a column, leaves nothing to
// guess.
func TestSeriesAreNotGuessed(t *testing.T) {
	text := lines("time,host,metric,v", 40, func(i int) string { return hours(i/2, []string{",x,cpu,1.5", ",y,mem,2.5"}[i%2]) })
	for _, c := range []struct {
		config format.CSVConfig
		want   string
	}{
		{format.CSVConfig{Series: []string{"metric"}}, "Header=time,host,metric,v Comma=, Series=metric Time=time Values=v | column host left out"},
		{format.CSVConfig{Variable: "metric"}, "Header=time,host,metric,v Comma=, Time=time Variable=metric"},
		{format.CSVConfig{Values: []string{"v", "host"}}, "Header=time,host,metric,v Comma=, Series=metric Time=time Values=v,host | a series for each metric"},
		{format.CSVConfig{Clock: "host"}, "Header=time,host,metric,v Comma=, Series=metric Time=time Clock=host Values=v | a series for each metric"},
	} {
		if got := decided(t, text, c.config); got != c.want {
			t.Errorf("%+v:\ngot  %s\nwant %s", c.config, got, c.want)
		}
	}
}

// TestNewestFirst: a file that only descends, with at least three steps, begins with the newest line.
func TestNewestFirst(t *testing.T) {
	for _, c := range []struct {
		times []int64
		want  bool
	}{
		{nil, false}, {[]int64{3, 2, 1}, false}, {[]int64{4, 3, 2, 1}, true}, {[]int64{4, 4, 3, 2, 2, 1}, true}, {[]int64{4, 3, 3, 2, 2}, false},
		{[]int64{5, 4, 3, 2, 3}, false}, {[]int64{4, 5, 4, 3, 2, 1}, false}, {[]int64{1, 2, 3, 4}, false},
	} {
		if got := NewestFirst(c.times); got != c.want {
			t.Errorf("%v: %v", c.times, got)
		}
	}
	text := lines("v,day", 4, func(i int) string { return fmt.Sprintf("%d.5,2026-01-%02d", i, 9-i) })
	if got, want := decided(t, text, format.CSVConfig{}), "NewestFirst Header=v,day Comma=, Time=day Values=v | time in column day | newest line first: sorted"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
