package report

import (
	"bytes"
	"fmt"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOutputs: the page and the plots are written to the given places, with one printed line each. The error for a
// place that cannot be written names the flag.
func TestOutputs(t *testing.T) {
	dir := t.TempDir()
	page, plots, file := filepath.Join(dir, "page.html"), filepath.Join(dir, "a", "plots"), filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		o           Outputs
		wanted      bool
		says        string
		errs        string // expected error of Write
		folderFails bool
	}{
		{Outputs{}, false, "", "", false},
		{Outputs{Page: page, Made: "forecaster 1.2"}, true, "report: " + page + "\n", "", false},
		{Outputs{Plots: plots}, true, "plots: 12 files in " + plots + "\n", "", false},
		{Outputs{Page: filepath.Join(file, "x")}, true, "", "--report: ", false},
		{Outputs{Plots: file}, true, "", "--plots: ", true},
	} {
		if c.o.Wanted() != c.wanted {
			t.Errorf("%+v: wanted %t", c.o, !c.wanted)
		}
		if err := c.o.MakeFolder(); (err != nil) != c.folderFails || err != nil && !strings.HasPrefix(err.Error(), "--plots: ") {
			t.Errorf("%+v: %v", c.o, err)
		}
		var b bytes.Buffer
		err := c.o.Write(&b, &Report{Title: "t", Traces: []*Trace{drawnRun("auto", .5)}})
		if b.String() != c.says || fmt.Sprint(err) == "" || (err == nil) != (c.errs == "") || err != nil && !strings.HasPrefix(err.Error(), c.errs) {
			t.Errorf("%+v: %q, %v", c.o, b.String(), err)
		}
	}
	text, err := os.ReadFile(page)
	if err != nil || !bytes.Contains(text, []byte("forecaster 1.2")) {
		t.Errorf("the page: %v", err)
	}
	if info, err := os.Stat(plots); err != nil || !info.IsDir() {
		t.Errorf("the folder: %v", err)
	}
}

// TestWritePlot: only the first plot is written, in the format of the extension. A run without a forecast is an error.
func TestWritePlot(t *testing.T) {
	r := &Report{Traces: []*Trace{drawnRun("auto", .5)}}
	for name, begins := range map[string]string{"a.svg": "<?xml", "a.SVG": "<?xml", "a.png": "\x89PNG", "a": "\x89PNG"} {
		name = filepath.Join(t.TempDir(), name)
		if err := r.WritePlot(name); err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(name); err != nil || !strings.HasPrefix(string(b), begins) || strings.Contains(begins, "xml") && !bytes.Contains(b, []byte(">inflow<")) {
			t.Errorf("%s: %.20q %v", name, b, err)
		}
	}
	if err := (&Report{}).WritePlot(filepath.Join(t.TempDir(), "a.svg")); err == nil || err.Error() != "nothing to draw: there is no forecast" {
		t.Error(err)
	}
}

// TestPicturesAreOpaque: the background of a file is white.
func TestPicturesAreOpaque(t *testing.T) {
	all := (&Report{Traces: []*Trace{drawnRun("auto", .5)}}).figures()
	var b bytes.Buffer
	if err := all[0].write(&b, pngFile); err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	size := picture.Bounds()
	for x := size.Min.X; x < size.Max.X; x++ {
		for _, y := range []int{size.Min.Y, size.Max.Y - 1} {
			if c := color.NRGBAModel.Convert(picture.At(x, y)); c != (color.NRGBA{255, 255, 255, 255}) {
				t.Fatalf("the edge at %d, %d is %v", x, y, c)
			}
		}
	}
}

// TestLeftOut: the variables after the sixth are named, up to twenty.
func TestLeftOut(t *testing.T) {
	of := func(n int) string {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprint("v", i))
		}
		return leftOut([]*Trace{NewTrace(Config{Horizon: 1, Variables: names})})
	}
	const head, tail = "The forecasts of the first 6 variables are drawn; left out: ", ". Scores and errors are of all variables."
	twenty := "v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16, v17, v18, v19, v20, v21, v22, v23, v24, v25"
	for n, want := range map[int]string{6: "", 7: head + "v6" + tail, 26: head + twenty + tail, 27: head + twenty + " and 1 more" + tail} {
		if got := of(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	if leftOut(nil) != "" {
		t.Error("of nothing")
	}
	facts := []string{"a fact", "cut"}[:1]
	trace := NewTrace(Config{Horizon: 1, Variables: strings.Split("a b c d e f g", " "), Series: "x"})
	for i := range 2 {
		if got := trace.FirstOfSeveral(); got != "" {
			t.Errorf("with %d series: %q", i, got)
		}
		trace.Step(Step{Series: i, Y: make([]float64, 7)})
	}
	r := &Report{Facts: facts, Traces: []*Trace{trace}}
	var b strings.Builder
	if err := r.WriteHTML(&b); err != nil || !strings.Contains(b.String(), "left out: g.") || !strings.Contains(b.String(), "The forecasts of series x, the first of 2, are drawn.") || facts[:2][1] != "cut" {
		t.Errorf("the page: %v", err)
	}
}
