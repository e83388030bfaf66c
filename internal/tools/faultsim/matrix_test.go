package faultsim

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rows is the number of rows of the fault matrix without a gap. Further rows ascend.
const rows = 53

// TestMatrix: docs/reliability.md has every row, each with tests that exist, and
// every test that is named after a row.
func TestMatrix(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	tests := make(map[string]bool) // package.Name
	name := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range name.FindAllSubmatch(b, -1) {
			tests[filepath.Base(filepath.Dir(path))+"."+string(m[1])] = true
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
	row := regexp.MustCompile(`(?m)^\| (\d+) \|.*\| (.+) \|$`)
	next := 1
	listed := make(map[string]bool)
	for _, m := range row.FindAllStringSubmatch(string(page), -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil || n < next || next <= rows && n != next {
			t.Fatalf("row %s where row %d was expected", m[1], next)
		}
		next = n + 1
		for _, test := range strings.Split(m[2], ", ") {
			test = strings.Trim(test, "`")
			listed[test] = true
			if !tests[test] {
				t.Errorf("row %s: there is no test %s", m[1], test)
			}
		}
	}
	if next <= rows {
		t.Errorf("%d rows, want at least %d", next-1, rows)
	}
	for _, test := range slices.Sorted(maps.Keys(tests)) {
		if strings.Contains(test, ".TestFault") && !listed[test] {
			t.Errorf("%s is in no row", test)
		}
	}
}
