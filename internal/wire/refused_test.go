package wire

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/tools/recorded"
	"github.com/orffvar/forecaster/orff/random"
)

// shortcuts are the first words of lines of testdata/refusals.txt.
var shortcuts = map[string]string{
	"discard": "output.discard={}", "kafka": fromKafka, "avro": fromAvro, "file": "input.file.path=DIR/short.csv output.discard={}", "simulated": simulated,
	"influx": toInflux, "remote": toRemote, "kernelvar": "model.type=kernelvar model.optimiser.batch=8",
}

// TestRefusedSettings: each line of testdata/refusals.txt has settings; the lines below it have their errors,
// nothing if they are accepted. UPDATE_GATES=1 writes the errors. Each message of a check in this package is there.
func TestRefusedSettings(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"short.csv": "time,x\n2026-01-01T00:00:00Z,1\n2026-01-01T00:01:00Z,2\n", "events.csv": "time,name\n2026-01-01T00:00:00Z,sale\n",
		"long.csv": "time,name,value\n2026-01-01T00:00:00Z,x,1\n2026-01-01T00:00:00Z,y,1\n2026-01-01T00:01:00Z,x,2\n2026-01-01T00:01:00Z,y,2\n2026-01-01T00:02:00Z,x,2\n",
		"odd.csv":  "time,name,value\n2026-01-01T00:00:00Z,x,1\n2026-01-01T00:00:00Z,y,1\n2026-01-01T00:01:00Z,x,2\n2026-01-01T00:03:00Z,x,2\n2026-01-01T00:07:00Z,x,2\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	golden := filepath.Join("testdata", "refusals.txt")
	was, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	var now strings.Builder
	for line := range strings.Lines(string(was)) {
		if strings.HasPrefix(line, "  ") {
			continue
		}
		now.WriteString(line)
		var sets []string
		for word := range strings.FieldsSeq(line) {
			if all, ok := shortcuts[word]; ok {
				word = all
			}
			sets = append(sets, strings.Fields(strings.ReplaceAll(word, "DIR", dir))...)
		}
		if _, err := loaded(t, "", sets...); err != nil {
			for e := range strings.Lines(err.Error()) {
				e = strings.ReplaceAll(strings.TrimSpace(e), dir, "DIR")
				now.WriteString("  " + configFile.ReplaceAllString(e, "FILE:") + "\n")
			}
		}
	}
	recorded.Check(t, golden, now.String())
	for _, m := range messagesOfChecks(t) {
		if !m.MatchString(now.String()) {
			t.Errorf("no line of %s is refused with %s", golden, m)
		}
	}
}

// configFile is the place of a mistake in the file that loaded writes.
var configFile = regexp.MustCompile(`^\S+c\.yaml:`)

// verb is one of a format.
var verb = regexp.MustCompile(`%(?:\\\[\d\\\])?[a-z]`)

// messagesOfChecks finds the messages of Checker.Need, and the keys of Checker.OneOf, in the source of this package.
func messagesOfChecks(t *testing.T) (all []*regexp.Regexp) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || !slices.Contains([]string{"Need", "OneOf"}, f.Sel.Name) {
				return true
			}
			text, message := literal(call.Args[min(2, len(call.Args)-1)]), "(?m)^  .*: "
			if f.Sel.Name == "OneOf" {
				text, message = literal(call.Args[0]), "(?m)^  .*"
			}
			message += verb.ReplaceAllString(regexp.QuoteMeta(text), ".*")
			if f.Sel.Name == "OneOf" {
				message += ": must be one of "
			}
			all = append(all, regexp.MustCompile(message))
			return true
		})
	}
	return all
}

// literal is the text of a literal, or of that at the end of a sum.
func literal(e ast.Expr) string {
	if b, ok := e.(*ast.BinaryExpr); ok {
		e = b.Y
	}
	l, ok := e.(*ast.BasicLit)
	if !ok {
		return ""
	}
	text, err := strconv.Unquote(l.Value)
	if err != nil {
		return ""
	}
	return text
}

// TestWrongParts: what makes a kernel's map or a model from settings that nobody has checked refuses a part that it has to
// make and cannot. testdata/wrongparts.txt has the errors; a combination that is not listed is made, because it does not need the part.
func TestWrongParts(t *testing.T) {
	type part struct {
		name string
		set  func(m *config.Model)
	}
	ofMap := []part{
		{"kernel", func(m *config.Model) { m.Kernel.Name = "x" }},
		{"plus", func(m *config.Model) { m.Kernel.Plus.Name = "x" }},
		{"times", func(m *config.Model) { m.Kernel.Times.Name = "x" }},
		{"sampling", func(m *config.Model) { m.Kernel.Sampling = "x" }},
		{"coefficients", func(m *config.Model) { m.Kernel.Name = "dot_product" }},
		{"gamma", func(m *config.Model) { m.Kernel.Operator.Gamma = "x" }},
		{"matrix", func(m *config.Model) { m.Kernel.Operator.Gamma = "matrix"; m.Kernel.Operator.Matrix = []float64{1, 2} }},
		{"graph", func(m *config.Model) {
			m.Kernel.Operator.Gamma = "graph"
			m.Kernel.Operator.Matrix = make([]float64, 9)
		}},
		{"positions", func(m *config.Model) {
			m.Kernel.Operator.Gamma = "positions"
			m.Kernel.Operator.Positions = []float64{1, 2}
		}},
		{"groups", func(m *config.Model) { m.Kernel.Operator.Groups = 2 }},
		{"operator", func(m *config.Model) { m.Kernel.Operator.Name = "x" }},
	}
	ofModel := append(ofMap[:len(ofMap):len(ofMap)], part{"loss", func(m *config.Model) { m.Loss.Name = "x" }}, part{"columns", func(m *config.Model) {
		m.Kernel.Operator.Gamma, m.Kernel.Linear, m.Optimiser.Step, m.Optimiser.GroupLasso = "x", false, "plain", .1
	}})
	besideModel := []part{
		{"quantiles", func(m *config.Model) { m.Intervals = "quantile"; m.Levels = []float64{2} }},
		{"levels", func(m *config.Model) { m.Levels = []float64{2} }},
		{"drift", func(m *config.Model) { m.Drift.Detect = true; m.Drift.FalseAlarms = -1 }},
		{"joint drift", func(m *config.Model) { m.Joint = true; m.Drift.Detect = true; m.Drift.FalseAlarms = -1 }},
		{"level sets", func(m *config.Model) { m.Anomaly.LevelSets = true; m.Order = 0 }},
	}
	besideEngine := []string{"levels", "drift", "joint drift"} // made beside the model
	var list strings.Builder
	try := func(what string, set func(m *config.Model), make func(m config.Model) (any, error)) {
		c, err := loaded(t, "", "model.order=1", "model.frequencies=20")
		if err != nil {
			t.Fatal(err)
		}
		set(&c.Model)
		made, err := make(c.Model)
		if err != nil {
			list.WriteString(what + ": " + err.Error() + "\n")
		} else if v := reflect.ValueOf(made); !v.IsValid() || v.IsZero() {
			t.Errorf("%s: neither a part nor an error", what)
		}
	}
	for _, o := range operators {
		for _, w := range ofMap {
			try(o.name+", "+w.name, func(m *config.Model) { m.Kernel.Operator.Name, m.Kernel.Operator.Groups = o.name, 1; w.set(m) }, func(m config.Model) (any, error) {
				return NewMap(m.Kernel, 3, 3, 20, random.New(1))
			})
		}
		try(o.name+", columns", func(m *config.Model) { m.Kernel.Operator.Gamma = "x" }, func(m config.Model) (any, error) {
			if o.columns == nil {
				return true, nil
			}
			return o.columns(m.Kernel.Operator, 3, 20)
		})
	}
	for _, m := range models {
		wrong := besideModel
		switch {
		case m.kernel:
			wrong = ofModel
		case m.name != "persistence":
			continue // what stands beside a model is the same for all
		}
		for _, w := range wrong {
			try(m.name+", "+w.name, func(c *config.Model) { c.Type = m.name; w.set(c) }, func(c config.Model) (any, error) {
				m, err := NewModel(c, 3, false)
				if _, inEngine := newEngineModel(c, 3, sharing{}); !slices.Contains(besideEngine, w.name) && fmt.Sprint(inEngine) != fmt.Sprint(err) {
					t.Errorf("%s, %s: %v in the engine, want %v", c.Type, w.name, inEngine, err)
				}
				return m, err
			})
		}
	}
	recorded.Check(t, filepath.Join("testdata", "wrongparts.txt"), list.String())
}
