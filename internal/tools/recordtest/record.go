// Package recordtest compares results with those on record, so that nobody changes them by mistake. UPDATE_RECORDS=1
// writes the records; the differences are then for a person to read.
package recordtest

import (
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// Compare compares lines with those of a file. Numbers may differ by roundings between processors, 1e-6 of their size.
func Compare(t *testing.T, path string, got []string) {
	t.Helper()
	if os.Getenv("UPDATE_RECORDS") != "" {
		if err := os.WriteFile(path, []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(got) != len(want) {
		t.Errorf("%d lines, want %d", len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if !same(got[i], want[i]) {
			t.Fatalf("%s:%d: got\n%s\nwant\n%s\n(UPDATE_RECORDS=1 writes the file)", path, i+1, got[i], want[i])
		}
	}
}

// same compares words, and numbers up to roundings.
func same(a, b string) bool {
	x, y := words(a), words(b)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		u, err := strconv.ParseFloat(x[i], 64)
		v, other := strconv.ParseFloat(y[i], 64)
		if x[i] != y[i] && (err != nil || other != nil || !(math.Abs(u-v) <= 1e-6*max(1, math.Abs(v)))) {
			return false
		}
	}
	return true
}

func words(line string) []string {
	return strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" ,[]", r) })
}
