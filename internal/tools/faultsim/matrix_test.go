package faultsim

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// rows is the number of rows of the fault matrix without a gap. Further rows ascend.
const rows = 53

// TestMatrix: every row of docs/reliability.md has a test with its number, or names the row
// whose tests it shares, and every TestFaultNN has its row.
func TestMatrix(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	tests := make(map[int][]string) // by row
	name := regexp.MustCompile(`(?m)^func (TestFault(\d+)_\w+)\(`)
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range name.FindAllSubmatch(b, -1) {
			n, err := strconv.Atoi(string(m[2]))
			if err != nil {
				return err
			}
			tests[n] = append(tests[n], string(m[1]))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "reliability.md"))
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^\| (\d+) \| .* \| .*?(?:\(tests of (\d+)\) )?\|$`)
	next := 1
	listed := make(map[int]bool)
	for _, m := range row.FindAllStringSubmatch(string(page), -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil || n < next || next <= rows && n != next {
			t.Fatalf("row %s where row %d was expected", m[1], next)
		}
		next = n + 1
		listed[n] = true
		if other, err := strconv.Atoi(m[2]); err == nil {
			n = other
		}
		if len(tests[n]) == 0 {
			t.Errorf("row %s: there is no test of row %d", m[1], n)
		}
	}
	if next <= rows {
		t.Errorf("%d rows, want at least %d", next-1, rows)
	}
	for n, names := range tests {
		if !listed[n] {
			t.Errorf("%s have no row", strings.Join(names, ", "))
		}
	}
}
