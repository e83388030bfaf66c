package sniff

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream/format"
)

// decided writes all that CSV has found as text: lines to skip, fields of the configuration, and assumptions; or the
// error.
func decided(t *testing.T, text string, c format.CSVConfig) string {
	t.Helper()
	s, err := sniff(t, text, c)
	if err != nil {
		return "error: " + err.Error()
	}
	var parts []string
	if s.Skip > 0 {
		parts = append(parts, fmt.Sprintf("Skip=%d", s.Skip))
	}
	if s.Comments {
		parts = append(parts, "Comments")
	}
	if s.NewestFirst {
		parts = append(parts, "NewestFirst")
	}
	v := reflect.ValueOf(s.CSV)
	for i := range v.NumField() {
		name, f := v.Type().Field(i).Name, v.Field(i)
		switch {
		case f.IsZero() || name == "Whole" || name == "Names":
		case f.Kind() == reflect.Slice:
			parts = append(parts, name+"="+strings.Join(f.Interface().([]string), ","))
		case f.Kind() == reflect.Uint8:
			parts = append(parts, name+"="+format.SeparatorName(byte(f.Uint())))
		default:
			parts = append(parts, fmt.Sprint(name, "=", f.Interface()))
		}
	}
	for _, a := range s.Assumptions {
		parts = append(parts, "| "+a.Text)
	}
	return strings.Join(parts, " ")
}

// lines returns a header and n lines of data.
func lines(header string, n int, line func(i int) string) string {
	text := header + "\n"
	for i := range n {
		text += line(i) + "\n"
	}
	return text
}

// hours begins a line with a time of one hour after that of the line before.
func hours(i int, rest string) string {
	return fmt.Sprintf("2026-01-%02d %02d:00%s", 1+i/24, i%24, rest)
}

// TestHeaders: everything above the first line of data is either part of the header or left out, and it is said.
func TestHeaders(t *testing.T) {
	const data = "2026-01-01,1,2\n2026-01-02,3,4\n2026-01-03,5,6\n"
	for _, c := range []struct{ name, text, want string }{
		{"usual", "time,a,b\n" + data, "Header=time,a,b Comma=, Time=time Values=a,b"},
		{"byte order mark", "\ufefftime,a,b\n" + data, "Header=time,a,b Comma=, Time=time Values=a,b"},
		{"levels", ",load,wind\n,north,north\n" + data, "Skip=1 Header=time,load,wind Comma=, Time=time Values=load,wind | 2 lines of the header joined"},
		{"levels that differ", ",load,load\n,north,south\n" + data, "Skip=1 Header=time,north,south Comma=, Time=time Values=north,south | 2 lines of the header joined"},
		{"merged cells", ",x,,y,\n,north,south,north,south\n2026-01-01,1,2,3,4\n2026-01-02,1,2,3,4\n2026-01-03,1,2,3,4\n",
			"Skip=1 Header=time,x_north,x_south,y_north,y_south Comma=, Time=time Values=x_north,x_south,y_north,y_south | 2 lines of the header joined"},
		{"an empty name within merged cells", ",x,,,y\n,n,s,,n\n2026-01-01,1,2,3,4\n2026-01-02,1,2,3,4\n2026-01-03,1,2,3,4\n",
			"Skip=1 Header=time,x_n,x_s,Unnamed: 3,y_n Comma=, Time=time Values=x_n,x_s,Unnamed: 3,y_n | 2 lines of the header joined | column 4 without a name is \"Unnamed: 3\""},
		{"different names are no merged cells", ",x,\n,n,s\n" + data, "Skip=1 Header=time,x_n,s Comma=, Time=time Values=x_n,s | 2 lines of the header joined"},
		{"levels above the name of the index", ",load,load\n,north,south\nday,,\n" + data, "Skip=2 Header=day,north,south Comma=, Time=day Values=north,south | 3 lines of the header joined"},
		{"levels and the name of the index", "unit,MW,m/s\nplace,north,south\nday,,\n" + data, "Skip=2 Header=day,MW_north,m/s_south Comma=, Time=day Values=MW_north,m/s_south | 3 lines of the header joined"},
		{"units below the names", "time,load,wind\n,MW,m/s\n" + data, "Skip=1 Header=time,load_MW,wind_m/s Comma=, Time=time Values=load_MW,wind_m/s | 2 lines of the header joined"},
		{"half of the names", "time,a,b\n,MW,\n" + data, "Skip=1 Header=time,a_MW,b Comma=, Time=time Values=a_MW,b | 2 lines of the header joined"},
		{"a line with missing values is data", "time,a,b\n-,NA,NA\n" + data, "Header=time,a,b Comma=, Time=time Values=a,b"},
		{"a line with a sign is data", "time,a,b\n,+x,y\n" + data, "Header=time,a,b Comma=, Time=time Values=a,b"},
		{"a line of data without a time", "time,a,b\n,,\n" + data, "Header=time,a,b Comma=, Time=time Values=a,b"},
		{"names that repeat", "time,a,a,a.1\n2026-01-01,1,2,3\n2026-01-02,3,4,5\n", "Header=time,a,a.2,a.1 Comma=, Time=time Values=a,a.2,a.1 | another column a is a.2"},
		{"three times", "time,a,a,a\n2026-01-01,1,2,3\n2026-01-02,3,4,5\n", "Header=time,a,a.1,a.2 Comma=, Time=time Values=a,a.1,a.2 | another column a is a.1 | another column a is a.2"},
		{"without a name in the middle", "time,,b\n" + data, "Header=time,Unnamed: 1,b Comma=, Time=time Values=Unnamed: 1,b | column 2 without a name is \"Unnamed: 1\""},
		{"no values", "time,a,b,c\n2026-01-01,1,NaN,\n2026-01-02,3,n/a,\n", "Header=time,a,b,c Comma=, Time=time Values=a | columns b (empty), c (empty) left out"},
		{"separator at the end of the lines", "time,a,b\n2026-01-01,1,2,\n2026-01-02,3,4,\n", "Header=time,a,b,Unnamed: 3 Comma=, Time=time Values=a,b"},
		{"separator at the end of all", "time,a,b,\n2026-01-01,1,2,\n2026-01-02,3,4,\n", "Header=time,a,b,Unnamed: 3 Comma=, Time=time Values=a,b"},
		{"index of R", "a,b\n" + data, "Header=time,a,b Comma=, Time=time Values=a,b | first column without a name"},
		{"index of R with numbers", "time,a\n1,2026-01-01,7\n2,2026-01-02,8\n3,2026-01-03,9\n",
			"Header=Unnamed: 0,time,a Comma=, Time=time Values=a | first column without a name | time in column time | column without a name left out"},
		{"another column is time", ",time,b\n" + "2026-01-01,1,2\n2026-01-02,2,3\n", "Header=Unnamed: 0,time,b Comma=, Time=Unnamed: 0 Values=time,b"},
		{"title", "Load of 2026\n\ntime,a,b\n" + data, "Skip=2 Header=time,a,b Comma=, Time=time Values=a,b | 1 line before the header left out"},
		{"20 titles", strings.Repeat("x\n", 20) + "time,a,b\n" + strings.Repeat(data, 9), "Skip=20 Header=time,a,b Comma=, Time=time Values=a,b | 20 lines before the header left out"},
		{"titles with separators", "Load,,\nof 2026,,\ntime,a,b\n" + data, "Skip=2 Header=time,a,b Comma=, Time=time Values=a,b | 2 lines before the header left out"},
		{"two columns with a title", "Load\ntime,a\n2026-01-01,1\n2026-01-02,2\n", "Skip=1 Header=time,a Comma=, Time=time Values=a | 1 line before the header left out"},
		{"sep=", "sep=;\ntime;a\n2026-01-01;1\n2026-01-02;2\n", "Skip=1 Header=time,a Comma=; Time=time Values=a"},
		{"sep= in quotes", "\"SEP=\t\"\ntime\ta\n2026-01-01\t1\n2026-01-02\t2\n", "Skip=1 Header=time,a Comma=tab Time=time Values=a"},
		{"comment", "# made by x\ntime,a,b\n" + data, "Skip=1 Comments Header=time,a,b Comma=, Time=time Values=a,b | 1 line with # left out"},
		{"comments in the data", "# made by x\n# on 2026\ntime,a,b\n# part 1\n" + data, "Skip=2 Comments Header=time,a,b Comma=, Time=time Values=a,b | 2 lines with # left out"},
		{"names in a comment", "# made by x\n# time;a;b\n" + strings.ReplaceAll(data, ",", ";"), "Skip=1 Comments Header=time,a,b Comma=; Time=time Values=a,b | names from line 2 with # | separator ;"},
		{"data in a comment", "# 2026;1;2\n" + strings.ReplaceAll("time,a,b\n"+data, ",", ";"), "Skip=1 Comments Header=time,a,b Comma=; Time=time Values=a,b | 1 line with # left out | separator ;"},
		{"header of another width in a comment", "# time,a\ntime,a,b\n" + data, "Skip=1 Comments Header=time,a,b Comma=, Time=time Values=a,b | 1 line with # left out"},
		{"empty", "\n \n", ""},
		{"header alone", "time;a;b\n", "Header=time,a,b Comma=; | separator ;"},
		{"header repeated by cat", "time,a,b\n" + data + "time,a,b\n" + data, "Header=time,a,b Comma=, Time=time Values=a,b"},
		{"only data", "1,2\n3,4\n5,6\n", "Header=1,2 Comma=,"},
		{"title above data", "Load\n2026-01-01,1,2\n2026-01-02,1,2\n", "Header=Load Comma=,"},
		{"title above data with other dates", "Load\n05.01.2026\t5,1\n06.01.2026\t6,1\n", "error: column \"Unnamed: 0\" has dates such as \"05.01.2026\\t5\", whose order of day and month is not known: say CSVConfig.DateOrder=dmy (day first) or mdy (month first)"},
	} {
		if got := decided(t, c.text, format.CSVConfig{}); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestSeparators: a separator splits nine of ten lines into as many columns as the header. A file with two separators is
// refused with the command that leaves one.
func TestSeparators(t *testing.T) {
	with := func(header string, n, other int, a, b string) string { // other lines of n have b
		return lines(header, n, func(i int) string {
			if i >= n-other {
				return hours(i, b)
			}
			return hours(i, a)
		})
	}
	const in = "make them alike with  sed "
	for _, c := range []struct{ name, text, want string }{
		{"one line of ten is short", with("time,a,b", 10, 1, ",1,2", ",1"), "Header=time,a,b Comma=, Time=time Values=a,b"},
		{"two lines of ten are short", with("time;a;b", 10, 2, ";1;2", ";1"), "error: 2 columns stand behind blanks: put commas between them with  sed -E 's/^ +//; s/ +/,/g' IN > OUT.csv"},
		{"one line of ten is long", with("time;a;b", 10, 1, ";1;2", ";1;2;3"), "Header=time,a,b Comma=; Time=time Values=a,b | separator ;"},
		{"most columns", with("time;a, x;b;c", 10, 0, ";1,5;2;3", ""), "Header=time,a, x,b,c Comma=; Time=time Decimal=, Values=a, x,b,c | separator ; | decimal comma"},
		{"separators in quotes", "time;\"a;x\";b\n2026-01-01;1;2\n2026-01-02;1;2\n", "Header=time,a;x,b Comma=; Time=time Values=a;x,b | separator ;"},
		{"header", with("time,a", 10, 0, ";1", ""), "error: the header has the separator , and the lines below it ;: " + in + "'1s/,/;/g' IN > OUT"},
		{"header below a comment", "# x\n\n" + with("time\ta", 10, 0, "|1", ""), "error: the header has the separator tab and the lines below it |: " + in + "'3s/\\t/|/g' IN > OUT"},
		{"some lines", with("time,a", 10, 4, ",1", ";1"), "error: some lines have the separator , and others ;: " + in + "'s/;/,/g' IN > OUT"},
		{"lines with tabs", with("time;a", 10, 2, ";1", "\t1"), "error: some lines have the separator ; and others tab: " + in + "'s/\\t/;/g' IN > OUT"},
		{"one of ten lines with neither", with("time,a", 10, 9, "", ";1"), "error: the header has the separator , and the lines below it ;: " + in + "'1s/,/;/g' IN > OUT"},
	} {
		if got := decided(t, c.text, format.CSVConfig{}); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}
