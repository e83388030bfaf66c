package file

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

// tsfText is what readTSF makes of a text; "!": the error.
func tsfText(t *testing.T, text string) string {
	t.Helper()
	path := t.TempDir() + "/x.tsf"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := readTSF(f, int64(len(text)), new(SourceConfig))
	if err != nil {
		return "!" + err.Error()
	}
	rows, err := io.ReadAll(r)
	if err != nil {
		return "!" + err.Error()
	}
	return string(rows)
}

// TestTSFRows: each value of each series has its row, whatever the order of the attributes.
func TestTSFRows(t *testing.T) {
	const head, named = "@attribute start date\n@frequency hourly\n@data\n", "@attribute name string\n@attribute start date\n@frequency hourly\n@data\n"
	for text, want := range map[string]string{
		head + "2020-01-31 23-00-00:1,?,-3.5\n":                               "T4,2020-01-31T23:00:00Z,1\nT4,2020-02-01T00:00:00Z,\nT4,2020-02-01T01:00:00Z,-3.5\n",
		head + "2020-01-31 23:00:00:1":                                        "!line 4: start \"2020-01-31 23\" is no time such as 1979-01-01 00-00-00",
		head + "2020-01-31: 1 , ? \n\n# x\n2020-02-01:2":                      "T4,2020-01-31T00:00:00Z,1\nT4,2020-01-31T01:00:00Z,\nT7,2020-02-01T00:00:00Z,2\n",
		"# x\n\n@RELATION r\n" + named + "a:2020-01-01:1\nb,c:2020-01-01:2\n": "a,2020-01-01T00:00:00Z,1\n\"b,c\",2020-01-01T00:00:00Z,2\n",
		"@attribute start date\n@attribute end date\n@attribute place string\n@frequency daily\n@data\n2020-01-01:2021-01-01:a:1,2\n": "2021-01-01,2020-01-01T00:00:00Z,1\n2021-01-01,2020-01-02T00:00:00Z,2\n",
		"@attribute start date\n@attribute place string\n@attribute kind string\n@frequency daily\n@data\n2020-01-01:a:x:1\n":         "a,2020-01-01T00:00:00Z,1\n",
		named + "a:2020-01-01\n":         "!line 5 has 2 fields, 2 attributes and the values were expected",
		named + "a:noon:1\n":             "!line 5: start \"noon\" is no time such as 1979-01-01 00-00-00",
		"@attribute start\n" + head:      "!line 1: @attribute needs a name and a type",
		"@frequency\n" + head:            "!line 1: @frequency needs a value",
		"@attribute start date\n@data\n": "!the file has no @frequency, so its rows have no times: add a line such as  @frequency hourly",
		"@frequency hourly\n@data\n":     "!the series have no start (@attribute start_timestamp date), so their rows have no times: add one, or write a CSV file with a column of times",
		"@frequency hourly\n":            "!a TSF file has a line @data before its series, and this one has none",
		"":                               "!a TSF file has a line @data before its series, and this one has none",
		head:                             "",
	} {
		if got := strings.TrimPrefix(tsfText(t, text), "unique_id,ds,y\n"); got != want {
			t.Errorf("%q:\ngot  %q\nwant %q", text, got, want)
		}
	}
	var values, want strings.Builder // more than are written at once, in a line that is longer than the buffer
	for i := range 20_000 {
		fmt.Fprintf(&values, ",%d", i)
		fmt.Fprintf(&want, "a,2020-01-01T%02d:%02d:%02dZ,%d\n", i/3600, i/60%60, i%60, i)
	}
	if got := tsfText(t, strings.Replace(named, "hourly", "1_seconds", 1)+"a:2020-01-01:"+values.String()[1:]); got != "unique_id,ds,y\n"+want.String() {
		t.Errorf("a long series has %d bytes of rows, want %d", len(got), want.Len())
	}
}

// TestTSFFrequencies: the second and the third value of a series with each frequency, from the end of a month on.
func TestTSFFrequencies(t *testing.T) {
	for frequency, want := range map[string][2]string{
		"yearly": {"2021-01-31T00:00:00Z", "2022-01-31T00:00:00Z"}, "quarterly": {"2020-04-30T00:00:00Z", "2020-07-31T00:00:00Z"}, "monthly": {"2020-02-29T00:00:00Z", "2020-03-31T00:00:00Z"},
		"weekly": {"2020-02-07T00:00:00Z", "2020-02-14T00:00:00Z"}, "daily": {"2020-02-01T00:00:00Z", "2020-02-02T00:00:00Z"}, "Hourly": {"2020-01-31T01:00:00Z", "2020-01-31T02:00:00Z"},
		"half_hourly": {"2020-01-31T00:30:00Z", "2020-01-31T01:00:00Z"}, "minutely": {"2020-01-31T00:01:00Z", "2020-01-31T00:02:00Z"}, "secondly": {"2020-01-31T00:00:01Z", "2020-01-31T00:00:02Z"},
		"4_seconds": {"2020-01-31T00:00:04Z", "2020-01-31T00:00:08Z"}, "10_minutes": {"2020-01-31T00:10:00Z", "2020-01-31T00:20:00Z"}, "6_hours": {"2020-01-31T06:00:00Z", "2020-01-31T12:00:00Z"},
		"1_hours": {"2020-01-31T01:00:00Z", "2020-01-31T02:00:00Z"}, "999999_seconds": {"2020-02-11T13:46:39Z", "2020-02-23T03:33:18Z"},
		"0_minutes": {}, "-1_minutes": {}, "1000000_seconds": {}, "3_weeks": {}, "often": {}, "x_minutes": {},
	} {
		wanted := "unique_id,ds,y\nT4,2020-01-31T00:00:00Z,1\nT4," + want[0] + ",2\nT4," + want[1] + ",3\n"
		if want[0] == "" {
			wanted = "!line 2: @frequency " + frequency + " is not known: yearly, quarterly, monthly, weekly, daily, hourly, half_hourly, minutely, secondly, and N_minutes or N_seconds are"
		}
		if got := tsfText(t, "@attribute start date\n@frequency "+frequency+"\n@data\n2020-01-31:1,2,3\n"); got != wanted {
			t.Errorf("%s:\ngot  %q\nwant %q", frequency, got, wanted)
		}
	}
}
