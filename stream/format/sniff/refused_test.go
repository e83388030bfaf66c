package sniff

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream/format"
)

// TestTablesWithoutTimes: a table whose rows have no time is refused with what it has instead, and with the remedy.
func TestTablesWithoutTimes(t *testing.T) {
	const forms = "name the column with CSVConfig.Time=NAME, or the form of its times with CSVConfig.TimeUnit=%d.%m.%Y (as strftime has it); times are RFC 3339, 2006-01-02 15:04:05, 2006/1/2, 2 Jan 2006, Jan 2006, 01/2006, 2006Q1, 2006-W01 or seconds since 1970, 20060102, or with CSVConfig.DateOrder=dmy (or mdy) 31.12.2006"
	const turn = ", a row for each time was expected: turn the table with  python3 -c 'import pandas; pandas.read_csv(\"IN\", sep=\"%s\", skiprows=%d)%s'"
	uneven := func(first int) func(i int) string {
		return func(i int) string { return fmt.Sprintf("%d,%d.5", first+i*i*7%5, i) }
	}
	for _, c := range []struct{ name, text, want string }{
		{"times across", "name,2020-01,2020-02,2020-03\nload,1,2,3\nwind,4,5,6\n", "the times are in the header (2020-01 to 2020-03)" + fmt.Sprintf(turn, ",", 0, `.set_index("name").T.rename_axis("time").to_csv("OUT")`)},
		{"years across, below a comment", "# Load\nname;2020;2021;2022\nload;1;2;3\nwind;4;5;6\n", "the times are in the header (2020 to 2022)" + fmt.Sprintf(turn, ";", 1, `.set_index("name").T.rename_axis("time").to_csv("OUT")`)},
		{"years of the World Bank", "name,code,1990 [YR1990],1991 [YR1991],1992 [YR1992]\nload,a,1,2,3\nwind,b,4,5,6\n", "the times are in the header (1990 [YR1990] to 1992 [YR1992])" + fmt.Sprintf(turn, ",", 0, `.melt(["name", "code"], var_name="time").to_csv("OUT", index=False)`)},
		{"two times across", "name,2020-01,2020-02\nload,1,2\nwind,4,5\n", "no column has times, column name has \"load\": " + forms},
		{"times across and a sum", "name,2020-01,2020-02,2020-03,sum\nload,1,2,3,6\nwind,4,5,6,15\n", "no column has times, column name has \"load\": " + forms},
		{"numbers that rise and fall", lines("a,b", 9, uneven(10)), "no column has times, the first one (a) has numbers that rise and fall: name the column with CSVConfig.Time=NAME; a file without times gets numbers of its lines with  awk 'NR == 1 {print \"step,\" $0; next} {print NR - 2 \",\" $0}' IN > OUT"},
		{"texts", "a,b\nx,1\ny,2\n", "no column has times, column a has \"x\": " + forms},
		{"a text in a column of times", "b,time\n1,x\n2,soon\n", "no column has times, column time has \"x\": " + forms},
		{"a long text", "a,b\n" + strings.Repeat("x", 41) + ",1\ny,2\n", "no column has times, column a has \"" + strings.Repeat("x", 40) + "...\": " + forms},
		{"dates without a year", "day;b\n01-06;1\n01-07;2\n", `column day has dates without a year, such as "01-06": put it before them with  awk -F";" -v OFS=";" 'NR > 1 {$1 = "2026-" $1} 1' IN > OUT, and name their form, such as CSVConfig.TimeUnit=%Y-%m-%d`},
		{"months and days", "b,day\n1,Jan 6\n3,Jan 7\n2,Jan 8\n", `column day has dates without a year, such as "Jan 6": put it before them with  awk -F, -v OFS=, 'NR > 1 {$2 = "2026-" $2} 1' IN > OUT, and name their form, such as CSVConfig.TimeUnit=%Y-%m-%d`},
		{"dates of an unknown order", "b,day\n1,01.02.2026\n2,02.02.2026\n", `column "day" has dates such as "01.02.2026", whose order of day and month is not known: say CSVConfig.DateOrder=dmy (day first) or mdy (month first)`},
		{"one column of blanks", "date   a\n2025-01-06   1\n2025-01-07   2\n", "2 columns stand behind blanks: put commas between them with  sed -E 's/^ +//; s/ +/,/g' IN > OUT.csv"},
		{"months as fractions", "year,b\n1990.25,1\n1990.5,2\n1990.75,3\n", ""},
		{"months as fractions of an index", "Index,b\n1990.25,1\n1990.5,2\n1990.75,3\n", "the numbers of column Index, such as 1990.25, seem to be years with a fraction: write dates with  awk -F, -v OFS=, 'NR > 1 {y = int($1); m = int(($1 - y) * 12 + 1.5); if (m > 12) {y++; m = 1}; $1 = sprintf(\"%04d-%02d-01\", y, m)} 1' IN > OUT, and if they are seconds, say CSVConfig.TimeUnit=s"},
		{"days as fractions of an index", "# x\nIndex,b\n1990.01,1\n1990.02,2\n1990.03,3\n", "the numbers of column Index, such as 1990.01, seem to be years with a fraction: write dates with  awk -F, -v OFS=, 'NR > 2 {y = int($1); n = y % 4 == 0 && y % 100 != 0 || y % 400 == 0 ? 366 : 365; d = int(($1 - y) * n + 1.5); if (d > n) {y++; d = 1}; $1 = sprintf(\"%04d-%03d\", y, d)} 1' IN > OUT, and if they are seconds, say CSVConfig.TimeUnit=s"},
		{"whole numbers like years of an index", "Index,b\n1990,1\n1991,2\n1992,3\n", ""},
		{"times before 1980", lines("time,b", 9, func(i int) string { return fmt.Sprintf("%d,1", 200_000_000+i) }), "the times in column time would begin at 1976-05-03T19:33:20Z (200000000): name their form with CSVConfig.TimeUnit=s"},
		{"times of a later unit", lines("time,b", 9, func(i int) string { return fmt.Sprintf("%d,1", 133_801_632_000_000_000+i) }), "the times in column time would begin at 1974-03-29T15:07:12Z (133801632000000000): name their form with CSVConfig.TimeUnit=filetime"},
		{"steps", lines("t,b", 9, func(i int) string { return fmt.Sprintf("%d,1", 99_999_990+i) }), ""},
		{"a unit in half of the cells", "time,b\n2026-01-01,1 MB\n2026-01-02,2 GB\n2026-01-03,3 MB\n", "column b has numbers in MB and in GB: write them in one unit with  sed -E 's/([0-9]) GB([[:space:]\",;|]|$)/\\1e3 MB\\2/g' IN > OUT"},
		{"units without a factor", "time,b\n2026-01-01,1 MB\n2026-01-02,2 kg\n2026-01-03,3 MB\n", "column b has numbers in MB and in kg: write them in one unit with  a program that knows them"},
		{"a multiple beside none", "time,b\n2026-01-01,1k\n2026-01-02,2k\n2026-01-03,3\n2026-01-04,0\n", "column b has numbers in k and such as 3 without it: write them in one unit with  sed -E 's/([0-9])k([[:space:]\",;|]|$)/\\1e3\\2/g' IN > OUT"},
		{"a multiple beside 0 and none", "time,b\n2026-01-01,1k\n2026-01-02,0\n2026-01-03,\n2026-01-04,4k\n", ""},
		{"shares beside per cents", "time,b\n2026-01-01,10 %\n2026-01-02,.11\n2026-01-03,12 %\n", "column b has numbers in % and such as .11 without it: write them in one unit with  sed -E 's/([0-9]) %([[:space:]\",;|]|$)/\\1e-2\\2/g' IN > OUT, and first write the sign behind .11 if it is no share of 1"},
		{"per cents with and without the sign", "time,b\n2026-01-01,10%\n2026-01-02,11\n2026-01-03,0\n2026-01-04,0.5%\n", ""},
		{"lines of the Mac", "time,b\r2026-01-01,1\r2026-01-02,2", `the lines end with CR alone, as old programs of the Mac write them: write them anew with  tr '\r' '\n' < IN > OUT`},
		{"texts with line breaks", "time,b,c\n2026-01-01,1,\"x\ny\"\n2026-01-02,2,\"x\ny\"\n", "texts in quotes have line breaks, and a row is a line: write it so with  python3 -c 'import csv, sys; csv.writer(sys.stdout, delimiter=\",\").writerows([\" \".join(c.split()) for c in r] for r in csv.reader(sys.stdin, delimiter=\",\"))' < IN > OUT"},
		{"a name with a line break", lines("time,\"b\nc\"", 20, func(i int) string { return hours(i, ",1") }), "texts in quotes have line breaks, and a row is a line: write it so with  python3 -c 'import csv, sys; csv.writer(sys.stdout, delimiter=\",\").writerows([\" \".join(c.split()) for c in r] for r in csv.reader(sys.stdin, delimiter=\",\"))' < IN > OUT"},
		{"a name without the end of its quote", lines("time,\"b", 20, func(i int) string { return hours(i, ",1") }), ""},
		{"one text with line breaks of ten lines", lines("time,b,c", 10, func(i int) string { return hours(i, fmt.Sprint(",1,x", map[bool]string{true: "\"\ny\""}[i == 5])) }), ""},
	} {
		got := decided(t, c.text, format.CSVConfig{})
		if text, refused := strings.CutPrefix(got, "error: "); refused != (c.want != "") || refused && text != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestMarksOfNumbers: the marks of numbers follow from cells that allow one reading alone.
func TestMarksOfNumbers(t *testing.T) {
	tens := func(cell string) []string { return slices.Repeat([]string{cell}, 10) }
	for _, c := range []struct {
		comma string
		cells []string
		want  string // fields and assumptions
	}{
		{",", []string{"1.5", "2"}, ""},
		{",", []string{"1.5", "2.345"}, ""},
		{",", []string{"1.234", "2"}, ""}, // commas between fields are no decimal commas
		{"|", []string{"1.234", "2"}, "Comma=| | separator | | 1.234 of column load has a decimal point (CSVConfig.Thousands=. reads 1234)"},
		{",", []string{"1,234.5", "2"}, "Thousands=, | commas between thousands"},
		{",", []string{"1,234", "2"}, "Thousands=, | commas between thousands"},
		{";", []string{"1,234", "2"}, "Decimal=, | separator ; | decimal comma (CSVConfig.Thousands=, reads 1,234 as 1234)"},
		{";", []string{"1,234,567", "2"}, "Thousands=, | separator ; | commas between thousands"},
		{";", []string{"1.234", "2,5"}, "Decimal=, Thousands=. | separator ; | decimal comma | points between thousands"},
		{";", []string{"1.234,5", "2"}, "Decimal=, Thousands=. | separator ; | decimal comma | points between thousands"},
		{";", []string{"1,5", "2,25"}, "Decimal=, | separator ; | decimal comma"},
		{";", []string{"1,234", "2,5"}, "Decimal=, | separator ; | decimal comma"},
		{";", []string{"1,234", "2.5"}, "Thousands=, | separator ; | commas between thousands"},
		{";", []string{"1.234.567", "2"}, "Decimal=, Thousands=. | separator ; | decimal comma | points between thousands"},
		{";", []string{"1 234,5", "2"}, "Decimal=, Thousands= | separator ; | blanks between thousands | decimal comma"},
		{";", []string{"1'234.5", "2"}, "Thousands=' | separator ; | apostrophes between thousands"},
		{";", []string{"1'234", "2,5"}, "Decimal=, Thousands=' | separator ; | apostrophes between thousands | decimal comma"},
		{";", []string{"1'234", "2"}, "Thousands=' | separator ; | apostrophes between thousands"},
		{";", append(tens("1.234"), "950", "120"), "Decimal=, Thousands=. | separator ; | points between thousands (1.234 is 1234)"},
		{";", append(tens("1.234")[1:], "950", "120"), "| separator ; | 1.234 of column load has a decimal point (CSVConfig.Thousands=. reads 1234)"},
		{";", append(tens("1.234"), "950"), "| separator ; | 1.234 of column load has a decimal point (CSVConfig.Thousands=. reads 1234)"},
		{";", append(tens("1.234"), "950", "950"), "| separator ; | 1.234 of column load has a decimal point (CSVConfig.Thousands=. reads 1234)"},
		{";", append(tens("1.234"), "950", "099"), "| separator ; | 1.234 of column load has a decimal point (CSVConfig.Thousands=. reads 1234)"},
		{";", append(tens("1.234"), "950", "99"), "| separator ; | 1.234 of column load has a decimal point (CSVConfig.Thousands=. reads 1234)"},
		{";", append(tens("1.234"), "950", "100", "1000"), "| separator ; | 1.234 of column load has a decimal point (CSVConfig.Thousands=. reads 1234)"},
		{";", append(tens("12.345"), "950", "120"), "| separator ; | 12.345 of column load has a decimal point (CSVConfig.Thousands=. reads 12345)"},
		{";", append(tens("-1.234"), "+950", "120", "x"), "Decimal=, Thousands=. | separator ; | points between thousands (-1.234 is -1234)"},
		{";", append(tens("1,234"), "950", "120"), "Thousands=, | separator ; | commas between thousands"},
	} {
		got := decided(t, table(c.comma, c.cells), format.CSVConfig{})
		for _, usual := range []string{"Header=day,load", "Comma=, ", "Comma=;", "Time=day", "Values=load"} {
			got = strings.Replace(got, usual, "", 1)
		}
		if got = strings.Join(strings.Fields(got), " "); got != c.want {
			t.Errorf("%q between %q:\ngot  %s\nwant %s", c.cells, c.comma, got, c.want)
		}
	}
}

// TestNameIndex: a first column without a name has the times, unless another column may have them.
func TestNameIndex(t *testing.T) {
	for _, c := range []struct {
		config format.CSVConfig
		header string
		values []string
		err    string
	}{
		{format.CSVConfig{Header: []string{"a", "b"}}, "a,b", nil, ""},
		{format.CSVConfig{Header: []string{"", "b"}}, "time,b", nil, ""},
		{format.CSVConfig{Header: []string{"", "b", "ts"}}, "Unnamed: 0,b,ts", nil, "the first column has no name, and column ts may have the times: say CSVConfig.Time=ts"},
		{format.CSVConfig{Header: []string{"", "b", "ts"}, Time: "ts"}, "Unnamed: 0,b,ts", []string{"b"}, ""},
		{format.CSVConfig{Header: []string{"", "b", "c", "ts"}, Time: "ts", Series: []string{"c"}}, "Unnamed: 0,b,c,ts", []string{"b"}, ""},
		{format.CSVConfig{Header: []string{"", "b", "c"}, Time: "c", Values: []string{"c"}}, "Unnamed: 0,b,c", []string{"c"}, ""},
		{format.CSVConfig{Header: []string{"", "b", "c"}, Time: "c", Variable: "b"}, "Unnamed: 0,b,c", nil, ""},
	} {
		err := NameIndex(&c.config)
		if got := strings.Join(c.config.Header, ","); got != c.header || !slices.Equal(c.config.Values, c.values) || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("%s, values %q, %v; want %s, %q, %s", got, c.config.Values, err, c.header, c.values, c.err)
		}
	}
}

// TestCenturiesOfDates: numbers of eight digits are dates from 1800 to 2100.
func TestCenturiesOfDates(t *testing.T) {
	for year, dates := range map[int]bool{1799: false, 1800: true, 2099: true, 2100: false, 2101: false} {
		text := lines("day,v", 9, func(i int) string { return fmt.Sprintf("%d1%d01,%d.5", year, i%3, i) })
		if got := decided(t, text, format.CSVConfig{}); strings.Contains(got, "TimeUnit=yyyymmdd") != dates {
			t.Errorf("%d: %s", year, got)
		}
	}
}
