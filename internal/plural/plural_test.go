package plural_test

import (
	"testing"

	"github.com/orffvar/forecaster/internal/plural"
)

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 edges", 1: "1 edge", 2: "2 edges", 1234: "1234 edges"} {
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
