package deptest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// concurrent are packages that a package without goroutines of its own has no use for.
var concurrent = []string{"sync", "sync/atomic", "net/http"}

// exempt are packages that use concurrent ones in a single goroutine, or only call functions
// of theirs, and why their tests run without the race detector.
var exempt = map[string]string{
	"cmd/forecaster":            "its concurrent tests run under it, too: see TestEveryTestRunsPlain",
	"internal/study":            "counts the samples of one goroutine; who reads the count is in cmd/forecaster",
	"internal/tools/testserver": "run when it changes, under it",
}

// The tests of every package that starts goroutines, or shares memory with some, run
// under the race detector: such a package is in the list RACED of the Makefile.
func TestConcurrentPackagesAreRaced(t *testing.T) {
	makefile, err := os.ReadFile("../../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^RACED = (.*)$`).FindSubmatch(makefile)
	if m == nil {
		t.Fatal("the Makefile has no list RACED")
	}
	raced := strings.Fields(string(m[1]))
	why := make(map[string]string) // the first reason why a package is concurrent
	tested := make(map[string]bool)
	eachFile(t, func(path string, file *ast.File) {
		dir := filepath.ToSlash(filepath.Dir(path))
		if strings.HasSuffix(path, "_test.go") {
			tested[dir] = true
			return
		}
		for _, spec := range file.Imports {
			if name, _ := strconv.Unquote(spec.Path.Value); slices.Contains(concurrent, name) && why[dir] == "" {
				why[dir] = path + " imports " + name
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if _, ok := n.(*ast.GoStmt); ok && why[dir] == "" {
				why[dir] = path + " has a go statement"
			}
			return true
		})
	})
	for dir, reason := range why {
		if tested[dir] && exempt[dir] == "" && !slices.Contains(raced, "./"+dir) {
			t.Errorf("%s: %s, but its tests do not run under the race detector: add ./%s to RACED in the Makefile", dir, reason, dir)
		}
	}
	for _, dir := range raced {
		if !tested[strings.TrimPrefix(dir, "./")] {
			t.Errorf("RACED in the Makefile has %s, which has no tests", dir)
		}
	}
	for dir := range exempt {
		if why[dir] == "" {
			t.Errorf("%s needs no exemption from the race detector", dir)
		}
	}
}

// Only the race detector's own constraint may hide a test: what `make test` runs without the
// detector are all tests.
func TestEveryTestRunsPlain(t *testing.T) {
	constraint := regexp.MustCompile(`(?m)^//go:build (.*)$`)
	allowed := []string{"unix", "!race", "unix && !race", "linux", "amd64", "!amd64"}
	eachFile(t, func(path string, _ *ast.File) {
		if !strings.HasSuffix(path, "_test.go") {
			return
		}
		text, err := os.ReadFile(filepath.Join("../../..", path))
		if err != nil {
			t.Fatal(err)
		}
		if m := constraint.FindSubmatch(text); m != nil && !slices.Contains(allowed, string(m[1])) {
			t.Errorf("%s: the tests of files with the constraint %q do not run in make test", path, m[1])
		}
	})
}

// eachFile parses the Go files of this module.
func eachFile(t *testing.T, visit func(path string, file *ast.File)) {
	t.Helper()
	root := filepath.Join("..", "..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "compose" || name == "gen") {
			return filepath.SkipDir // among them other modules
		}
		if d.IsDir() || filepath.Ext(name) != ".go" {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		path, err = filepath.Rel(root, path)
		if err != nil {
			return err
		}
		visit(filepath.ToSlash(path), file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
