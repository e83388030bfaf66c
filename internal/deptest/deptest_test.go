package deptest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/orffvar/forecaster/"

// layers lists what each package may import of ours, and why no more. A package
// of a layer that is not listed is an edge or a command and may import all.
var layers = []struct {
	pkg     string
	allowed []string
	why     string
}{
	{"internal/vec", []string{"internal/snapshot"}, "vector kernels are the lowest layer"},
	{"internal/snapshot", nil, "the state codec serves all layers"},
	{"internal/secret", nil, "a leaf"},
	{"internal/config", []string{"internal/secret"}, "only the command turns names into types"},
	{"orff", []string{"internal/vec", "internal/snapshot"}, "feature maps know neither optimisers nor data"},
	{"sgd", []string{"internal/vec", "internal/snapshot"}, "optimisers see a feature map through their own interface"},
	{"eval", []string{"internal/vec", "internal/snapshot"}, "evaluation sees models through its own interfaces"},
	{"varmodel", []string{"orff", "sgd", "eval", "internal/vec", "internal/snapshot"}, "models do not know where samples come from"},
	{"stream", []string{"eval", "internal/snapshot"}, "the engine sees models through eval.Model and does no I/O"},
	{"stream/format", []string{"stream"}, "decoders are pure"},
	{"stream/lineproto", []string{"stream", "eval"}, "encoders are pure"},
}

// imports returns the direct imports of every package, without those of tests.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	cmd := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...")
	cmd.Dir = filepath.Join("..", "..")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string][]string)
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		all[strings.TrimPrefix(fields[0], module)] = fields[1:]
	}
	return all
}

func TestLayers(t *testing.T) {
	all := imports(t)
	for _, l := range layers {
		list, ok := all[l.pkg]
		if !ok {
			t.Errorf("there is no package %s", l.pkg)
		}
		for _, imported := range list {
			ours, isOurs := strings.CutPrefix(imported, module)
			if isOurs && !slices.Contains(l.allowed, ours) {
				t.Errorf("%s imports %s: %s", l.pkg, ours, l.why)
			}
			core := !strings.HasPrefix(l.pkg, "internal/") || l.pkg == "internal/vec" || l.pkg == "internal/snapshot"
			if core && !isOurs && (imported == "net" || strings.HasPrefix(imported, "net/") || imported == "log" || imported == "log/slog") {
				t.Errorf("%s imports %s: I/O belongs to the edges", l.pkg, imported)
			}
		}
	}
}

// TestNoClockInTheCore: what forecasts depend on is the data, not when it
// was read. The runner, which paces checkpoints, is not part of the core.
func TestNoClockInTheCore(t *testing.T) {
	notCore := []string{"stream/runner.go", "stream/stats.go"}
	for _, dir := range []string{"internal/vec", "internal/snapshot", "orff", "sgd", "eval", "varmodel", "stream", "stream/format", "stream/lineproto"} {
		files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(dir), "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", dir, len(files), err)
		}
		for _, name := range files {
			file := dir + "/" + filepath.Base(name)
			if strings.HasSuffix(name, "_test.go") || slices.Contains(notCore, file) {
				continue
			}
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range f.Imports {
				if i.Path.Value == `"math/rand"` {
					t.Errorf("%s imports math/rand: randomness comes from a seed, by math/rand/v2 or orff", file)
				}
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := s.X.(*ast.Ident); ok && x.Name == "time" && slices.Contains([]string{"Now", "Since", "Until", "After", "Tick", "Sleep"}, s.Sel.Name) {
						t.Errorf("%s: time.%s: the core has no clock", fset.Position(n.Pos()), s.Sel.Name)
					}
				}
				return true
			})
		}
	}
}
