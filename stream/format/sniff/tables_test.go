package sniff

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
)

// The command that refuses a table makes one of it that is read, with all of its values at their times.
func TestTurnedTables(t *testing.T) {
	for name, c := range map[string]struct{ text, first, values string }{
		"year, month, day and hour": {"# log\nYear;Month;Day;Hour;a\n2025;1;6;0;1,5\n2025;1;6;1;2,5\n2025;1;6;24;3,5\n", "2025-01-06T00:00:00Z", "1.5 2.5 3.5"},
		"a date before a value":     {"a,year,month\n1,2025,11\n2,2025,12\n3,2026,1\n", "2025-11-01T00:00:00Z", "1 2 3"},
		"names of months":           {"Year,Month,a\n2025,Nov,1\n2025,December,2\n2026,Jan,3\n", "2025-11-01T00:00:00Z", "1 2 3"},
		"months as fractions":       {"Index,a\n1990.833,1\n1990.917,2\n1991.000,3\n1991.083,4\n", "1990-11-01T00:00:00Z", "1 2 3 4"},
		"days as fractions":         {"Index,a\n2024.99454,1\n2024.99727,2\n2025.00000,3\n2025.00274,4\n", "2024-12-30T00:00:00Z", "1 2 3 4"},
		"CR alone":                  {"time,a\r2025-01-06,1\r2025-01-07,2\r2025-01-08,3\r", "2025-01-06T00:00:00Z", "1 2 3"},
		"a multiple beside none":    {"time,a,b\n2025-01-06,1,0.44k\n2025-01-07,2,0.41k\n2025-01-08,3,398.3\n2025-01-09,4,0\n", "2025-01-06T00:00:00Z", "1 440 2 410 3 398.3 4 0"},
		"Markdown":                  {"| time | a |\n|:---|---:|\n| 2025-01-06 | 1 |\n| 2025-01-07 |  |\n| 2025-01-08 | 3 |\n", "2025-01-06T00:00:00Z", "1 NaN 3"},
		"psql":                      {"    time    | a \n------------+---\n 2025-01-06 | 1 \n 2025-01-07 |   \n 2025-01-08 | 3 \n(3 rows)\n\n", "2025-01-06T00:00:00Z", "1 NaN 3"},
		"begin and end":             {"step,a\n2025-01-06 00:00 - 2025-01-06 01:00,1\n2025-01-06 01:00 - 2025-01-06 02:00,2\n2025-01-06 02:00 - 2025-01-06 03:00,3\n", "2025-01-06T00:00:00Z", "1 2 3"},
		"hours beside dates":        {"Date,Hour Ending,a\n2025-01-06,1,1\n2025-01-06,2,2\n2025-01-06,24,3\n", "2025-01-06T01:00:00Z", "1 2 3"},
		"weeks":                     {"year,week,a\n2025,2,1\n2025,3,2\n2025,4,3\n", "2025-01-06T00:00:00Z", "1 2 3"},
		"quarters":                  {"year,quarter,a\n2025,2,1\n2025,3,2\n2025,4,3\n", "2025-04-01T00:00:00Z", "1 2 3"},
		"days of the year":          {"Year,DOY,a\n2025,6,1\n2025,7,2\n2025,8,3\n", "2025-01-06T00:00:00Z", "1 2 3"},
		"a column for each month":   {"Year,Jan,Feb,Mar,Apr,May,Jun,Jul,Aug,Sep,Oct,Nov,Dec,Total\n2024,1,2,3,4,5,6,7,8,9,10,11,12,78\n2025,13,14,,,,,,,,,,,27\n", "2024-01-01T00:00:00Z", "1 2 3 4 5 6 7 8 9 10 11 12 13 14"},
		"blanks":                    {"date   a\n2025-01-06 00:00   1\n2025-01-06 01:00   2\n2025-01-06 02:00   3\n", "2025-01-06T00:00:00Z", "1 2 3"},
		"line breaks":               {"time,note,a\n2025-01-06,\"x\ny\",1\n2025-01-07,\"x\ny\",2\n2025-01-08,\"x\ny\",3\n", "2025-01-06T00:00:00Z", "1 2 3"},
		"multiples of a unit":       {"time,a\n2025-01-06,1 MB\n2025-01-07,2 GB\n2025-01-08,3 MB\n2025-01-09,4 GB\n", "2025-01-06T00:00:00Z", "1 2000 3 4000"},
		"shares beside per cents":   {"time,a\n2025-01-06,1%\n2025-01-07,0.5\n2025-01-08,-3%\n", "2025-01-06T00:00:00Z", "0.01 0.5 -0.03"},
		"multiples":                 {"time,a\n2025-01-06,1M\n2025-01-07,2K\n2025-01-08,3M\n2025-01-09,4K\n", "2025-01-06T00:00:00Z", "1 0.002 3 0.004"},
	} {
		_, err := sniff(t, c.text, format.CSVConfig{})
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		_, command, _ := strings.Cut(err.Error(), " with  ")
		command, _, _ = strings.Cut(command, ", and ")
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "IN"), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		sh := exec.Command("sh", "-c", strings.ReplaceAll(command, "OUT.csv", "OUT"))
		sh.Dir = dir
		if out, bad := sh.CombinedOutput(); bad != nil {
			t.Errorf("%s: %v: %v %s", name, err, bad, out)
			continue
		}
		out, err := os.ReadFile(filepath.Join(dir, "OUT"))
		if err != nil {
			t.Fatal(name, command, err)
		}
		sniffed, values := readTable(t, string(out))
		got := strings.Trim(fmt.Sprint(values), "[]")
		rows := strings.SplitN(string(out), "\n", 3)
		d, err := format.NewCSV(sniffed.CSV)
		if err != nil {
			t.Fatal(err)
		}
		var r stream.Record
		if err := d.Decode(&r, &stream.Message{Key: []byte("s"), Value: []byte(rows[1])}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if first := time.Unix(0, r.Time).UTC().Format(time.RFC3339); first != c.first || got != c.values {
			t.Errorf("%s: %s\n%s\n%v from %s on, want %v from %s on", name, command, out, got, first, c.values, c.first)
		}
	}
}

// Two tables side by side are refused with the settings that read each of them; their times may be the same.
func TestTablesBeside(t *testing.T) {
	text := "time,a,,time,b\n2025-01-06 00:00,1,,2025-01-06 00:30,10\n2025-01-06 01:00,2,,2025-01-06 01:30,20\n2025-01-06 02:00,3,,2025-01-06 02:30,30\n"
	var names format.Names
	_, err := sniff(t, text, format.CSVConfig{})
	if want := names.Set("CSVConfig.Values", "a") + "  or  " + names.Set("CSVConfig.Time", "time.1") + " " + names.Set("CSVConfig.Values", "b"); err == nil || !strings.Contains(err.Error(), want) {
		t.Fatalf("%v, want %q", err, want)
	}
	if _, err := sniff(t, text, format.CSVConfig{Time: "time.1", Values: []string{"b"}}); err != nil {
		t.Error(err)
	}
	if _, err := sniff(t, strings.ReplaceAll(text, ":30", ":00"), format.CSVConfig{}); err != nil {
		t.Error(err)
	}
}

// A number without the k of its column is refused, as it would be a thousand times too large. One without the per cent
// sign may be a share.
func TestMultipleLacksLater(t *testing.T) {
	for unit, lines := range map[string]map[string]bool{
		"k":  {"0.44k": true, "0": true, "": true, "398.3": false},
		"%":  {"0.44%": true, "0": true, "": true, "1": true, "98.3": true, "0.5": false, "-.5": false},
		" %": {"0.44 %": true, "0.5": false},
		"MB": {"0.44MB": true, "0.5": true},
	} {
		d, err := format.NewCSV(format.CSVConfig{Header: []string{"time", "a"}, Units: map[string]string{"a": unit}})
		if err != nil {
			t.Fatal(err)
		}
		for line, ok := range lines {
			var r stream.Record
			if err := d.Decode(&r, &stream.Message{Key: []byte("s"), Value: []byte("2025-01-06," + line)}); (err == nil) != ok {
				t.Errorf("%s in %s: %v", line, unit, err)
			}
		}
	}
}

// Values that look like parts of times are none: the hour of a day's peak, seconds with thousandths.
func TestPartsOfTimesThatAreValues(t *testing.T) {
	for _, text := range []string{
		"date,hour,load\n2025-01-06,17,1\n2025-01-07,18,2\n2025-01-08,17,3\n",
		"t,load\n1700.001,1\n1700.002,2\n1700.003,3\n",
	} {
		if _, err := sniff(t, text, format.CSVConfig{}); err != nil {
			t.Error(err)
		}
	}
}
