package report

import (
	"fmt"
	"image/color"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// xy is a point of a curve in units of the data: hours and values.
type xy struct{ hour, y float64 }

var (
	pathsOfSVG = regexp.MustCompile(`<path d="M([^"]*)" style="([^"]*)"`)
	hourZero   = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
)

// curvesOf draws a figure, and returns the curves of a colour, or the outlines of its areas, in units of the data. The
// drawing has coordinates with five digits; x are times.
func curvesOf(t *testing.T, f *figure, c color.NRGBA, area bool) (curves [][]xy) {
	t.Helper()
	p := f.plot(onFile, inFile)
	canvas := vgsvg.New(vg.Points(onFile.width), vg.Points(onFile.height))
	all := draw.New(canvas)
	p.Draw(all)
	data := p.DataCanvas(all)
	x, y := p.Transforms(&data)
	var b strings.Builder
	if _, err := canvas.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	style := fmt.Sprintf("stroke:#%02X%02X%02X", c.R, c.G, c.B)
	if area {
		r, g, b, a := c.RGBA() // the colour as vgsvg writes it
		whole := 255 / float64(a)
		style = fmt.Sprintf("fill:#%02X%02X%02X", int(float64(r)*whole), int(float64(g)*whole), int(float64(b)*whole))
		if c.A < 255 {
			style += fmt.Sprintf(";fill-opacity:%.5g", float64(a)/math.MaxUint16)
		}
	}
	unit := float64(3600)
	if f.plain {
		unit = 1
	}
	for _, m := range pathsOfSVG.FindAllStringSubmatch(b.String(), -1) {
		if !strings.Contains(m[2], style) {
			continue
		}
		var curve []xy
		for point := range strings.SplitSeq(strings.TrimSuffix(m[1], "Z"), "L") {
			left, right, _ := strings.Cut(point, ",")
			px, errX := strconv.ParseFloat(left, 64)
			py, errY := strconv.ParseFloat(right, 64)
			if errX != nil || errY != nil {
				curve = nil // skip the outline of a circle
				break
			}
			hour := p.X.Min + (px-float64(x(p.X.Min)))/float64(x(p.X.Max)-x(p.X.Min))*(p.X.Max-p.X.Min)
			if !f.plain {
				hour -= float64(hourZero)
			}
			curve = append(curve, xy{hour / unit, p.Y.Min + (py-float64(y(p.Y.Min)))/float64(y(p.Y.Max)-y(p.Y.Min))*(p.Y.Max-p.Y.Min)})
		}
		if curve != nil {
			curves = append(curves, curve)
		}
	}
	return curves
}

// sameCurves compares curves up to the digits of a drawing: 0.01 of 900 points across, and 0.01 of 300 upwards.
func sameCurves(t *testing.T, what string, got, want [][]xy, across, upwards float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d curves, want %d: %v", what, len(got), len(want), got)
		return
	}
	for i := range want {
		if len(got[i]) != len(want[i]) {
			t.Errorf("%s: curve %d has %d points, want %d:\n%v\n%v", what, i, len(got[i]), len(want[i]), got[i], want[i])
			continue
		}
		for k, w := range want[i] {
			if g := got[i][k]; math.Abs(g.hour-w.hour) > across*2e-4 || math.Abs(g.y-w.y) > upwards*2e-4 {
				t.Errorf("%s: curve %d, point %d is %v, want %v", what, i, k, g, w)
				break
			}
		}
	}
}

// outline is the outline of an area between two bounds.
func outline(hours []float64, lo, hi func(i int) float64) (edge []xy) {
	for i, h := range hours {
		edge = append(edge, xy{h, lo(i)})
	}
	for i := len(hours) - 1; i >= 0; i-- {
		edge = append(edge, xy{hours[i], hi(i)})
	}
	return edge
}

// TestFiguresByHand: the curves of the figures equal those computed here from the definition of drawnRun.
func TestFiguresByHand(t *testing.T) {
	const worse = .5
	inflow := func(i int) float64 {
		if i == 7 {
			return math.NaN()
		}
		return float64(i * i % 17)
	}
	level := func(i int) float64 { return 100 + 5*math.Abs(float64(i-12)) }
	e := func(i int) float64 { return worse * float64(1+i%3) }
	figures := make(map[string]*figure)
	list := (&Report{Traces: []*Trace{drawnRun("persistence", 1), drawnRun("auto", worse)}}).figures()
	for i := range list {
		figures[list[i].name] = &list[i]
	}

	// Forecasts: the observed values with a gap, the forecasts made two steps before, and the forecast ahead.
	var before, after, levels []xy
	for i := range 24 {
		levels = append(levels, xy{float64(i), level(i)})
		if i < 7 {
			before = append(before, xy{float64(i), inflow(i)})
		} else if i > 7 {
			after = append(after, xy{float64(i), inflow(i)})
		}
	}
	sameCurves(t, "inflow", curvesOf(t, figures["forecast-inflow"], inFile.ink, false)[tickLines(t, figures["forecast-inflow"]):], [][]xy{before, after}, 26, 24)
	sameCurves(t, "level", curvesOf(t, figures["forecast-level"], inFile.ink, false)[tickLines(t, figures["forecast-level"]):], [][]xy{levels}, 26, 90)
	var early, late []xy
	var earlyHours, lateHours []float64
	for i := 4; i < 24; i++ { // the first forecast was made at step 2
		switch {
		case i < 9:
			early, earlyHours = append(early, xy{float64(i), inflow(i-2) + e(i-2)}), append(earlyHours, float64(i))
		case i > 9:
			late, lateHours = append(late, xy{float64(i), inflow(i-2) + e(i-2)}), append(lateHours, float64(i))
		}
	}
	sameCurves(t, "forecasts of inflow", curvesOf(t, figures["forecast-inflow"], palette[0], false), [][]xy{early, late, {{24, 5}, {25, 6}}}, 26, 24)
	bound := func(hours []float64, d float64) func(i int) float64 {
		return func(i int) float64 { return inflow(int(hours[i])-2) + d }
	}
	sameCurves(t, "intervals of inflow", curvesOf(t, figures["forecast-inflow"], faded(palette[0], 64), true), [][]xy{
		outline(earlyHours, bound(earlyHours, -4), bound(earlyHours, 4)), outline(lateHours, bound(lateHours, -4), bound(lateHours, 4)),
	}, 26, 24)
	sameCurves(t, "intervals ahead", curvesOf(t, figures["forecast-inflow"], faded(palette[0], 96), true),
		[][]xy{{{24, 1}, {25, 0}, {25, 12}, {24, 9}}}, 26, 24)

	// Errors: in units of the errors of persistence, per variable over the run. Two series make two bins per step.
	naive := func(j, i int) float64 {
		if j == 0 {
			return inflow(i) - inflow(i-2)
		}
		return level(i) - level(i-2)
	}
	model := func(j, i int) float64 {
		if j == 0 {
			return naive(0, i) - e(i-2)
		}
		return naive(1, i) + 2*e(i-2)
	}
	var unit, n [2]float64
	for i := 4; i < 24; i++ {
		for j := range 2 {
			if v := naive(j, i); !math.IsNaN(v) {
				unit[j], n[j] = unit[j]+v*v, n[j]+1
			}
		}
	}
	var errors [][]xy
	gap := true
	for i := 4; i < 24; i++ {
		se, s := 0., 0.
		for j := range 2 {
			if v := naive(j, i); !math.IsNaN(v) {
				s += v * v * n[j] / unit[j]
				se += model(j, i) * model(j, i) * n[j] / unit[j]
			}
		}
		if s == 0 {
			gap = true
			continue
		}
		if gap {
			errors, gap = append(errors, nil), false
		}
		errors[len(errors)-1] = append(errors[len(errors)-1], xy{float64(i), se / s}, xy{float64(i), se / s})
	}
	p := figures["errors"].plot(onFile, inFile)
	for _, c := range errors {
		for k := range c {
			c[k].y = min(c[k].y, p.Y.Max)
		}
	}
	sameCurves(t, "errors", curvesOf(t, figures["errors"], palette[1], false), errors, 24, p.Y.Max)

	// Coverage: over scored steps, per level, ascending.
	covered := func(inflowReach, levelReach float64) float64 {
		hits, n := 0., 0.
		for i := 6; i < 24; i++ {
			for j, reach := range []float64{inflowReach, levelReach} {
				if v := naive(j, i); !math.IsNaN(v) {
					n++
					if math.Abs(v) <= reach {
						hits++
					}
				}
			}
		}
		return hits / n
	}
	sameCurves(t, "coverage", curvesOf(t, figures["coverage"], palette[1], false), [][]xy{{{.5, covered(1, 3)}, {.9, covered(4, 9)}}}, 1, 1)

	// Weights: half of last and of ar for the inflow; 0.005 and 0.995 of ar and season for the level.
	var hours []float64
	for i := range 24 {
		hours = append(hours, float64(i))
	}
	flat := func(v float64) func(int) float64 { return func(int) float64 { return v } }
	for k, bounds := range [][2]float64{{0, .25}, {.25, .5025}, {.5025, 1}} {
		sameCurves(t, "weights", curvesOf(t, figures["weights"], palette[k], true), [][]xy{outline(hours, flat(bounds[0]), flat(bounds[1]))}, 24, 1)
	}

	// Anomalies: a score of 6 is drawn at 5. The labelled hours are shaded up to the next bin.
	var scores [][]xy
	for i := range 24 {
		if i%9 == 0 {
			scores = append(scores, nil)
			continue
		}
		v := []float64{0, .2, .4, 5}[min(i%9, 3)]
		scores[len(scores)-1] = append(scores[len(scores)-1], xy{float64(i), v}, xy{float64(i), v})
	}
	sameCurves(t, "scores", curvesOf(t, figures["anomalies"], palette[0], false), scores, 24, 5)
	sameCurves(t, "labels", curvesOf(t, figures["anomalies"], faded(palette[1], 80), true), [][]xy{
		outline([]float64{12, 15}, flat(0), flat(5)), outline([]float64{20, 21}, flat(0), flat(5)),
	}, 24, 5)
}

// tickLines returns the number of lines in the colour of the axes: the axes and their ticks.
func tickLines(t *testing.T, f *figure) int {
	t.Helper()
	p := f.plot(onFile, inFile)
	return 2 + len(p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max)) + len(p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max))
}
