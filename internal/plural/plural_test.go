package plural_test

import (
	"testing"

	"github.com/orffvar/forecaster/internal/plural"
)

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 edges", 1: "1 edge", 2: "2 edges", 1234: "1,234 edges"} {
		if got := plural.Count(n, "edge"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for one, many := range map[string]string{"anomaly": "anomalies", "day": "days", "series": "series"} {
		if got := plural.Noun(1, one) + " " + plural.Noun(2, one); got != one+" "+many {
			t.Errorf("got %q, want %q", got, one+" "+many)
		}
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 999: "999", 1000: "1,000", -999: "-999", -1000: "-1,000", -100000: "-100,000", 1234567890: "1,234,567,890",
	} {
		if got := plural.Thousands(n); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
