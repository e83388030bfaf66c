package report

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// figure is a plot that can be drawn in any size.
type figure struct {
	name    string // file name without extension
	title   string
	caption string
	legend  []entry
	draw    func(p *plot.Plot, c colors) // draws the content, without axes and legend
	aspect  float64                      // height / width; 0: default of the size
	x, y    string                       // labels of the axes
	axis    axis
	plain   bool // the x axis has no times
}

// entry is one line of a legend.
type entry struct {
	name  string
	color color.NRGBA
	area  bool
}

// palette is the palette of Okabe and Ito for colour-blind readers, without black, adjusted to white and dark
// backgrounds.
var palette = []color.NRGBA{
	{0x1f, 0x83, 0xd0, 255}, {0xd5, 0x5e, 0x00, 255}, {0x00, 0x9e, 0x73, 255}, {0xcc, 0x79, 0xa7, 255},
	{0xe6, 0x9f, 0x00, 255}, {0x56, 0xb4, 0xe9, 255}, {0x8c, 0x6d, 0x31, 255}, {0x94, 0x67, 0xbd, 255},
	{0xa6, 0xb8, 0x3c, 255}, {0x17, 0x8a, 0x8a, 255}, {0xe3, 0x77, 0x77, 255}, grey,
}

var grey = color.NRGBA{0x7f, 0x7f, 0x7f, 255}

func colorOf(i int) color.NRGBA { return palette[i%len(palette)] }

func faded(c color.NRGBA, alpha uint8) color.NRGBA {
	c.A = alpha
	return c
}

// colors are the colours of text and observations, and of the grid.
type colors struct{ ink, grid color.NRGBA }

var (
	// inPage has placeholders for the colours of the page, which compact replaces.
	inPage = colors{color.NRGBA{0x01, 0x02, 0x03, 255}, color.NRGBA{0x04, 0x05, 0x06, 255}}
	inFile = colors{color.NRGBA{0x22, 0x22, 0x22, 255}, color.NRGBA{0xdd, 0xdd, 0xdd, 255}}
)

// ink is the colour of text in a legend.
var ink = color.NRGBA{}

// figures returns the plots of the marked series and of the traces. The last trace is the model of interest.
func (r *Report) figures() []figure {
	all := r.Marked.figures()
	traces := r.Traces
	if len(traces) == 0 {
		return all
	}
	main := traces[len(traces)-1]
	if main.steps == 0 {
		return all
	}
	all = append(all, main.forecasts()...)
	for _, f := range []*figure{errorsOf(traces), coverageOf(traces), main.weights(), main.anomalies()} {
		if f != nil {
			all = append(all, *f)
		}
	}
	return all
}

// forecasts draws the last samples of the first series, one figure per variable.
func (t *Trace) forecasts() []figure {
	var all []figure
	for j, name := range t.c.Variables[:min(shownVariables, len(t.c.Variables))] {
		f := figure{
			name: "forecast-" + fileName(name), title: name, axis: newAxis(t.last[len(t.last)-1].time),
			legend: []entry{{"observed", ink, false}, {fmt.Sprintf("forecast of %s, %s ahead", t.c.Model, steps(t.c.Horizon)), palette[0], false}},
			draw:   func(p *plot.Plot, c colors) { t.drawForecast(p, c, j) },
		}
		if len(t.c.Levels) > 0 {
			f.legend = append(f.legend, entry{fmt.Sprintf("%.4g %% interval", 100*t.c.Levels[0]), faded(palette[0], 64), true})
		}
		all = append(all, f)
	}
	return all
}

func steps(n int) string {
	if n == 1 {
		return "1 step"
	}
	return fmt.Sprintf("%d steps", n)
}

func (t *Trace) drawForecast(p *plot.Plot, c colors, j int) {
	var observed, forecast, ahead plotter.XYs
	var band, fan ribbon
	a := newAxis(t.last[len(t.last)-1].time)
	for _, s := range t.last {
		x := a.x(s.time)
		observed = append(observed, plotter.XY{X: x, Y: s.y[j]})
		yhat, lo, hi := s.at(j)
		forecast = append(forecast, plotter.XY{X: x, Y: yhat})
		band.add(x, lo, hi)
	}
	for _, s := range t.future {
		x := a.x(s.time)
		yhat, lo, hi := s.at(j)
		ahead = append(ahead, plotter.XY{X: x, Y: yhat})
		fan.add(x, lo, hi)
	}
	band.draw(p, faded(palette[0], 64))
	fan.draw(p, faded(palette[0], 96))
	lines(p, forecast, palette[0], 1.2)
	lines(p, ahead, palette[0], 1.8)
	lines(p, observed, c.ink, 1.2)
}

// at returns the forecast of variable j and its bounds; NaN: none.
func (s *sample) at(j int) (yhat, lo, hi float64) {
	yhat, lo, hi = math.NaN(), math.NaN(), math.NaN()
	if len(s.yhat) > 0 {
		yhat = s.yhat[j]
	}
	if len(s.lower) > 0 {
		lo, hi = s.lower[j], s.upper[j]
	}
	return yhat, lo, hi
}

// ribbon is the area between the lines lo and hi.
type ribbon struct{ x, lo, hi []float64 }

func (r *ribbon) add(x, lo, hi float64) {
	r.x, r.lo, r.hi = append(r.x, x), append(r.lo, lo), append(r.hi, hi)
}

// draw fills the area, with gaps where a bound is NaN.
func (r *ribbon) draw(p *plot.Plot, c color.NRGBA) {
	for from := 0; from < len(r.x); {
		if math.IsNaN(r.lo[from]) || math.IsNaN(r.hi[from]) {
			from++
			continue
		}
		to := from
		for to < len(r.x) && !math.IsNaN(r.lo[to]) && !math.IsNaN(r.hi[to]) {
			to++
		}
		var edge plotter.XYs
		for i := from; i < to; i++ {
			edge = append(edge, plotter.XY{X: r.x[i], Y: r.lo[i]})
		}
		for i := to - 1; i >= from; i-- {
			edge = append(edge, plotter.XY{X: r.x[i], Y: r.hi[i]})
		}
		from = to
		if poly, err := plotter.NewPolygon(edge); err == nil { // an error means that a point is not finite
			poly.Color, poly.LineStyle.Width = c, 0
			p.Add(poly)
		}
	}
}

// lines draws a line, with gaps where a value is NaN.
func lines(p *plot.Plot, xy plotter.XYs, c color.NRGBA, width float64) {
	for from := 0; from < len(xy); {
		if math.IsNaN(xy[from].Y) || math.IsInf(xy[from].Y, 0) {
			from++
			continue
		}
		to := from
		for to < len(xy) && !math.IsNaN(xy[to].Y) && !math.IsInf(xy[to].Y, 0) {
			to++
		}
		if l, err := plotter.NewLine(xy[from:to]); err == nil { // an error means that a point is not finite
			l.LineStyle = draw.LineStyle{Color: c, Width: vg.Points(width)}
			p.Add(l)
		}
		from = to
	}
}

func dashed(c colors) draw.LineStyle {
	return draw.LineStyle{Color: c.ink, Width: vg.Points(.8), Dashes: []vg.Length{4, 3}}
}

// level draws a dashed line at y.
func level(p *plot.Plot, c colors, from, to, y float64) {
	l, err := plotter.NewLine(plotter.XYs{{X: from, Y: y}, {X: to, Y: y}})
	if err != nil {
		return // y is not finite
	}
	l.LineStyle = dashed(c)
	p.Add(l)
}

func ofSteps(n int) string {
	if n == 1 {
		return "step"
	}
	return fmt.Sprintf("%d steps", n)
}

// coverageOf draws the share of values inside the intervals against the nominal coverage.
func coverageOf(traces []*Trace) *figure {
	f := &figure{
		name: "coverage", title: "Coverage of the intervals", plain: true, x: "nominal", y: "measured",
		caption: "The share of the values that lay inside of the intervals of each level: on the diagonal the intervals are as good as they claim.",
	}
	type curve struct {
		xy plotter.XYs
		c  color.NRGBA
	}
	var curves []curve
	for i, t := range traces {
		xy := t.measured()
		if len(xy) == 0 {
			continue
		}
		curves = append(curves, curve{xy, colorOf(i)})
		f.legend = append(f.legend, entry{t.c.Model, colorOf(i), false})
	}
	if len(curves) == 0 {
		return nil
	}
	f.draw = func(p *plot.Plot, c colors) {
		diagonal, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 1}})
		if err == nil { // the points are finite
			diagonal.LineStyle = dashed(c)
			p.Add(diagonal)
		}
		for _, v := range curves {
			lines(p, v.xy, v.c, 1.2)
			if points, err := plotter.NewScatter(v.xy); err == nil { // the points are finite
				points.GlyphStyle = draw.GlyphStyle{Color: v.c, Radius: vg.Points(3), Shape: draw.CircleGlyph{}}
				p.Add(points)
			}
		}
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
	}
	f.aspect = .7
	return f
}

// measured returns pairs of nominal and measured coverage, ascending.
func (t *Trace) measured() plotter.XYs {
	var xy plotter.XYs
	for l, c := range t.cover {
		if c.n > 0 {
			xy = append(xy, plotter.XY{X: t.c.Levels[l], Y: c.hits / c.n})
		}
	}
	slices.SortFunc(xy, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) })
	return xy
}

// anomalies draws the anomaly score, and shades the labelled rows.
func (t *Trace) anomalies() *figure {
	var xy plotter.XYs
	top := 1.2
	a := newAxis(t.bins[len(t.bins)-1].time)
	for _, b := range t.bins {
		xy = append(xy, plotter.XY{X: a.x(b.time), Y: min(b.score, 5)})
		if b.score > top {
			top = min(b.score, 5)
		}
	}
	if !slices.ContainsFunc(xy, func(p plotter.XY) bool { return !math.IsNaN(p.Y) }) {
		return nil
	}
	f := &figure{
		name: "anomalies", title: "Anomaly score", axis: a, y: "score",
		caption: fmt.Sprintf("The largest score of each %s; above the dashed line at 1 is an alarm.", ofSteps(t.width)),
		legend:  []entry{{"score by the forecasts of " + t.c.Model, palette[0], false}},
	}
	if t.labels {
		f.legend = append(f.legend, entry{"labelled as anomalous", faded(palette[1], 80), true})
	}
	f.draw = func(p *plot.Plot, c colors) {
		for i := 0; i < len(t.bins); {
			if 2*t.bins[i].labelled < t.bins[i].steps || t.bins[i].labelled == 0 {
				i++
				continue
			}
			k := i
			for k+1 < len(t.bins) && 2*t.bins[k+1].labelled >= t.bins[k+1].steps {
				k++
			}
			end := xy[k].X
			if k+1 < len(xy) {
				end = xy[k+1].X
			}
			var r ribbon
			r.add(xy[i].X, 0, top)
			r.add(end, 0, top)
			r.draw(p, faded(palette[1], 80))
			i = k + 1
		}
		lines(p, xy, palette[0], 1.2)
		level(p, c, xy[0].X, xy[len(xy)-1].X, 1)
		p.Y.Min, p.Y.Max = 0, top
	}
	return f
}

// fileName converts the name of a variable into a name that every file system accepts.
func fileName(s string) string {
	s = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, s)
	return s[:min(len(s), 60)]
}

// coverageTable returns the numbers of the figure of coverageOf.
func coverageTable(traces []*Trace) Table {
	t := Table{Title: "Coverage by level", Numeric: 1, Header: []string{"model"}}
	for _, m := range traces {
		row := []string{m.c.Model}
		t.Header = t.Header[:1]
		for _, p := range m.measured() {
			t.Header = append(t.Header, fmt.Sprintf("%.4g %%", 100*p.X))
			row = append(row, fmt.Sprintf("%.1f %%", 100*p.Y))
		}
		if len(row) > 1 {
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}
