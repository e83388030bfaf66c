package deptest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// most is the number of exported constants, variables, types and functions that a reader of a package
// has to look through; methods aside.
const most = 25

// The packages that a user of the library meets export no more names than that.
func TestExportedNames(t *testing.T) {
	for _, p := range load(t) {
		name := strings.TrimPrefix(p.PkgPath, module)
		if strings.Contains(name, "internal") {
			continue
		}
		n := 0
		for _, id := range p.Types.Scope().Names() {
			if p.Types.Scope().Lookup(id).Exported() {
				n++
			}
		}
		if n > most {
			t.Errorf("%s exports %d names, more than %d: part it by what it does; what the program alone uses belongs into an internal package", name, n, most)
		}
	}
}

// Each of these packages has an example that go test runs.
func TestExamples(t *testing.T) {
	for _, p := range load(t) {
		name := strings.TrimPrefix(p.PkgPath, module)
		if strings.Contains(name, "internal") {
			continue
		}
		files, err := filepath.Glob(filepath.Join("../../..", name, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(files, func(file string) bool {
			text, err := os.ReadFile(file)
			return err == nil && strings.Contains(string(text), "\nfunc Example") && strings.Contains(string(text), "// Output:")
		}) {
			t.Errorf("%s has no example", name)
		}
	}
}
