package wire

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDocumentation compares the tables in the pages with those of the program.
// UPDATE_DOCS=1 writes them.
func TestDocumentation(t *testing.T) {
	update(t, "reference/models.md", func(string) string { return modelsReference() })
	update(t, "kernels.md", func(page string) string {
		for name, table := range map[string]string{
			"models": modelTable(), "kernels": kernelTable(), "samplings": samplingTable(), "operators": operatorTable(), "gammas": gammaTable(),
		} {
			begin := "<!-- made from internal/wire: " + name + " -->\n"
			before, rest, found := strings.Cut(page, begin)
			_, after, ended := strings.Cut(rest, "<!-- end -->")
			if !found || !ended {
				t.Fatalf("kernels.md has no place for %s", name)
			}
			page = before + begin + table + "<!-- end -->" + after
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
			rows = append(rows, []string{code([]string{m.name}), m.about, m.when, code([]string{m.example})})
		}
	}
	return markdown("| `model.type` | what it is | use it when | example |", rows)
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

func modelsReference() string {
	var rows [][]string
	yes := map[bool]string{true: "yes"}
	for _, m := range models {
		settings := ""
		if len(m.settings) > 0 {
			settings = "`" + strings.Join(m.settings, "`, `") + "`"
		}
		rows = append(rows, []string{
			code([]string{m.name}), m.about, settings, yes[m.random], yes[m.inputs], yes[m.influence != nil],
		})
	}
	return "# Models\n\nMade from the code; do not edit. `model.type` and `evaluate --models` take these names; N stands for a number of lags. Besides the settings in the table, every model reads `" +
		strings.Join(slices.DeleteFunc(slices.Clone(sharedSettings), func(key string) bool { return key == "influence" }), "`, `") +
		"`, and with `" + strings.Join(besideSettings.with, "` or `") + "` also `" + strings.Join(besideSettings.keys, "` and `") +
		"`. Models with a yes in the last column read `influence`. A block such as `kernel.operator` stands for all its keys, which [configuration](../configuration.md#model) describes. How the models of a kernel differ: [kernels](../kernels.md).\n\n" +
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
		"model.loss.name":             familiesOf(losses, lossName),
	} {
		line := regexp.MustCompile("(?m)^\\| `" + regexp.QuoteMeta(key) + "` \\|.*$").FindString(string(page))
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
