package report

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/orffvar/forecaster/internal/lazyregexp"
)

// size is the size of a figure in points.
type size struct {
	width, height float64
	text          float64 // height of the letters
	ticks         int     // approximate number of ticks on the x axis
}

// Sizes for a telephone, a screen and a file.
var (
	narrow = size{360, 230, 11, 4}
	wide   = size{900, 260, 12, 9}
	onFile = size{900, 360, 13, 9}
)

// plot returns the figure without its legend.
func (f *figure) plot(s size, c colors) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil // the page has its own background
	text := font.Font{Typeface: "Liberation", Variant: "Sans", Size: font.Points(s.text)}
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Color, a.Label.TextStyle.Color, a.Tick.Label.Color, a.Tick.Color = c.ink, c.ink, c.ink, c.ink
		a.Tick.Label.Font, a.Label.TextStyle.Font = text, text
		a.LineStyle.Width, a.Tick.Width = vg.Points(.5), vg.Points(.5)
	}
	p.X.Label.Text, p.Y.Label.Text = f.x, f.y
	p.Y.Tick.Marker = sparse(5)
	if f.plain {
		p.X.Tick.Marker = sparse(6)
	} else {
		p.X.Tick.Marker = f.axis.ticker(s.ticks)
	}
	g := plotter.NewGrid()
	g.Horizontal.Color, g.Vertical.Color = c.grid, c.grid
	g.Horizontal.Dashes, g.Vertical.Dashes = nil, nil
	p.Add(g)
	f.draw(p, c)
	return p
}

// sized returns s with the proportions of the figure.
func (f *figure) sized(s size) size {
	if f.aspect > 0 {
		s.width = min(s.width, 480)
		s.height = f.aspect * s.width
	}
	return s
}

// svg draws the figure for a page: in the colours of the page, and with the full width of its place.
func (f *figure) svg(s size) string {
	s = f.sized(s)
	c := vgsvg.New(vg.Points(s.width), vg.Points(s.height))
	f.plot(s, inPage).Draw(draw.Crop(draw.New(c), 0, -14, 0, 0)) // room for half of the last tick's label
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		panic("report: " + err.Error()) // writing to a Buffer never fails
	}
	text := b.String()
	text = text[strings.Index(text, "<svg"):]
	head := fmt.Sprintf(`<svg class="plot" viewBox="0 0 %g %g" style="max-width:%gpx" role="img" aria-label=%q>`, s.width, s.height, 4*s.width/3, f.title)
	text = head + text[strings.Index(text, ">")+1:]
	return compact(text)
}

var (
	spaces   = lazyregexp.New(`\s*\n\s*`)
	fonts    = lazyregexp.New(`font-family:[^;"]*;font-variant:[^;"]*;font-weight:[^;"]*;font-style:[^;"]*;?`)
	paths    = lazyregexp.New(` d="[^"]*"`)
	decimals = lazyregexp.New(`(\d+\.\d)\d+`)
)

// compact removes the parts of an SVG that a page does not need, and replaces placeholder colours by names of the page's
// colours.
func compact(svg string) string {
	svg = fonts().ReplaceAllString(svg, "")
	svg = paths().ReplaceAllStringFunc(svg, func(d string) string { return decimals().ReplaceAllString(d, "$1") })
	svg = strings.NewReplacer("#010203", "currentColor", "#040506", "var(--grid)").Replace(svg)
	return spaces().ReplaceAllString(svg, "\n")
}

// format is a file format.
type format string

const (
	svgFile format = "svg"
	pngFile format = "png"
)

// write draws the figure with title and legend, dark on white.
func (f *figure) write(w io.Writer, kind format) error {
	s := f.sized(onFile)
	rows := f.legendRows(vg.Points(s.width), s)
	legend := legendRow * float64(len(rows))
	width, height := vg.Points(s.width), vg.Points(s.height+legend)
	p := f.plot(s, inFile)
	p.Title.TextStyle.Color = inFile.ink
	p.BackgroundColor = color.White
	p.Title.Text = f.title
	p.Title.TextStyle.Font = font.Font{Typeface: "Liberation", Variant: "Sans", Size: font.Points(s.text + 2)}
	var canvas interface {
		vg.CanvasSizer
		io.WriterTo
	} = vgsvg.New(width, height)
	if kind == pngFile {
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(96), vgimg.UseBackgroundColor(color.White))}
	}
	c := draw.New(canvas)
	p.Draw(draw.Crop(c, 6, -12, vg.Points(legend)+6, -6))
	for i, row := range rows {
		drawLegend(c, row, legendStyle(s), vg.Points(legendRow*float64(len(rows)-1-i)))
	}
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	text := b.Bytes()
	if kind == pngFile {
		text = withMark(text)
	} else {
		text = bytes.Replace(text, []byte("<svg"), []byte(SVGMark+"\n<svg"), 1)
	}
	_, err := w.Write(text)
	return err
}

// legendRow is the height of a row of the legend in points.
const legendRow = 24

// Widths in a row of the legend, in points: left margin, sample of an entry, and gap behind a name.
const legendLeft, legendSample, legendGap = 40, 21, 19

func legendStyle(s size) draw.TextStyle {
	return draw.TextStyle{Color: inFile.ink, Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: font.Points(s.text - 1)}, Handler: plot.DefaultTextHandler}
}

// legendRows splits the entries of the legend into rows that fit the width.
func (f *figure) legendRows(width vg.Length, s size) (rows [][]entry) {
	style := legendStyle(s)
	x := width
	for _, e := range f.legend {
		wide := style.Width(e.name) + legendSample + legendGap
		if x+wide > width {
			rows, x = append(rows, nil), legendLeft
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], e)
		x += wide
	}
	return rows
}

// drawLegend writes a row of the legend at the height y.
func drawLegend(c draw.Canvas, row []entry, style draw.TextStyle, y vg.Length) {
	x := vg.Points(legendLeft)
	for _, e := range row {
		if e.color == ink {
			e.color = inFile.ink
		}
		if e.area {
			c.FillPolygon(e.color, []vg.Point{{X: x, Y: y + 8}, {X: x + 16, Y: y + 8}, {X: x + 16, Y: y + 18}, {X: x, Y: y + 18}})
		} else {
			c.StrokeLine2(draw.LineStyle{Color: e.color, Width: 2}, x, y+13, x+16, y+13)
		}
		c.FillText(style, vg.Point{X: x + legendSample, Y: y + 9}, e.name)
		x += style.Width(e.name) + legendSample + legendGap
	}
}
