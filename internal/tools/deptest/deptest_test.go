package deptest

import (
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

const module = "github.com/orffvar/forecaster/"

// layers are the packages of ours that each package may import, tests aside.
// Packages below cmd may import everything and are not listed.
var layers = map[string][]string{
	"internal/isa":         {},
	"internal/vec":         {"internal/isa", "eval/snapshot"},
	"internal/lanes":       {"internal/isa", "internal/vec", "eval/snapshot"},
	"eval/calendar":        {},
	"eval/calendar/events": {"eval/calendar"},
	"eval/detection":       {},
	"eval/drift":           {"eval"},
	"eval/scoring":         {"eval", "eval/calendar", "eval/snapshot", "internal/lanes", "internal/vec"},
	"eval/simulate":        {"eval/scoring"},
	"sgd/online":           {"eval/snapshot", "internal/vec"},
	"stream/checkpoint":    {"eval/snapshot", "stream"},
	"eval/snapshot":        {},
	"internal/plural":      {},
	"internal/shell":       {},
	"internal/lazyregexp":  {},
	"internal/secret":      {"internal/lazyregexp"},
	"internal/spelling":    {},
	"internal/config":      {"eval/calendar", "eval/calendar/events", "internal/plural", "internal/secret", "internal/spelling"},
	"eval/dataset":         {"eval/scoring"},
	"internal/report":      {"internal/plural", "internal/lazyregexp"},
	"internal/livepage":    {"stream", "stream/event", "eval/scoring"},

	"internal/wire":   {"internal/plural", "internal/spelling", "internal/config", "eval/calendar/events", "internal/report", "internal/secret", "internal/shell", "internal/isa", "eval", "eval/drift", "eval/anomaly", "orff", "orff/semigroup", "orff/algebra", "orff/maclaurin", "orff/vectorfield", "orff/coupling", "orff/spectrum", "orff/random", "sgd/losses", "sgd/penalties", "sgd/rates", "varmodel", "varmodel/auto", "varmodel/interval", "varmodel/kernel", "varmodel/units", "stream", "stream/refuse", "stream/assemble", "stream/delivery", "stream/engine", "stream/file", "stream/file/filesink", "stream/format", "stream/format/timestamp", "stream/format/sniff", "stream/format/avro", "stream/format/otlp", "stream/influx", "stream/kafka", "stream/kafka/cluster", "stream/kafka/kafkasink", "stream/lineproto", "stream/remotewrite", "stream/sim", "eval/calendar", "eval/scoring", "eval/simulate", "stream/checkpoint"},
	"internal/job":    {"internal/plural", "internal/wire", "internal/config", "eval/dataset", "internal/livepage", "internal/report", "internal/shell", "stream", "stream/event", "stream/refuse", "stream/assemble", "stream/engine", "stream/run", "stream/file", "stream/file/filesink", "stream/file/filestore", "stream/kafka", "stream/kafka/cluster", "stream/kafka/kafkasink", "eval/scoring", "stream/checkpoint"},
	"internal/study":  {"internal/plural", "internal/wire", "internal/config", "internal/report", "internal/footprint", "eval", "orff", "orff/algebra", "orff/accuracy", "orff/distance", "orff/coupling", "orff/random", "orff/ridge", "sgd", "sgd/batch", "sgd/rates", "varmodel", "varmodel/auto", "varmodel/interval", "varmodel/kernel", "varmodel/units", "stream", "stream/event", "stream/refuse", "stream/assemble", "stream/engine", "stream/format", "stream/format/timestamp", "stream/format/sniff", "eval/anomaly", "eval/detection", "eval/scoring", "eval/simulate"},
	"internal/thesis": {"internal/plural", "internal/wire", "internal/config", "internal/study", "internal/report", "internal/vec", "eval", "orff", "orff/nystroem", "orff/vectorfield", "orff/distance", "orff/coupling", "orff/spectrum", "orff/random", "sgd/batch", "sgd/functional", "eval/dataset", "eval/scoring"},

	"orff":                 {"sgd", "internal/vec", "eval/snapshot", "orff/random", "orff/internal/check", "orff/internal/numeric", "orff/spectrum", "orff/coupling", "orff/distance", "orff/internal/bound", "orff/internal/optional"}, // sgd declares Map, which orff implements
	"sgd":                  {"internal/vec", "eval/snapshot", "sgd/internal/numeric", "sgd/losses", "sgd/penalties", "sgd/rates"},
	"sgd/batch":            {"internal/vec", "sgd", "sgd/internal/numeric", "sgd/losses"},
	"sgd/functional":       {"internal/vec", "eval/snapshot", "sgd/batch", "sgd/internal/numeric", "sgd/losses", "sgd/rates"},
	"sgd/losses":           {"sgd/internal/numeric"},
	"sgd/penalties":        {"sgd/internal/numeric"},
	"sgd/rates":            {},
	"sgd/internal/numeric": {"internal/vec", "eval/snapshot"},
	"sgd/internal/fixture": {"sgd", "eval/snapshot", "sgd/losses", "sgd/rates", "orff", "orff/coupling", "orff/random"},
	"eval":                 {"eval/snapshot"},
	"eval/anomaly":         {"internal/vec", "internal/lanes", "eval/snapshot"},
	"varmodel":             {"internal/vec", "eval/snapshot", "eval", "varmodel/series", "varmodel/internal/check", "varmodel/internal/regression", "sgd/online"},

	"orff/random":           {},
	"orff/internal/check":   {},
	"orff/internal/numeric": {"internal/vec", "orff/internal/check"},
	"orff/internal/maptest": {"sgd", "internal/vec", "orff/random", "orff/internal/numeric", "orff/internal/optional"},

	"orff/spectrum":                {"orff/internal/check", "orff/internal/numeric", "orff/random"},
	"orff/coupling":                {"eval/snapshot", "internal/vec", "orff/internal/check", "orff/internal/numeric"},
	"orff/distance":                {"eval/snapshot", "orff/internal/numeric", "orff/random"},
	"orff/accuracy":                {"internal/vec", "orff", "orff/internal/bound", "orff/internal/check", "orff/internal/numeric", "orff/internal/optional", "orff/random"},
	"orff/internal/bound":          {"orff/internal/numeric"},
	"orff/internal/optional":       {"eval/snapshot", "orff/internal/numeric", "orff/random", "sgd"},
	"orff/maclaurin":               {"eval/snapshot", "internal/vec", "orff", "orff/internal/bound", "orff/internal/check", "orff/internal/numeric", "orff/random", "orff/spectrum"},
	"orff/vectorfield":             {"sgd", "eval/snapshot", "internal/vec", "orff", "orff/algebra", "orff/internal/bound", "orff/internal/check", "orff/internal/numeric", "orff/random"},
	"orff/ridge":                   {"sgd/batch", "orff", "orff/coupling"},
	"orff/algebra":                 {"sgd", "eval/snapshot", "internal/vec", "orff", "orff/coupling", "orff/internal/check", "orff/internal/numeric", "orff/internal/optional", "orff/random"},
	"orff/semigroup":               {"eval/snapshot", "internal/vec", "orff", "orff/internal/bound", "orff/internal/check", "orff/internal/numeric", "orff/random"},
	"orff/nystroem":                {"eval/snapshot", "internal/vec", "orff", "orff/internal/check", "orff/internal/numeric", "orff/random", "orff/spectrum"},
	"varmodel/internal/check":      {},
	"varmodel/internal/modeltest":  {"eval/snapshot", "eval", "eval/drift", "internal/tools/recorded", "orff", "orff/algebra", "orff/vectorfield", "orff/coupling", "orff/spectrum", "orff/random"},
	"varmodel/series":              {"internal/lanes", "eval/snapshot", "orff", "orff/random"},
	"varmodel/units":               {"internal/vec", "internal/lanes", "eval/snapshot", "orff/distance", "varmodel/internal/check", "varmodel/series"},
	"varmodel/internal/regression": {"internal/vec", "internal/lanes", "eval/snapshot", "eval", "eval/drift", "orff", "varmodel/series", "varmodel/units", "varmodel/internal/check", "sgd/online"},
	"varmodel/auto":                {"internal/vec", "internal/lanes", "eval/snapshot", "eval", "eval/drift", "orff", "orff/random", "varmodel/series", "varmodel/internal/check", "varmodel/internal/regression", "sgd/online"},
	"varmodel/kernel":              {"internal/vec", "internal/lanes", "eval/snapshot", "eval", "orff", "orff/nystroem", "orff/distance", "orff/coupling", "orff/spectrum", "orff/random", "sgd", "sgd/batch", "sgd/losses", "sgd/penalties", "sgd/rates", "varmodel/series", "varmodel/units", "varmodel/internal/check", "varmodel/internal/regression", "sgd/online"},
	"varmodel/interval":            {"internal/vec", "internal/lanes", "eval/snapshot", "eval", "eval/drift", "orff", "orff/spectrum", "orff/random", "sgd/functional", "sgd/rates", "varmodel/series", "varmodel/units", "varmodel/internal/check", "varmodel/internal/regression", "eval/detection", "eval/scoring"},

	"stream":                          {"eval/anomaly", "eval/scoring", "stream/refuse", "stream/event"},
	"stream/event":                    {"eval/anomaly"},
	"stream/refuse":                   {},
	"stream/assemble":                 {"internal/plural", "stream", "stream/event", "stream/refuse", "eval/snapshot", "eval/calendar"},
	"stream/engine":                   {"internal/plural", "stream", "stream/event", "stream/refuse", "stream/assemble", "internal/footprint", "eval/snapshot", "eval", "eval/drift", "eval/anomaly", "eval/scoring", "stream/checkpoint"},
	"stream/run":                      {"stream", "stream/event", "stream/refuse", "stream/engine", "stream/checkpoint"},
	"stream/format":                   {"internal/plural", "stream", "stream/refuse", "stream/format/timestamp", "stream/format/internal/cells", "stream/format/internal/object", "stream/internal/decimal", "stream/format/internal/intern"},
	"stream/format/internal/cells":    {"stream/refuse", "stream/format/timestamp", "stream/internal/decimal", "internal/lazyregexp", "internal/shell"},
	"stream/format/internal/intern":   {},
	"stream/format/internal/object":   {},
	"stream/format/sniff":             {"internal/plural", "stream", "stream/format", "stream/format/timestamp", "stream/format/internal/cells", "stream/format/internal/object", "stream/internal/decimal", "internal/lazyregexp", "internal/shell"},
	"stream/format/timestamp":         {"stream/internal/decimal", "internal/lazyregexp"},
	"stream/format/avro":              {"stream", "stream/refuse", "stream/format", "stream/format/timestamp", "stream/format/sniff", "stream/format/internal/intern", "internal/secret"},
	"stream/format/otlp":              {"stream", "stream/refuse", "stream/format", "stream/format/internal/intern"},
	"stream/internal/decimal":         {},
	"stream/lineproto":                {"stream", "stream/internal/decimal"},
	"stream/file":                     {"internal/lazyregexp", "internal/plural", "internal/shell", "internal/spelling", "stream", "stream/file/internal/csvfield", "stream/format", "stream/format/sniff", "stream/format/timestamp"},
	"stream/file/filesink":            {"internal/shell", "stream", "stream/event", "stream/refuse", "stream/checkpoint", "stream/file", "stream/file/internal/csvfield", "stream/format/timestamp"},
	"stream/file/filestore":           {"stream", "stream/checkpoint"},
	"stream/file/internal/csvfield":   {"stream/internal/decimal"},
	"stream/sim":                      {"stream", "stream/format", "stream/format/timestamp", "stream/format/sniff", "eval/simulate"},
	"stream/kafka":                    {"stream", "stream/event", "stream/refuse", "stream/checkpoint", "stream/kafka/cluster", "stream/kafka/internal/retry"},
	"stream/kafka/cluster":            {"internal/secret", "stream", "stream/kafka/internal/retry"},
	"stream/kafka/kafkasink":          {"stream/internal/decimal", "stream", "stream/refuse", "stream/kafka/cluster", "stream/kafka/internal/retry"},
	"stream/kafka/internal/retry":     {},
	"stream/kafka/internal/kafkatest": {"internal/devbroker", "stream", "stream/kafka/cluster"},
	"stream/delivery":                 {"stream", "stream/refuse", "stream/lineproto", "stream/checkpoint"},
	"stream/influx":                   {"stream", "stream/delivery", "stream/lineproto", "internal/secret"},
	"stream/remotewrite":              {"stream", "stream/delivery", "stream/lineproto", "internal/secret"},
	"stream/streamtest":               {"stream", "stream/event", "stream/refuse", "stream/assemble", "stream/engine", "eval", "eval/snapshot", "eval/scoring", "stream/checkpoint"},
}

// pure are the packages whose results depend on their input alone.
var pure = []string{"internal/isa", "internal/vec", "internal/lanes", "eval/snapshot", "stream/internal/decimal", "orff", "orff/nystroem", "orff/ridge", "orff/semigroup", "orff/algebra", "orff/vectorfield", "orff/maclaurin", "orff/internal/optional", "orff/internal/bound", "orff/accuracy", "orff/distance", "orff/coupling", "orff/spectrum", "orff/random", "orff/internal/check", "orff/internal/numeric", "sgd", "sgd/batch", "sgd/functional", "sgd/losses", "sgd/penalties", "sgd/rates", "sgd/internal/numeric", "sgd/online", "eval", "eval/anomaly", "eval/calendar", "eval/detection", "eval/drift", "eval/scoring", "eval/simulate", "varmodel", "varmodel/series", "varmodel/units", "varmodel/internal/regression", "varmodel/auto", "varmodel/kernel", "varmodel/interval", "stream", "stream/event", "stream/refuse", "stream/checkpoint", "stream/assemble", "stream/engine"}

// outside are packages that a pure one has no use for: they lead to what differs
// between two runs. Package context is not among them: the interfaces of the edges name
// contexts. That no pure function asks one whether it has ended is for checkPure.
var outside = []string{
	"log", "log/slog", "net", "net/http", "os/exec", "os/signal", "sync", "sync/atomic", "syscall", "math/rand", "crypto/rand", "hash/maphash",
}

func load(t *testing.T) []*packages.Package {
	t.Helper()
	roots := []string{"orff", "sgd", "eval", "varmodel", "internal", "stream"}
	patterns := make([]string, len(roots))
	for i, root := range roots {
		patterns[i] = "./" + root + "/..."
		// What go list finds is unknown to the cache of test results; what the test
		// itself lists is not.
		err := filepath.WalkDir(filepath.Join("../../..", root), func(string, os.DirEntry, error) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	pkgs, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports |
			packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo,
		Dir: "../../..",
	}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	return pkgs
}

func TestLayers(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range load(t) {
		name := strings.TrimPrefix(p.PkgPath, module)
		seen[name] = true
		allowed, ok := layers[name]
		if !ok && !strings.HasPrefix(name, "internal/") {
			t.Errorf("%s has no entry in layers", name)
		}
		for path := range p.Imports {
			ours, isOurs := strings.CutPrefix(path, module)
			if ok && isOurs && !slices.Contains(allowed, ours) {
				t.Errorf("%s imports %s. The layers of docs/design/0001-shape.md allow it %v; if that is to change, change the page first.", name, ours, allowed)
			}
			if slices.Contains(pure, name) && slices.Contains(outside, path) {
				t.Errorf("%s imports %s, but its results must depend on its input alone", name, path)
			}
		}
		if slices.Contains(pure, name) {
			for _, f := range p.Syntax {
				checkPure(t, p, f)
			}
		}
	}
	for _, name := range []string{"orff", "sgd", "eval", "varmodel", "stream"} {
		if !seen[name] {
			t.Errorf("package %s was not found", name)
		}
	}
}

// checkPure finds what makes two runs differ: the clock, goroutines, selects,
// global random numbers and the order of maps.
func checkPure(t *testing.T, p *packages.Package, f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		complain := func(what string) {
			t.Errorf("%s: %s in code that must be deterministic", p.Fset.Position(n.Pos()), what)
		}
		switch n := n.(type) {
		case *ast.GoStmt:
			complain("a go statement")
		case *ast.SelectStmt:
			complain("a select statement")
		case *ast.RangeStmt:
			if x := p.TypesInfo.TypeOf(n.X); x != nil {
				if _, isMap := x.Underlying().(*types.Map); isMap {
					complain("a loop over a map")
				}
			}
		case *ast.SelectorExpr:
			fn, ok := p.TypesInfo.Uses[n.Sel].(*types.Func)
			if !ok || fn.Pkg() == nil {
				return true
			}
			if fn.Pkg().Path() == "context" && fn.Name() != "Value" && fn.Name() != "WithValue" {
				complain("context." + fn.Name())
			}
			if fn.Signature().Recv() != nil {
				return true
			}
			switch fn.Pkg().Path() {
			case "time":
				if slices.Contains([]string{"Now", "Since", "Until", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick", "Sleep"}, fn.Name()) {
					complain("time." + fn.Name())
				}
			case "math/rand/v2":
				if !strings.HasPrefix(fn.Name(), "New") {
					complain("the global random numbers of rand." + fn.Name())
				}
			case "maps":
				if fn.Name() == "Keys" || fn.Name() == "Values" || fn.Name() == "All" {
					complain("maps." + fn.Name())
				}
			}
		}
		return true
	})
}
