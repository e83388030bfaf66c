package report

import (
	_ "embed"
	"fmt"
	"image/color"
	"io"

	g "maragu.dev/gomponents"
	"maragu.dev/gomponents/html"
)

//go:embed page.css
var style string

// WriteHTML writes the page.
//
// The page is built from nodes, not from a template. Templates call methods by name: the linker would keep every method
// of every type in the program, seven megabytes.
func (r *Report) WriteHTML(w io.Writer) error {
	facts := r.Facts
	if len(r.Traces) > 0 {
		facts = append(facts[:len(facts):len(facts)], r.Traces[0].FirstOfSeveral(), leftOut(r.Traces))
	}
	tables := r.Tables
	if t := coverageTable(r.Traces); len(t.Rows) > 0 {
		tables = append(tables[:len(tables):len(tables)], t)
	}
	return html.Doctype(html.HTML(html.Lang("en"),
		html.Head(
			html.Meta(html.Charset("utf-8")),
			g.Raw(htmlMark),
			html.Meta(html.Name("viewport"), html.Content("width=device-width, initial-scale=1")),
			html.Meta(html.Name("color-scheme"), html.Content("light dark")),
			html.TitleEl(g.Text(r.Title)),
			html.StyleEl(g.Raw(style)),
		),
		html.Body(
			html.Main(
				html.H1(g.Text(r.Title)),
				g.Map(facts, paragraph),
				g.Map(tables, Table.node),
				g.Map(r.figures(), func(f figure) g.Node { return f.node() }),
			),
			g.If(r.Made != "", html.Footer(g.Text(r.Made))),
		),
	)).Render(w)
}

// paragraph returns text as a paragraph, or nothing if text is empty.
func paragraph(text string) g.Node { return g.If(text != "", html.P(g.Text(text))) }

func (t Table) node() g.Node {
	cells := func(element func(...g.Node) g.Node, texts []string) g.Node {
		var row g.Group
		for i, text := range texts {
			row = append(row, element(g.If(i >= t.Numeric, html.Class("n")), g.Text(text)))
		}
		return html.Tr(row...)
	}
	return g.Group{
		html.H2(g.Text(t.Title)),
		paragraph(t.Caption),
		html.Div(html.Class("scroll"), html.TabIndex("0"), html.Table(
			html.THead(cells(html.Th, t.Header)),
			html.TBody(g.Map(t.Rows, func(row []string) g.Node { return cells(html.Td, row) })),
		)),
		paragraph(t.More),
	}
}

func (f *figure) node() g.Node {
	return g.Group{
		html.H2(html.ID(f.name), g.Text(f.title)),
		paragraph(f.caption),
		g.If(len(f.legend) > 0, html.Ul(g.Map(f.legend, entry.node))),
		html.Div(html.Class("wide"), g.Raw(f.svg(wide))),
		html.Div(html.Class("narrow"), g.Raw(f.svg(narrow))),
	}
}

func (e entry) node() g.Node {
	return html.Li(html.I(g.If(e.area, html.Class("area")), html.Style("background:"+css(e.color))), g.Text(e.name))
}

func css(c color.NRGBA) string {
	if c == ink {
		return "currentColor"
	}
	return fmt.Sprintf("rgb(%d %d %d / %.2f)", c.R, c.G, c.B, float64(c.A)/255)
}
