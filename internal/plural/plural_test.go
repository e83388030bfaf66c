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
}
