package deptest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// checks is the number of checks in each chapter of docs/mathematics.md:
// C0.1 … C0.3, C1.1 … C1.16 and so on.
var checks = []int{3, 16, 17, 12, 6, 11, 6, 5, 6}

// The page names the checks of each chapter.
func TestChaptersOfThePage(t *testing.T) {
	page, err := os.ReadFile("../../../docs/mathematics.md")
	if err != nil {
		t.Fatal(err)
	}
	for chapter, n := range checks {
		if row := fmt.Sprintf("| C%d.1 to C%[1]d.%d |", chapter, n); !strings.Contains(string(page), row) {
			t.Errorf("docs/mathematics.md has not %q", row)
		}
	}
}

// Every check is a test of its name in the packages of the mathematics, and one of its tests has
// the formula in its comment, so that
//
//	go test ./orff/... ./sgd/... ./varmodel/... ./internal/study ./internal/thesis -run 'C[0-9]' -v
//
// lists them all, and none is skipped without a reason.
func TestEveryCheckIsATest(t *testing.T) {
	found, formulas := make(map[string][]string), make(map[string]bool)
	label := regexp.MustCompile(`^TestC(\d+)_(\d+)_\w`)
	for _, pkg := range []string{"orff", "orff/accuracy", "orff/algebra", "orff/coupling", "orff/maclaurin", "orff/nystroem", "orff/random", "orff/semigroup", "orff/spectrum", "orff/vectorfield", "sgd", "sgd/batch", "sgd/functional", "sgd/losses", "sgd/online", "sgd/rates", "varmodel", "varmodel/auto", "varmodel/interval", "varmodel/kernel", "internal/study", "internal/thesis"} {
		files, err := filepath.Glob(filepath.Join("..", "..", "..", pkg, "*_test.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no tests: %v", pkg, err)
		}
		for _, path := range files {
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution|parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, decl := range file.Decls {
				f, ok := decl.(*ast.FuncDecl)
				if !ok {
					continue
				}
				m := label.FindStringSubmatch(f.Name.Name)
				if m == nil {
					continue
				}
				name := "C" + m[1] + "." + m[2]
				found[name] = append(found[name], pkg+"."+f.Name.Name)
				formulas[name] = formulas[name] || strings.HasPrefix(f.Doc.Text(), name+": ")
				ast.Inspect(f, func(n ast.Node) bool {
					if call, ok := n.(*ast.CallExpr); ok {
						if s, ok := call.Fun.(*ast.SelectorExpr); ok && (s.Sel.Name == "SkipNow" || strings.HasPrefix(s.Sel.Name, "Skip") && len(call.Args) == 0) {
							t.Errorf("%s is skipped without a reason", f.Name.Name)
						}
					}
					return true
				})
			}
		}
	}
	total := 0
	for chapter, n := range checks {
		for i := range n {
			name := fmt.Sprintf("C%d.%d", chapter, i+1)
			if found[name] == nil {
				t.Errorf("no test of %s", name)
			} else if !formulas[name] {
				t.Errorf("no test of %s has its formula in the comment", name)
			}
			delete(found, name)
			total++
		}
	}
	for name, tests := range found {
		t.Errorf("%v: docs/mathematics.md has no check %s", tests, name)
	}
	t.Logf("%d checks", total)
}
