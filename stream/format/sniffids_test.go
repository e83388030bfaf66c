package format

import (
	"fmt"
	"strings"
	"testing"
)

// TestNumbersAsIDs: a column of whole numbers that tells rows of one time apart is named with its
// setting, and nothing is assumed. Values do not repeat so often, and unique times need no series.
func TestNumbersAsIDs(t *testing.T) {
	var ids, values, single strings.Builder
	ids.WriteString("time,sensor_id,value\n")
	values.WriteString("time,count,value\n")
	single.WriteString("time,sensor_id,value\n")
	for i := range 60 {
		fmt.Fprintf(&ids, "2026-01-%02d,%d,%d\n", 1+i/3, 7+i%3, i*i)
		fmt.Fprintf(&values, "2026-01-%02d,%d,%d.5\n", 1+i/3, i*i, i)
		fmt.Fprintf(&single, "2026-%02d-%02d,%d,%d\n", 1+i/28, 1+i%28, i%3, i*i)
	}
	for text, want := range map[string]string{
		ids.String():    "rows of one time have other numbers in column sensor_id (--set input.csv.series_column=sensor_id makes a series for each)",
		values.String(): "",
		single.String(): "",
	} {
		s, err := SniffCSV([]byte(text), CSVConfig{})
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, a := range s.Assumptions {
			said = append(said, a.Text)
			if !a.Usual {
				t.Errorf("strict reading refuses %v", a)
			}
		}
		if got := strings.Join(said, ", "); got != want || s.CSV.Series != nil {
			t.Errorf("said %q, series %v, want %q\n%s", got, s.CSV.Series, want, text[:60])
		}
	}
}
