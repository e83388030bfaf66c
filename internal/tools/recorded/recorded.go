// Package recorded compares what tests compute with files, which UPDATE_GATES=1 writes.
package recorded

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Processors differ in the order of additions and in fused operations. The rounding errors of 1e-16 grow over some hundred
// steps of learning, but AVX-512 and pure Go differed by less than 1e-6.
const tolerance = 1e-5

var decimal = regexp.MustCompile(`-?\d+\.\d+(e[-+]\d+)?`)

// Check compares a text with a file, and the decimal numbers in it up to the tolerance.
func Check(t testing.TB, path, text string) {
	t.Helper()
	if os.Getenv("UPDATE_GATES") != "" {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got, want := strings.Split(text, "\n"), strings.Split(string(b), "\n")
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || !same(got[i], want[i]) {
			from := func(lines []string) string { return strings.Join(lines[min(i, len(lines)):min(i+3, len(lines))], "\n") }
			t.Errorf("%s:%d is\n%s\nwant\n%s", path, i+1, from(got), from(want))
			return
		}
	}
}

func same(a, b string) bool {
	return a == b || decimal.ReplaceAllString(a, "") == decimal.ReplaceAllString(b, "") &&
		slices.EqualFunc(decimal.FindAllString(a, -1), decimal.FindAllString(b, -1), func(a, b string) bool {
			x, _ := strconv.ParseFloat(a, 64) // decimal matches numbers alone
			y, _ := strconv.ParseFloat(b, 64)
			return math.Abs(x-y) <= tolerance*math.Abs(y)+1e-9
		})
}

// Digest returns a text with the number of values, the number of NaN, and a sum that depends on each value and its place.
func Digest(values []float64) string {
	sum, unknown := 0., 0
	for i, v := range values {
		if math.IsNaN(v) {
			unknown++
			continue
		}
		sum += v * (1 + math.Mod(float64(i)*math.Phi, 1))
	}
	return fmt.Sprintf("%d numbers, %d unknown, %.9e", len(values), unknown, sum)
}
