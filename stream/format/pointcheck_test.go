package format_test

import (
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream/format"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format/sniff"
)

// TestPointCheck: first lines of whole numbers leave open what a point is; the first number of three
// digits behind one is named, unless a later one has a fraction for sure.
func TestPointCheck(t *testing.T) {
	check := func(first string, later ...string) (*format.PointCheck, error) {
		found, err := sniff.CSV([]byte("time,a,b\n"+first), false, format.CSVConfig{})
		if err != nil {
			t.Fatal(err)
		}
		found.CSV.Header = []string{"time", "a", "b"}
		d, err := format.NewCSV(found.CSV)
		if err != nil {
			t.Fatal(err)
		}
		c := d.NewPointCheck()
		if c == nil {
			return nil, nil
		}
		for i, line := range later {
			if done, err := c.Add(&stream.Message{Offset: int64(3 + i), Value: []byte(line)}); err != nil || done {
				return c, err
			}
		}
		return c, c.Result()
	}
	const whole = "2026-01-01,800,1\n2026-01-02,900,2\n"
	for _, first := range []string{"2026-01-01,800,1.5\n2026-01-02,900,2\n", "2026-01-01,\"1,800\",1\n2026-01-02,900,2\n", "2026-01-01,1.800,1\n2026-01-02,900,2\n"} {
		if c, _ := check(first); c != nil {
			t.Errorf("%q leaves the point open", first)
		}
	}
	for _, c := range []struct {
		later []string
		want  string
	}{
		{[]string{"2026-01-03,950,3"}, ""},
		{[]string{"2026-01-03T00:00:00.250Z,950,3"}, ""},
		{[]string{"2026-01-03,1.170"}, ""},       // refused
		{[]string{"2026-01-03,1.170.000,3"}, ""}, // no number
		{[]string{"2026-01-03,1.170,3", "x,1,0.125"}, ""},
		{[]string{"2026-01-03,950,3", "2026-01-04,960,-21.375", "2026-01-04,1.170,3"}, `line 5 has -21.375 in column "b", which is -21.375 or -21375, and`},
	} {
		_, err := check(whole, c.later...)
		if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v", c.later, err)
		}
	}
}
