package report

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/tools/recorded"
)

// drawnRun is a run of two series with the parts of each figure: gaps, forecasts from the third step on, errors by
// decades, scores with labels, weights of many experts, and a forecast ahead.
func drawnRun(model string, worse float64) *Trace {
	t := NewTrace(Config{Model: model, Series: "north", Horizon: 2, Variables: []string{"inflow", "level"}, Levels: []float64{.9, .5}})
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()
	at := func(i int) int64 { return start + int64(i)*int64(time.Hour) }
	for i := range 24 {
		y := []float64{float64(i * i % 17), 100 + 5*math.Abs(float64(i-12))}
		if i == 7 {
			y[0] = math.NaN()
		}
		e := worse * float64(1+i%3)
		s := Step{
			Time: at(i), Y: y, Forecast: []float64{y[0] + e, y[1] - 2*e}, Scored: i >= 6, Labelled: i/3 == 4 || i == 20,
			Lower: []float64{y[0] - 4, y[1] - 9, y[0] - 1, y[1] - 3}, Upper: []float64{y[0] + 4, y[1] + 9, y[0] + 1, y[1] + 3},
			Anomaly: []float64{math.NaN(), .2, .4, 6}[min(i%9, 3)],
		}
		if i < 2 {
			s.Forecast, s.Lower, s.Upper = nil, nil, nil
		}
		for s.Series = range 2 {
			t.Step(s)
		}
		t.Weights([]string{"last", "ar", "season"}, []float64{.5, .5, 0, 0, .005, .995})
	}
	t.Future(at(24), []float64{5, 160}, []float64{1, 150}, []float64{9, 170})
	t.Future(at(25), []float64{6, 165}, []float64{0, 150}, []float64{12, 180})
	return t
}

// number is a number in a drawing.
var number = regexp.MustCompile(`-?\d+\.\d+`)

// rounded rounds each number to one decimal: the last bits differ between processors.
func rounded(text string) string {
	return number.ReplaceAllStringFunc(text, func(s string) string {
		v, _ := strconv.ParseFloat(s, 64) // number matches only floats
		return strconv.FormatFloat(v, 'f', 1, 64)
	})
}

// TestFiguresAsRecorded: each figure equals the file in testdata/figures, on a page and in a file. `UPDATE_GATES=1 go
// test ./internal/report` records them. Then look at them, and at TestFiguresByHand, which checks their numbers.
func TestFiguresAsRecorded(t *testing.T) {
	persistence := drawnRun("persistence", 1)
	marked := &Marked{Series: "pump", Variables: []string{"a", "b"}, Leading: []int{1}, Stretches: [][2]int{{2, 4}, {9, 9}}}
	empty := &Marked{Series: "pump", Variables: []string{"nothing"}}
	for i := range 12 {
		marked.Times, marked.Rows = append(marked.Times, int64(i)*1e9), append(marked.Rows, []float64{float64(i), float64(i % 5)})
		empty.Times, empty.Rows = append(empty.Times, int64(i)*1e9), append(empty.Rows, []float64{math.NaN()})
	}
	figures := (&Report{Marked: marked, Traces: []*Trace{persistence, drawnRun("far off", 300), drawnRun("auto", .5)}}).figures()
	figures = append(figures, empty.figures()...)
	for _, f := range figures {
		var file bytes.Buffer
		if err := f.write(&file, svgFile); err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, e := range f.legend {
			fmt.Fprintf(&b, "<!-- %s, %v, area %t -->\n", e.name, e.color, e.area)
		}
		fmt.Fprintf(&b, "<!-- %s: %s -->\n%s\n%s\n%s", f.title, f.caption, f.svg(narrow), f.svg(wide), file.String())
		recorded.Check(t, filepath.Join("testdata", "figures", f.name+".html"), rounded(b.String()))
	}
}
