package wire

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/internal/config"
)

// TestDocumentation compares the tables in the pages with those of the program.
// UPDATE_DOCS=1 writes them.
func TestDocumentation(t *testing.T) {
	update(t, "reference/models.md", func(string) string { return modelsReference() })
	within(t, "kernels.md", map[string]string{
		"models": modelTable(), "kernels": kernelTable(), "samplings": samplingTable(), "operators": operatorTable(), "gammas": gammaTable(),
	})
	within(t, "configuration.md", map[string]string{
		"inputs": kindTable(t, "input", inputs), "formats": formatTable(), "format settings": formatSettings(t), "outputs": kindTable(t, "output", outputs),
	})
}

// within updates the tables in a page.
func within(t *testing.T, name string, tables map[string]string) {
	update(t, name, func(page string) string {
		for table, text := range tables {
			begin := "<!-- made from internal/wire: " + table + " -->\n"
			before, rest, found := strings.Cut(page, begin)
			_, after, ended := strings.Cut(rest, "<!-- end -->")
			if !found || !ended {
				t.Fatalf("%s has no place for %s", name, table)
			}
			page = before + begin + text + "<!-- end -->" + after
		}
		return page
	})
}

// update writes or compares a page of docs.
func update(t *testing.T, page string, text func(old string) string) {
	path := filepath.Join("..", "..", "docs", filepath.FromSlash(page))
	old, err := os.ReadFile(path)
	if err != nil && os.Getenv("UPDATE_DOCS") == "" {
		t.Fatal(err)
	}
	now := text(string(old))
	if os.Getenv("UPDATE_DOCS") != "" {
		if err := os.WriteFile(path, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if now != string(old) {
		t.Errorf("%s is out of date: UPDATE_DOCS=1 go test ./internal/wire -run Documentation", path)
	}
}

// markdown writes a table.
func markdown(header string, rows [][]string) string {
	var b strings.Builder
	columns := strings.Count(header, "|") - 1
	fmt.Fprintf(&b, "%s\n%s|\n", header, strings.Repeat("|---", columns))
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(r, " | "))
	}
	return regexp.MustCompile(`  +`).ReplaceAllString(b.String(), " ")
}

// keyList writes keys, defaults and meanings as a list: tables squeeze long keys.
func keyList(rows [][]string) string {
	var b strings.Builder
	for _, r := range rows {
		b.WriteString("- " + r[0])
		if r[1] != "" {
			b.WriteString(" (" + r[1] + ")")
		}
		b.WriteString(": " + r[2] + "\n")
	}
	return b.String()
}

// code writes names, of a long family the first two and the last.
func code(names []string) string {
	if n := len(names); n > 4 {
		return fmt.Sprintf("`%s`, `%s` … `%s`", names[0], names[1], names[n-1])
	}
	return "`" + strings.Join(names, "`, `") + "`"
}

func modelTable() string {
	var rows [][]string
	for _, m := range models {
		if m.when != "" {
			rows = append(rows, []string{code([]string{m.name}), m.when, code([]string{m.example})})
		}
	}
	return markdown("| `model.type` | use it when | example |", rows)
}

func kernelTable() string {
	var rows [][]string
	for _, k := range kernels {
		name := code(k.names)
		if k.positive {
			name += " +"
		}
		rows = append(rows, []string{name, k.formula, k.parameter, k.when, code([]string{k.example})})
	}
	return markdown("| name | kernel | `parameter` p (default) | use it when | example |", rows)
}

func samplingTable() string {
	var rows [][]string
	for _, s := range samplings {
		rows = append(rows, []string{code([]string{s.name}), s.when, code([]string{s.example})})
	}
	return markdown("| name | use it when | example |", rows)
}

func operatorTable() string {
	var rows [][]string
	for _, o := range operators {
		rows = append(rows, []string{code([]string{o.name}), o.formula, o.when, code([]string{o.example})})
	}
	return markdown("| name | kernel | use it when | example |", rows)
}

func gammaTable() string {
	var rows [][]string
	for _, g := range gammas {
		rows = append(rows, []string{code([]string{g.name}), g.when, code([]string{g.example})})
	}
	return markdown("| `gamma` | use it when | example |", rows)
}

// kindTable has the settings of kinds of inputs or outputs.
func kindTable[T config.Settings](t *testing.T, block string, kinds []kind[T]) string {
	var rows [][]string
	for _, k := range kinds {
		rows = append(rows, []string{code([]string{block + "." + k.name}) + " *", "", k.about})
		rows = append(rows, settingRows(t, block+"."+k.name, k.settings())...)
	}
	return keyList(rows)
}

func formatSettings(t *testing.T) string {
	var rows [][]string
	for _, f := range formats {
		if f.settings != nil {
			rows = append(rows, settingRows(t, "input."+cmp.Or(f.block, f.name), f.settings())...)
		}
	}
	return keyList(rows)
}

func formatTable() string {
	yes := map[bool]string{true: "yes"}
	var rows [][]string
	for _, f := range formats {
		read, written := "", ""
		if f.read != nil {
			read = code(f.read.Extensions)
		}
		if f.create != nil {
			written = code(f.endings)
		}
		rows = append(rows, []string{code([]string{f.name}), f.about, yes[f.messages != nil], read, written})
	}
	return markdown("| format | what it is | of messages | files that are read | files that are written |", rows)
}

// embedded are the blocks that first have the settings of a struct that several share, by
// "Struct.Field": there they are described.
var embedded = make(map[string]string)

// settingRows has the keys of a block with their defaults and the comments on their fields.
func settingRows(t *testing.T, block string, s config.Settings) (rows [][]string) {
	v := reflect.ValueOf(s).Elem()
	for _, f := range reflect.VisibleFields(v.Type()) {
		key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if f.Anonymous || key == "" {
			continue
		}
		holder := v.Type()
		for _, i := range f.Index[:len(f.Index)-1] {
			holder = holder.Field(i).Type
		}
		about := comments(t)[holder.Name()+"."+f.Name]
		if first, ok := embedded[holder.Name()+"."+f.Name]; ok && first != block {
			about = "as `" + first + "." + key + "`"
		} else if len(f.Index) > 1 {
			embedded[holder.Name()+"."+f.Name] = block
		}
		if about == "" {
			t.Errorf("%s.%s has no comment on its field", block, key)
		}
		standard := ""
		if text := fmt.Sprint(v.FieldByIndex(f.Index)); text != "" && text != "[]" {
			standard = "`" + text + "`"
		}
		rows = append(rows, []string{"`" + block + "." + key + "`", standard, about})
	}
	return rows
}

// comments returns the comments on the fields of the structs of this package, by "Struct.Field".
var comments = func() func(t *testing.T) map[string]string {
	var all map[string]string
	return func(t *testing.T) map[string]string {
		if all != nil {
			return all
		}
		all = make(map[string]string)
		files, err := filepath.Glob("*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(parsed, func(n ast.Node) bool {
				spec, ok := n.(*ast.TypeSpec)
				if !ok {
					return true
				}
				if s, ok := spec.Type.(*ast.StructType); ok {
					for _, f := range s.Fields.List {
						for _, name := range f.Names {
							text := cmp.Or(f.Doc.Text(), f.Comment.Text())
							all[spec.Name.Name+"."+name.Name] = strings.Join(strings.Fields(text), " ")
						}
					}
				}
				return true
			})
		}
		return all
	}
}()

// groups are settings that several models read together, and what the page calls them.
var groups = []string{
	"`exogenous`, `calendar`, `time_zone`, `events`", "*inputs*",
	"`kernel.operator.gamma`, `kernel.operator.matrix`, `kernel.operator.rank`, `kernel.operator.eta`, `kernel.operator.positions`, `kernel.operator.length`", "*Γ*",
	"`kernel.name`, `kernel.parameter`, `kernel.coefficients`, `kernel.inputs`, `kernel.plus`, `kernel.times`", "*kernel*",
}

func modelsReference() string {
	var rows [][]string
	yes := map[bool]string{true: "yes"}
	for _, m := range models {
		settings := ""
		if len(m.settings) > 0 {
			settings = strings.NewReplacer(groups...).Replace("`" + strings.Join(m.settings, "`, `") + "`")
		}
		rows = append(rows, []string{
			code([]string{m.name}), m.about, settings, yes[m.random], yes[m.inputs], yes[m.influence != nil],
		})
	}
	return "# Models\n\nFor users who choose a model. Made from the code; do not edit. `model.type` and `evaluate --models` take these names; N stands for a number of lags. Besides the settings in the table, every model reads `" +
		strings.Join(slices.DeleteFunc(slices.Clone(sharedSettings), func(key string) bool { return key == "influence" }), "`, `") +
		"`, and with `" + strings.Join(besideSettings.with, "` or `") + "` also `" + strings.Join(besideSettings.keys, "` and `") +
		"`. Models with a yes in the last column read `influence`. A block such as `kernel.operator` stands for all its keys ([configuration](../configuration.md#model)); *inputs* for " + groups[0] + "; *kernel* for " + groups[4] + "; *Γ* for " + groups[2] + ". How the models of a kernel differ: [kernels](../kernels.md).\n\n" +
		markdown("| name | model | settings below `model.` | random features | exogenous inputs | influence |", rows)
}

// Every name of the tables is in the line of its key in docs/configuration.md.
func TestNamesAreInTheConfigurationPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	for key, names := range map[string][][]string{
		"model.type":                  each(ModelNames()),
		"model.kernel.name":           familiesOf(kernels, kernelNames),
		"model.kernel.sampling":       familiesOf(samplings, samplingName),
		"model.kernel.operator.name":  familiesOf(operators, operatorName),
		"model.kernel.operator.gamma": familiesOf(gammas, gammaName),
		"model.loss.name":             familiesOf(lossKinds, lossName),
	} {
		line := regexp.MustCompile("(?m)^- `" + regexp.QuoteMeta(key) + "`.*$").FindString(string(page))
		for _, family := range names {
			if !strings.Contains(line, code(family)) {
				t.Errorf("docs/configuration.md, %s: no %s in %q", key, code(family), line)
			}
		}
	}
}

func each(names []string) [][]string {
	var all [][]string
	for _, n := range names {
		all = append(all, []string{n})
	}
	return all
}

func familiesOf[Row any](rows []Row, names func(Row) []string) [][]string {
	var all [][]string
	for _, r := range rows {
		all = append(all, names(r))
	}
	return all
}
