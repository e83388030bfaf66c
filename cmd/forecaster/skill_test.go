//go:build !race

package main

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/internal/study"
)

// printedTable is a table as a page or a command shows it.
type printedTable struct {
	header []string
	rows   [][]string
}

// column returns the index of a header, whose lines are joined by spaces; -1 = none.
func (t *printedTable) column(name string) int {
	return slices.Index(t.header, strings.ReplaceAll(name, "\n", " "))
}

// tablesIn returns the tables drawn with lines in a text.
func tablesIn(text string) (all []printedTable) {
	var t *printedTable
	inHeader := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "┌"):
			all = append(all, printedTable{})
			t, inHeader = &all[len(all)-1], true
		case strings.HasPrefix(line, "├"):
			inHeader = false
		case strings.HasPrefix(line, "└"):
			t = nil
		case t != nil && strings.HasPrefix(line, "│"):
			var cells []string
			for c := range strings.SplitSeq(strings.Trim(line, "│"), "│") {
				cells = append(cells, strings.TrimSpace(c))
			}
			switch {
			case !inHeader:
				t.rows = append(t.rows, cells)
			case t.header == nil:
				t.header = cells
			default:
				for i, c := range cells {
					t.header[i] = strings.TrimSpace(t.header[i] + " " + c)
				}
			}
		}
	}
	return all
}

// printed returns the numbers that are printed as text: any within half a unit of the last
// digit, where digits may lack zeros at the end.
func printed(t *testing.T, text string, digits int) (low, high float64) {
	t.Helper()
	v, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	if err != nil {
		t.Fatal(err)
	}
	half := math.Pow(10, math.Floor(math.Log10(math.Abs(v)))-float64(digits-1)) / 2
	return v - half, v + half
}

// checkSkills checks that each skill of a table is what its formula says of the numbers
// beside it, and returns how many there are.
func checkSkills(t *testing.T, where string, table *printedTable) (checked int) {
	t.Helper()
	model, horizon, nmse := table.column("model"), table.column("horizon"), table.column("nmse")
	series := table.column("series")
	for name, baseline := range map[string]string{study.SkillVsPersistence: "persistence", study.SkillVsVAR1: "var1"} {
		skill := table.column(name)
		if skill < 0 {
			continue
		}
		if nmse < 0 {
			t.Errorf("%s: skill without nmse", where)
			continue
		}
		// The rows of a series and a horizon have one nmse of the baseline, if any.
		for _, row := range table.rows {
			for _, other := range table.rows {
				if other[horizon] != row[horizon] || series >= 0 && other[series] != row[series] || row[skill] == "-" || other[skill] == "-" {
					continue
				}
				if other[model] != baseline && !(baseline == "persistence" && table.lacks(model, baseline)) {
					continue
				}
				// 1 - skill = nmse / nmse of the baseline = nmse (1 - skill of other) / nmse of other
				low, high := printed(t, row[nmse], 3)
				otherLow, otherHigh := printed(t, other[nmse], 3)
				s, _ := strconv.ParseFloat(row[skill], 64)
				o, _ := strconv.ParseFloat(other[skill], 64)
				const half = .0005
				if most, least := high/otherLow*(1-o+half), low/otherHigh*(1-o-half); !(1-s-half <= most) || !(1-s+half >= least) {
					t.Errorf("%s: %v: skill against %s is %v, the formula says %.3f to %.3f", where, row, baseline, s, 1-most, 1-least)
				}
				checked++
			}
		}
	}
	return checked
}

// lacks reports whether no row has the text in a column.
func (t *printedTable) lacks(column int, text string) bool {
	return !slices.ContainsFunc(t.rows, func(row []string) bool { return row[column] == text })
}

// checkComparisons checks that an interval of 95 % contains 0 if and only if p >= .05, and
// returns how many there are.
func checkComparisons(t *testing.T, where string, table *printedTable) (checked int) {
	t.Helper()
	interval, p := table.column("95 % interval"), table.column("p")
	if interval < 0 {
		return 0
	}
	for _, row := range table.rows {
		low, high, ok := strings.Cut(row[interval], " … ")
		l, err1 := strconv.ParseFloat(low, 64)
		h, err2 := strconv.ParseFloat(high, 64)
		prob, err3 := strconv.ParseFloat(strings.TrimPrefix(row[p], "< "), 64)
		if !ok || err1 != nil || err2 != nil || err3 != nil {
			t.Fatalf("%s: %v", where, row)
		}
		if (l > 0 || h < 0) != (prob < .05) {
			t.Errorf("%s: %v: the interval contradicts p", where, row)
		}
		checked++
	}
	return checked
}

// TestPrintedSkills: the tables on the pages, and those that commands print now, agree with
// the formulas below them.
func TestPrintedSkills(t *testing.T) {
	texts := map[string]string{
		"evaluate": string(mustCall(t, "evaluate", "../../eval/dataset/macrodata.csv", "--horizons", "1,4")),
		"replay":   string(mustCall(t, "replay", "../../eval/dataset/macrodata.csv", "--horizon", "4")),
		"demo":     string(mustCall(t, "demo", "--rate", "0", "--rows", "300", "--out", t.TempDir())),
	}
	pagesChecked := 0
	for name, text := range pages(t) {
		if strings.Contains(text, "┌") {
			texts[name] = text
		}
	}
	for name, text := range texts {
		for _, table := range tablesIn(text) {
			n := checkSkills(t, name, &table) + checkComparisons(t, name, &table)
			if strings.HasSuffix(name, ".md") {
				pagesChecked += n
				continue
			}
			if n == 0 && strings.Contains(strings.Join(table.header, " "), "skill") {
				t.Errorf("%s: nothing to check in %v", name, table.header)
			}
		}
		for line := range strings.Lines(text) {
			if strings.Contains(line, "│") && len([]rune(strings.TrimSpace(line))) > pageWidth {
				t.Errorf("%s: more than %d characters: %s", name, pageWidth, line)
			}
		}
	}
	if pagesChecked < 10 {
		t.Errorf("%d skills and intervals on pages", pagesChecked)
	}
}
