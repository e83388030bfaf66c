package study

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"slices"

	"github.com/orffvar/forecaster/eval/simulate"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/varmodel/interval"
)

// Influences are the output of influence for a series.
type Influences struct {
	Series    string            `json:"series"`
	Variables []string          `json:"variables"`
	Influence [][]report.Number `json:"influence"`          // [i][j]: influence of variable j on variable i
	Evidence  [][]report.Number `json:"evidence,omitempty"` // [i][j]: Student's t of Influence[i][j]
	Threshold report.Number     `json:"threshold"`          // least evidence of an edge; 0: no evidence
	Edges     []edge            `json:"edges"`
	AUROC     *report.Number    `json:"auroc,omitempty"` // if the true edges are known
}

// edge is an influence whose evidence is above the threshold.
type edge struct {
	From      string         `json:"from"`
	To        string         `json:"to"`
	Influence report.Number  `json:"influence"`
	Evidence  *report.Number `json:"evidence,omitempty"`
}

// Networks returns four simulated networks of ten variables and their edges.
func Networks(rows int, seed uint64) (*Samples, [][][]bool) {
	all := &Samples{Name: "network"}
	var truth [][][]bool
	for i := range uint64(4) {
		g := simulate.NewNetwork(seed + i)
		one := simulate.Collect(fmt.Sprintf("network %d", seed+i), g, rows)
		all.Series = append(all.Series, Series{Name: one.Name, Variables: one.Variables, Rows: one.Series[0].Rows})
		truth = append(truth, g.Edges())
	}
	return all, truth
}

// Describe returns the influences of a graph with the names of the variables. Edges are sorted by strength, strongest
// first.
func Describe(series string, variables []string, g *interval.Graph) Influences {
	r := Influences{Series: series, Variables: variables, Edges: []edge{}}
	if g.Evidence != nil {
		r.Threshold = interval.EdgeEvidence
		r.Evidence = matrix(g.Evidence, g.Dim)
	}
	r.Influence = matrix(g.Influence, g.Dim)
	for i := range g.Dim {
		for j := range g.Dim {
			if !g.Edge(i, j) {
				continue
			}
			e := edge{From: variables[j], To: variables[i], Influence: r.Influence[i][j]}
			if g.Evidence != nil {
				e.Evidence = &r.Evidence[i][j]
			}
			r.Edges = append(r.Edges, e)
		}
	}
	slices.SortStableFunc(r.Edges, func(a, b edge) int {
		switch x, y := math.Abs(float64(a.Influence)), math.Abs(float64(b.Influence)); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return r
}

// matrix returns the rows of a square matrix.
func matrix(v []float64, n int) (rows [][]report.Number) {
	for i := range n {
		row := make([]report.Number, n)
		for j := range row {
			row[j] = report.Number(v[i*n+j])
		}
		rows = append(rows, row)
	}
	return rows
}

// SvgGraph draws the variables on a circle and the edges as arrows. The width of an arrow shows the strength; blue is a
// positive influence, red a negative one.
func SvgGraph(r *Influences) []byte {
	const (
		size   = 800.
		radius = 300.
		node   = 8.
	)
	var b bytes.Buffer
	b.WriteString(report.SVGMark + "\n")
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" font-family="sans-serif" font-size="14">`+"\n", size, size+40)
	fmt.Fprintf(&b, "<title>What influences what in %s</title>\n", html.EscapeString(r.Series))
	b.WriteString(`<defs><marker id="tip" viewBox="0 0 10 10" refX="10" refY="5" markerWidth="10" markerHeight="10" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L10 5L0 10z" fill="context-stroke"/></marker></defs>` + "\n")
	b.WriteString(`<rect width="100%" height="100%" fill="white"/>` + "\n")
	place := make(map[string][2]float64)
	for i, v := range r.Variables {
		angle := 2*math.Pi*float64(i)/float64(len(r.Variables)) - math.Pi/2
		place[v] = [2]float64{size/2 + radius*math.Cos(angle), size/2 + radius*math.Sin(angle)}
	}
	var top float64
	for _, e := range r.Edges {
		top = max(top, math.Abs(float64(e.Influence)))
	}
	for _, e := range r.Edges {
		p, q := place[e.From], place[e.To]
		dx, dy := q[0]-p[0], q[1]-p[1]
		length := math.Hypot(dx, dy)
		if length == 0 {
			continue
		}
		dx, dy = dx/length, dy/length
		// Arrows bend to the left, so that both directions of a pair are visible.
		bow := length / 10
		mx, my := (p[0]+q[0])/2+bow*dy, (p[1]+q[1])/2-bow*dx
		colour := "#1f5fa8"
		if e.Influence < 0 {
			colour = "#c0392b"
		}
		strength := math.Abs(float64(e.Influence)) / top
		fmt.Fprintf(&b, `<path d="M%.1f %.1fQ%.1f %.1f %.1f %.1f" fill="none" stroke="%s" stroke-width="%.2f" stroke-opacity="%.2f" marker-end="url(#tip)"><title>%s → %s: %s</title></path>`+"\n",
			p[0]+node*dx, p[1]+node*dy, mx, my, q[0]-(node+3)*dx, q[1]-(node+3)*dy, colour, 1+4*strength, .35+.6*strength,
			html.EscapeString(e.From), html.EscapeString(e.To), e.Influence.Fixed(3))
	}
	for _, v := range r.Variables {
		p := place[v]
		anchor := "middle"
		switch dx := p[0] - size/2; {
		case dx > 30:
			anchor = "start"
		case dx < -30:
			anchor = "end"
		}
		x, y := size/2+(p[0]-size/2)*1.07, size/2+(p[1]-size/2)*1.07+5
		fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="%g" fill="#333"/><text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n",
			p[0], p[1], node, x, y, anchor, html.EscapeString(v))
	}
	for i, line := range []string{
		"An arrow from a to b: change of the next b per change of a, both in standard deviations.",
		"Blue: b rises with a. Red: b falls. The thicker, the stronger. Predictive, not necessarily causal.",
	} {
		fmt.Fprintf(&b, `<text x="%g" y="%g" text-anchor="middle" fill="#555">%s</text>`+"\n", size/2, size+5+20*float64(i), line)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}
