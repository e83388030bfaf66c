package thesis

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/dataset"
	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/internal/study"
	"github.com/orffvar/forecaster/internal/tools/recorded"
	"github.com/orffvar/forecaster/varmodel"
)

// record compares tables and values as JSON with a file of testdata.
func record(t *testing.T, name string, tables []report.Table, values ...any) {
	t.Helper()
	var b bytes.Buffer
	for _, table := range tables {
		fmt.Fprintf(&b, "%s, texts in %d columns, spare: %q, wide: %q\n", table.Title, table.Numeric, table.Spare, table.Wide)
		table.Print(&b, true)
	}
	for _, v := range values {
		text, err := json.MarshalIndent(v, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s\n", text)
	}
	recorded.Check(t, "testdata/"+name, b.String())
}

// ticking is a clock that goes on by 1, 2, 3 … milliseconds from call to call.
func ticking() func() time.Time {
	at, step := time.Unix(0, 0), time.Duration(0)
	return func() time.Time {
		step += time.Millisecond
		at = at.Add(step)
		return at
	}
}

// fileOf makes a series of the shape that an experiment expects of its file: a stable autoregression of neighbours, of as
// many rows as its window and twelve more, in units of its columns.
func fileOf(e *Experiment) *scoring.Dataset {
	if e.File == "macrodata.csv" {
		return dataset.Macrodata()
	}
	d := &scoring.Dataset{Name: e.File, Variables: []string{"a", "b", "c", "d", "e"}}
	switch e.Name {
	case "Heart":
		d.Variables = []string{"blood_oxygen", "heart_rate", "other", "chest_volume"}
	case "Gesture phase 1", "Gesture phase 4":
		d.Variables = nil
		for j := range 32 {
			d.Variables = append(d.Variables, fmt.Sprint("g", j))
		}
	}
	rng := rand.New(rand.NewPCG(8, 9))
	x := make([]float64, len(d.Variables))
	rows := make([][]float64, e.Window+12)
	for i := range rows {
		last := slices.Clone(x)
		rows[i] = make([]float64, len(x))
		for j := range x {
			x[j] = .6*last[j] + .3*math.Sin(last[(j+1)%len(x)]) + rng.NormFloat64()
			rows[i][j] = float64(j+1) * (x[j] + 3)
		}
	}
	d.Series = []scoring.Series{{Name: "s", Rows: rows}}
	return d
}

// Each experiment of Tables 8.1 to 8.3, on a short series of its shape, is that of testdata/tables.txt: the parameters of its
// models, its published figures, the scores and times, and the notes.
func TestTablesAsRecorded(t *testing.T) {
	var rows []*TableRow
	models := []SeededModel{
		{"var2", func(dim int, _ uint64) (eval.Model, error) {
			return varmodel.NewVAR(varmodel.VARConfig{Dim: dim, Order: 2, Horizon: 1})
		}},
		{"persistence", func(dim int, _ uint64) (eval.Model, error) {
			return varmodel.NewPersistence(varmodel.PersistenceConfig{Dim: dim, Horizon: 1})
		}},
	}
	for _, e := range Experiments() {
		if e.Name == "Climate" { // has its own test: its series must be whole
			continue
		}
		o := TableOptions{Features: TableFeatures, Seeds: []uint64{1, 2}, Models: models, Now: ticking()}
		switch {
		case e.Table == "8.2": // where the window and the number of frequencies alone differ
			e.Window /= 50
			o.Now = nil
		case e.Name == "Heart":
			e.Target = 1 // which persistence meets
		}
		row, err := e.Run(fileOf(&e), o)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	single := *rows[0]
	single.Online = single.Online[:1]
	record(t, "tables.txt", []report.Table{ScoreTable(rows, []string{"var2", "persistence"}), ScoreTable(rows, nil), ScoreTable([]*TableRow{&single}, []string{"var2"}), OKVARTable(rows), TimeTable(rows)}, TablesJSON(rows))
}

// The climate of 125 stations becomes one series: missing values are the mean of the variable, each station has z-scores of
// its own, and the last month is left out.
func TestClimateIsPrepared(t *testing.T) {
	const variables, stations, months = 18, 125, 156
	d := &scoring.Dataset{Name: "climate"}
	for v := range variables {
		for s := range stations {
			d.Variables = append(d.Variables, fmt.Sprintf("v%d_%03d", v, s+1))
		}
	}
	value := func(v, s, month int) float64 {
		if v == 2 && s == 3 && month%50 == 7 {
			return math.NaN()
		}
		return float64((v+1)*(month*month%31)) + float64(s*month%7)
	}
	rows := make([][]float64, months)
	for month := range rows {
		for v := range variables {
			for s := range stations {
				rows[month] = append(rows[month], value(v, s, month))
			}
		}
	}
	d.Series = []scoring.Series{{Rows: rows}}
	got, err := prepareClimate(d)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Variables) != variables || got.Variables[17] != "v17" || got.Len() != stations*(months-1) {
		t.Fatalf("%d rows of %q", got.Len(), got.Variables)
	}
	sum, known := 0., 0.
	for s := range stations {
		for month := range months {
			if v := value(2, s, month); v == v {
				sum, known = sum+v, known+1
			}
		}
	}
	for s := range stations {
		for v := range variables {
			all := make([]float64, months)
			mean, square := 0., 0.
			for month := range all {
				if all[month] = value(v, s, month); all[month] != all[month] {
					all[month] = sum / known
				}
				mean += all[month] / months
			}
			for _, x := range all {
				square += (x - mean) * (x - mean) / months
			}
			for month, x := range all[:months-1] {
				if z := got.Series[0].Rows[s*(months-1)+month][v]; math.Abs(z-(x-mean)/math.Sqrt(square)) > 1e-9 { // rounding of sums of 156 numbers
					t.Fatalf("station %d, variable %d, month %d: %v", s, v, month, z)
				}
			}
		}
	}
	for _, wrong := range []func(){
		func() { d.Series[0].Rows = rows[1:] },
		func() { d.Series = append(d.Series, d.Series[0]) },
		func() { d.Variables = d.Variables[1:] },
		func() { d.Variables, rows[0] = d.Variables[1:], nil },
	} {
		kept := *d
		d.Series = slices.Clone(d.Series)
		wrong()
		if _, err := prepareClimate(d); err == nil {
			t.Errorf("%d variables of %d series with %d rows were accepted", len(d.Variables), len(d.Series), d.Len())
		}
		*d = kept
	}
}

// The comparisons of chapter 6 that need no data are, with few points, those of testdata/chapter6.txt. That of chapter 9 is
// minimised up to 1e-5, so its digits depend on the processor: only its table is there.
func TestChapter6AsRecorded(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	c := new(Chapter6)
	if !c.Empty() || len(c.Tables()) > 0 {
		t.Errorf("%+v", c)
	}
	tasks, err := NewMultiTask(50, 2, 1, proceed, nil)
	must(err)
	c.Tasks = []*MultiTask{tasks, {N: 800, Independent: 8, Laplacian: 7, P: .001, Repeats: 3}}
	curl, err := CurlFields(20, 15, 3, 1, proceed, nil)
	must(err)
	c.Curl = &curl
	c.Field, err = NewFigure67(12, 3, 2, proceed)
	must(err)
	c.R20, err = NewFigure68(100, 3, proceed)
	must(err)
	c.Quantiles = []Figure91{{Method: "method", Pinball: .12346, Published: .818, Coverage: .0126, Crossing: .00126, Seconds: 1.26, PubSec: 1330}}
	out := make(map[string]any)
	if c.AddTo(out); c.Empty() {
		t.Error("empty")
	}
	record(t, "chapter6.txt", c.Tables(), out)
	c = &Chapter6{Ablation: make([]study.Ablation, 1), Parts: make([]study.Part, 2)}
	out = make(map[string]any)
	if c.AddTo(out); !reflect.DeepEqual(out, map[string]any{"ablation": c.Ablation, "ablation_parts": c.Parts}) {
		t.Errorf("%v", out)
	}
}

// A table is read from a folder, or is the bundled one; a file of other form is refused with its name and the reason.
func TestOpenTableData(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"good.csv": "time,a,b\n2026-01-01,1,2\n2026-01-02,3,\n2026-01-03,5,6\n", "twice.csv": "time,a\n2026-01-01,1\n2026-01-01,1\n2026-01-02,3\n",
		"empty.csv": "", "sub/good.csv": "time,a\n2026-01-01,1\n2026-01-02,2\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ dir, name, want string }{
		{"", "macrodata.csv", "macrodata 1 series, 203 rows of 12"}, {"", "other.csv", "file does not exist"},
		{dir, "good.csv", "good.csv 1 series, 3 rows of 2"}, {dir, "sub/good.csv", "sub/good.csv 1 series, 2 rows of 1"},
		{dir, "twice.csv", "twice.csv: a table needs one series of the same variables; refused: 1 duplicate; the first: "},
		{dir, "empty.csv", "empty.csv"}, {dir, "none.csv", "no such file"},
	} {
		d, err := OpenTableData(t.Context(), c.dir, c.name)
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprintf("%s %d series, %d rows of %d", d.Name, len(d.Series), d.Len(), d.Dim())
			if c.name == "good.csv" && (fmt.Sprint(d.Series[0].Rows) != "[[1 2] [3 NaN] [5 6]]" || d.Series[0].Times[1]-d.Series[0].Times[0] != int64(24*time.Hour) || fmt.Sprint(d.Variables) != "[a b]") {
				t.Errorf("%+v", d)
			}
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	two := filepath.Join(dir, "two.csv")
	if err := os.WriteFile(two, []byte("time,series,a\n2026-01-01,x,1\n2026-01-01,y,1\n2026-01-02,x,3\n2026-01-02,y,3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenTableData(t.Context(), dir, "two.csv"); err == nil {
		t.Error("two series were accepted")
	}
}
