package sniff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream/format"
)

// TestNumbersAsIDs: whole numbers name series where the column has the name of an identifier and they
// alternate, or where each time has a row of each of them. Where they tell the rows of one time apart
// alone, the setting is named, and nothing is assumed. Values do not repeat so often.
func TestNumbersAsIDs(t *testing.T) {
	var ids, values, single, panel, uneven strings.Builder
	panel.WriteString("time,shelf,value\n")
	uneven.WriteString("time,shelf,value\n")
	ids.WriteString("time,sensor_id,value\n")
	values.WriteString("time,count,value\n")
	single.WriteString("time,sensor_id,value\n")
	for i := range 60 {
		fmt.Fprintf(&ids, "2026-01-%02d,%d,%d\n", 1+i/3, 7+i%3, i*i)
		fmt.Fprintf(&values, "2026-01-%02d,%d,%d.5\n", 1+i/3, i*i, i)
		fmt.Fprintf(&panel, "2026-01-%02d,%d,%d\n", 1+i/3, 7+i%3, i*i)
		fmt.Fprintf(&uneven, "2026-01-%02d,%d,%d\n", 1+i/3, 7+(i+i/3)%5, i*i)
		fmt.Fprintf(&single, "2026-%02d-%02d,%d,%d\n", 1+i/28, 1+i%28, i%3, i*i)
	}
	for text, want := range map[string]string{
		ids.String():    "a series for each sensor_id",
		values.String(): "",
		single.String(): "a series for each sensor_id",
		panel.String():  "a series for each shelf",
		uneven.String(): "rows of one time have other numbers in column shelf (CSVConfig.Series=shelf makes a series for each)",
	} {
		s, err := sniff(t, text, format.CSVConfig{})
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, a := range s.Assumptions {
			said = append(said, a.Text)
			if a.Usual != (s.CSV.Series == nil) {
				t.Errorf("strict reading must refuse a series alone, got %v", a)
			}
		}
		if got := strings.Join(said, ", "); got != want {
			t.Errorf("said %q, series %v, want %q\n%s", got, s.CSV.Series, want, text[:60])
		}
	}
}
