package config

import (
	"math"
	"strings"
	"testing"
)

func TestParseBound(t *testing.T) {
	for text, want := range map[string]Bound{
		"cpu >= 0 <= 100":  {"cpu", 0, 100},
		"cpu<=1e3":         {"cpu", math.Inf(-1), 1000},
		"* >= -1":          {"*", -1, math.Inf(1)},
		" cpu (%) <= 90":   {"cpu (%)", math.Inf(-1), 90},
		"a>b, c=d e>=1<=2": {"a>b, c=d e", 1, 2},
	} {
		if got, err := ParseBound(text); err != nil || got != want {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "cpu", "cpu > 0", "cpu >= x", "cpu >= 0 >= 1", "cpu >= 1 <= 1", "cpu >= NaN", ">= 0", " <= 0", "cpu <= 1 mem <= 2"} {
		if got, err := ParseBound(text); err == nil {
			t.Errorf("%q: %v, want an error", text, got)
		}
	}
}

// A variable may have one bound, from either of the two keys.
func TestLimits(t *testing.T) {
	m := Model{Bounds: []string{"cpu >= 0 <= 100"}, NonNegative: []string{"queue"}}
	if list, err := m.Ranges(); err != nil || len(list) != 2 || list[1] != (Bound{"queue", 0, math.Inf(1)}) {
		t.Errorf("%v, %v", list, err)
	}
	m.NonNegative = append(m.NonNegative, "cpu")
	if _, err := m.Ranges(); err == nil || !strings.Contains(err.Error(), `"cpu" has several bounds`) {
		t.Errorf("%v", err)
	}
}
