package study

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/orff/accuracy"
	"github.com/orffvar/forecaster/varmodel/units"
)

// TestKernelsAsRecorded: the plans and the check of kernels of several operators and scales.
func TestKernelsAsRecorded(t *testing.T) {
	var b strings.Builder
	for _, c := range []struct {
		what string
		set  func(m *config.Model)
	}{
		{"gaussian", func(*config.Model) {}},
		{"curl_free", func(m *config.Model) { m.Kernel.Operator.Name = "curl_free" }},
		{"ranged", func(m *config.Model) { m.Kernel.Inputs = "ranged" }},
		{"common", func(m *config.Model) { m.Kernel.Inputs = "common"; m.Bandwidth = 2 }},
		{"product", func(m *config.Model) { m.Kernel.Times.Name = "laplacian" }},
		{"no kernel model", func(m *config.Model) { m.Type = "auto" }},
	} {
		m := fitConfig()
		m.Type = "kernelvar"
		c.set(&m)
		k, err := PlainKernel(m, 3, 20)
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		p := accuracy.Problem{Epsilon: .2, Delta: .05, Points: 100, Diameter: 10, Radius: 1, IntrinsicDimension: 20, Draws: 20}
		plans := Plans(k, p)
		check, err := NewCheck(k, m, Noise(3, 60, 1), .2)
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		b.WriteString(c.what + "\n" + printed(t, []report.Table{PlanTable(plans, p), check.Table(.2)}, []any{plans, check}))
	}
	checkRecorded(t, "kernels.txt", b.String())
	m := fitConfig()
	m.Order = 5
	k, err := PlainKernel(m, 3, 20)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := NewCheck(k, m, Noise(3, 4, 1), .2); err == nil || c != nil || err.Error() != "too few complete rows for model.order: 5" {
		t.Errorf("four rows of five lags: %+v, %v", c, err)
	}
	m.Kernel.Operator.Name = "none"
	if k, err := PlainKernel(m, 3, 20); err == nil {
		t.Errorf("an operator that there is not: %v", k)
	}
}

// TestColumnScales: the scale of a variable is its standard deviation, its range, or one of all; a missing value counts
// for nothing.
func TestColumnScales(t *testing.T) {
	rows := [][]float64{{1, 10}, {3, math.NaN()}, {5, 30}}
	deviation := []float64{math.Sqrt(8. / 3), 10}
	common := math.Sqrt((8./3 + 100) / 2)
	for as, want := range map[units.Scale][2][]float64{
		units.Standardised: {{3, 20}, deviation}, units.Ranged: {{1, 10}, {4, 20}}, units.Common: {{3, 20}, {common, common}},
	} {
		shift, scale := columnScales(rows, 2, as)
		for j := range shift {
			if math.Abs(shift[j]-want[0][j]) > 1e-12 || math.Abs(scale[j]-want[1][j]) > 1e-12 {
				t.Errorf("%v: %v and %v, want %v", as, shift, scale, want)
			}
		}
	}
	if shift, _ := columnScales([][]float64{{1, 10, 3, 20}, {5, 30, 7, 40}}, 2, units.Standardised); shift[0] != 4 || shift[1] != 25 { // rows of two samples
		t.Errorf("the means are %v", shift)
	}
	all := make([][]float64, 1200)
	for i := range all {
		all[i] = []float64{float64(i)}
	}
	all[4] = []float64{math.NaN()}
	if x := scaledLags(all, 2, 0, units.Standardised, 1); len(x) != 2*500 {
		t.Errorf("%d numbers of two lags each, want 500 inputs", len(x))
	}
}

// TestTablesOfParts: the lines of the ablations as tables.
func TestTablesOfParts(t *testing.T) {
	parts := []Part{
		{"season", 1, 1.01, 1.004, "a", .997, "b"}, {"season", 4, 1.02, 1.2, "c", .9, "d"}, {"season", 24, 1.03, 1.1, "e", .95, "f"},
		{"trend", 1, 1, 1.004, "a", .996, "b"}, {"trend", 4, 1, 1.0049, "c", .9951, "d"}, {"trend", 24, 1, 1, "e", 1, "f"},
	}
	lines := []Ablation{{"Lorenz", 4, .1, .25, 1.5, .0005}}
	checkRecorded(t, "ablations.txt", printed(t, []report.Table{PartTable(parts), AblationTable(lines)}, []any{parts, lines}))
}

// TestRecordsBehindAHistory: the rows of a history come before those of a file, whose series it may name otherwise; one that
// does not fit is refused.
func TestRecordsBehindAHistory(t *testing.T) {
	dir := t.TempDir()
	file := func(name, header string, from, n int) *Records {
		text := header + "\n"
		for i := range n {
			text += time.Date(2026, 1, 1, from+i, 0, 0, 0, time.UTC).Format(time.RFC3339) + strings.Repeat(",1", strings.Count(header, ",")) + "\n"
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, records := readFile(t, path)
		return records
	}
	later := file("later.csv", "time,x,y", 50, 30)
	for _, c := range []struct {
		history *Records
		rows    int
		want    string
	}{
		{file("before.csv", "time,x,y", 0, 50), 50, ""},
		{file("short.csv", "time,x,y", 40, 10), 10, ""},
		{file("other.csv", "time,x,z", 0, 50), 0, "other.csv has not the variables of "},
		{file("overlap.csv", "time,x,y", 1, 50), 0, "overlap.csv does not end before "},
	} {
		joined, samples, rows, err := later.After(t.Context(), c.history, config.Default())
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.history.Name, err, c.want)
		}
		if err == nil && (rows != c.rows || samples.Len() != c.rows+30 || joined.Len() != c.rows+30 || len(samples.Series) != 1) {
			t.Errorf("%s: %d rows of %d, %d records", c.history.Name, rows, samples.Len(), joined.Len())
		}
	}
}
