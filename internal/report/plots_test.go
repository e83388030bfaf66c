package report

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/internal/plural"
	"gonum.org/v1/plot"
)

// drawn returns the picture of a figure.
func drawn(t *testing.T, f *figure) image.Image {
	t.Helper()
	var b bytes.Buffer
	if err := f.write(&b, pngFile); err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	return picture
}

// has reports whether a rectangle of a picture has a pixel of the given colour.
func has(picture image.Image, r image.Rectangle, c color.NRGBA) bool {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if color.NRGBAModel.Convert(picture.At(x, y)) == c {
				return true
			}
		}
	}
	return false
}

// Every band of weights is in the legend with its own colour: the largest ones by name, the others as one band.
func TestBandsOfWeights(t *testing.T) {
	for experts, want := range map[int]int{3: 3, 9: 9, 10: 10, 14: 10, 40: 10} {
		tr := NewTrace(Config{Model: "auto", Horizon: 1, Variables: []string{"a"}})
		names, w := make([]string, experts), make([]float64, experts)
		for e := range names {
			names[e], w[e] = fmt.Sprintf("a-long-name-of-an-expert%d", e), float64(1+e)
		}
		for i := range 3 * maxBins {
			tr.Step(Step{Time: int64(i), Y: []float64{1}})
			tr.Weights(names, w)
		}
		f := tr.weights()
		seen := make(map[color.NRGBA]bool)
		for _, e := range f.legend {
			seen[e.color] = true
		}
		if len(f.legend) != want || len(seen) != want {
			t.Errorf("%d experts: %d colours of %v", experts, len(seen), f.legend)
		}
		last := f.legend[len(f.legend)-1].name
		switch {
		case experts > mostBands && (last != "sum of "+plural.Count(experts-mostBands, "other expert") || !strings.Contains(f.caption, "The "+last+" is that of "+names[0])):
			t.Errorf("%d experts: %q, %s", experts, last, f.caption)
		case experts <= mostBands && last != names[experts-1]:
			t.Errorf("%d experts: %q", experts, last)
		}
		picture := drawn(t, f)
		foot := picture.Bounds()
		foot.Min.Y = foot.Max.Y - int(legendRow*4/3.)*len(f.legendRows(900, onFile))
		for _, e := range f.legend {
			if plot := image.Rect(foot.Min.X, 0, foot.Max.X, foot.Min.Y); !has(picture, plot, e.color) || !has(picture, foot, e.color) {
				t.Errorf("%d experts: %s is not drawn", experts, e.name)
			}
		}
	}
	tr := NewTrace(Config{Model: "auto", Horizon: 1, Variables: []string{"a"}})
	for i := range 2 * maxBins {
		tr.Step(Step{Time: int64(i), Y: []float64{1}})
		tr.Weights([]string{"large", "small", "tiny"}, []float64{.99, .002, .008})
	}
	if f := tr.weights(); len(f.legend) != 2 || f.legend[1].name != "sum of 2 other experts" || !strings.Contains(f.caption, "The sum of 2 other experts is that of small, tiny.") {
		t.Errorf("small ones: %v, %s", f.legend, f.caption)
	}
}

// Errors over more than two decades have a logarithmic axis that separates the least ones. For fewer decades, and for
// models without an error, the axis begins at zero.
func TestErrorAxis(t *testing.T) {
	for _, c := range []struct {
		errors []float64 // of the forecasts, for ten steps each, where persistence errs by 1
		ticks  string    // of a logarithmic axis
	}{
		{[]float64{1, .5, .2}, ""},
		{[]float64{1, 0, 0}, ""},
		{[]float64{1, math.Inf(1), .5}, ""},
		{[]float64{1, .5, .1, .05}, "1 0.1 0.01"},
		{[]float64{1e3, 1, .01}, "1e+06 10000 100 1 0.01"},
		{[]float64{1, 0, 1e-9}, "1 0.01 0.0001 1e-06 1e-08"},
	} {
		tr := NewTrace(Config{Model: "m", Horizon: 1, Variables: []string{"a"}})
		for i := range len(c.errors) * 10 {
			y := float64(i)
			tr.Step(Step{Time: int64(i) * 1e9, Y: []float64{y}, Forecast: []float64{y + 1 + c.errors[i/10]}})
		}
		f := errorsOf([]*Trace{tr})
		p := f.plot(onFile, inFile)
		var labels []string
		if _, logarithmic := p.Y.Tick.Marker.(decades); logarithmic {
			for _, tick := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
				labels = append(labels, tick.Label)
			}
		} else if p.Y.Min != 0 {
			t.Errorf("%v: a linear axis from %v", c.errors, p.Y.Min)
		}
		if got := strings.Join(labels, " "); got != c.ticks || strings.Contains(f.caption, "logarithmic") != (got != "") {
			t.Errorf("%v: ticks %q, want %q; %s", c.errors, got, c.ticks, f.caption)
		}
		drawn(t, f)
	}
	short := NewTrace(Config{Model: "m", Horizon: 1, Variables: []string{"a"}})
	for i := range 2 {
		short.Step(Step{Time: int64(i) * 1e9, Y: []float64{float64(i)}, Forecast: []float64{0}})
	}
	if f := errorsOf([]*Trace{short}); f != nil {
		t.Errorf("a plot of one error, with the legend %v", f.legend)
	}
}

// A long series keeps its peaks. Its anomalies are shaded, even those of one row. Their leading variables are drawn
// first.
func TestMarkedSeries(t *testing.T) {
	nan := math.NaN()
	m := &Marked{Series: "s", Variables: []string{"a", "b", "c", "d", "e", "f", "g", "h"}, Leading: []int{7}, Stretches: [][2]int{{5000, 5000}}}
	for i := range 20_000 {
		row := []float64{math.Sin(float64(i) / 50), nan, 3, 0, 0, 0, 0, 0}
		if i == 12_345 {
			row[7] = 100
		}
		m.Times, m.Rows = append(m.Times, int64(i)*3600e9), append(m.Rows, row)
	}
	all := m.figures()
	if len(all) != shownVariables || all[0].name != "anomalies-h" || all[1].name != "anomalies-a" {
		t.Fatalf("%d figures, %s", len(all), all[0].name)
	}
	for i := range all {
		p := plot.New()
		all[i].draw(p, inFile)
		if i == 0 && !(p.Y.Max > 100) {
			t.Errorf("the peak is not drawn: %v", p.Y.Max)
		}
		if !(p.Y.Min < p.Y.Max) {
			t.Errorf("%s: %v to %v", all[i].title, p.Y.Min, p.Y.Max)
		}
	}
	shade := color.NRGBA{242, 205, 175, 255} // palette[1] on white
	picture := drawn(t, &all[0])
	head := image.Rect(picture.Bounds().Dx()/5, 60, picture.Bounds().Dx()/3, 80)
	if !has(picture, head, shade) {
		t.Error("the row of an anomaly is not shaded")
	}
	var b bytes.Buffer
	if err := (&Report{Title: "x", Marked: m}).WriteHTML(&b); err != nil || !strings.Contains(b.String(), "rows of anomalies of any variable are shaded") {
		t.Errorf("the page: %v", err)
	}
	if (*Marked)(nil).figures() != nil || (&Marked{}).figures() != nil {
		t.Error("figures of nothing")
	}
}

// A bin of rows is drawn by its extremes, at their own times and in order of time: a slope stays a slope. A bin without
// a value is a gap.
func TestExtremesInOrder(t *testing.T) {
	m := &Marked{Variables: []string{"a"}}
	for i := range 2 * maxBins * 4 { // four rows per bin
		v := float64(i)
		switch {
		case i >= 8 && i < 12:
			v = math.NaN()
		case i >= 4 && i < 8:
			v = float64(-i)
		}
		m.Times, m.Rows = append(m.Times, int64(i)*1e9), append(m.Rows, []float64{v})
	}
	m.Rows[0][0] = math.NaN()
	a := newAxis(m.Times[len(m.Times)-1])
	xy, bottom, top := m.extremes(a, 0)
	if last := float64(len(m.Rows) - 1); bottom != -7 || top != last {
		t.Errorf("from %v to %v, want -7 to %v", bottom, top, last)
	}
	for i, row := range []int{1, 3, 4, 7, 8, 12, 15, 16, 19} {
		if want := a.x(m.Times[row]); xy[i].X != want || xy[i].Y != m.Rows[row][0] && row != 8 {
			t.Errorf("point %d: %v, want that of row %d", i, xy[i], row)
		}
	}
	if !math.IsNaN(xy[4].Y) {
		t.Errorf("no gap: %v", xy[4])
	}
}

// The coverage of each level with a target, in order of the levels.
func TestMeasuredCoverage(t *testing.T) {
	r := Trace{cover: []coverage{{1, 1}, {}, {1, 2}}}
	r.c.Levels = []float64{.9, .8, .5}
	if got := fmt.Sprint(r.measured()); got != "[{0.5 0.5} {0.9 1}]" {
		t.Errorf("levels and coverage %s", got)
	}
}
