package sniff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream/format"
)

// TestLongHint: one message has all settings of the long format, with the interval where the times
// are evenly spaced.
func TestLongHint(t *testing.T) {
	for form, want := range map[string]string{
		"2026-01-01 %02d:00": " assemble.Config.Interval=1h",
		"2026-01-%02d":       " assemble.Config.Interval=24h",
		"2026-%02d-01":       "", // months
	} {
		var b strings.Builder
		b.WriteString("time,host,metric,value\n")
		for i := 1; i <= 12; i++ {
			for _, pair := range []string{"a,cpu", "a,mem", "b,cpu", "b,mem"} {
				fmt.Fprintf(&b, form+",%s,%d\n", i, pair, i)
			}
		}
		s, err := sniff(t, b.String(), format.CSVConfig{})
		text := "a series for each host and metric (CSVConfig.Series=host CSVConfig.Variable=metric" + want + " makes a variable of each metric)"
		if err != nil || len(s.Assumptions) != 1 || s.Assumptions[0].Text != text {
			t.Errorf("%v, assumed %v, want %s", err, s.Assumptions, text)
		}
	}
}
