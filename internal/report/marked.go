package report

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// Marked is a series with shaded ranges of rows.
type Marked struct {
	Series    string
	Variables []string
	Leading   []int // columns of the variables that are drawn first
	Times     []int64
	Rows      [][]float64
	Stretches [][2]int // first and last row of each range
}

// figures draws the first variables over the whole series.
func (m *Marked) figures() (all []figure) {
	if m == nil || len(m.Rows) == 0 {
		return nil
	}
	columns := slices.Clone(m.Leading)
	for j := range m.Variables {
		if !slices.Contains(columns, j) {
			columns = append(columns, j)
		}
	}
	a := newAxis(m.Times[len(m.Times)-1])
	for _, j := range columns[:min(shownVariables, len(columns))] {
		f := figure{
			name: "anomalies-" + fileName(m.Variables[j]), title: m.Variables[j], axis: a,
			caption: fmt.Sprintf("%s of series %s; the rows of anomalies of any variable are shaded.", m.Variables[j], m.Series),
			legend:  []entry{{"observed", ink, false}, {"anomaly", faded(palette[1], 80), true}},
		}
		f.draw = func(p *plot.Plot, c colors) { m.draw(p, c, a, j) }
		all = append(all, f)
	}
	return all
}

// draw draws variable j.
func (m *Marked) draw(p *plot.Plot, c colors, a axis, j int) {
	xy, bottom, top := m.extremes(a, j)
	if !(bottom <= top) {
		bottom, top = 0, 1 // there is no value
	}
	margin := max(.05*(top-bottom), 1e-9*max(math.Abs(top), 1))
	bottom, top = bottom-margin, top+margin
	begin, end := a.x(m.Times[0]), a.x(m.Times[len(m.Times)-1])
	visible := (end - begin) / 400 // least visible width of one row
	for _, s := range m.Stretches {
		from, to := a.x(m.Times[s[0]]), a.x(m.Times[s[1]])
		wider := max(0, visible-(to-from)) / 2
		var r ribbon
		r.add(from-wider, bottom, top)
		r.add(to+wider, bottom, top)
		r.draw(p, faded(palette[1], 80))
	}
	lines(p, xy, c.ink, 1)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = begin, end, bottom, top
}

// extremes returns the minimum and the maximum of variable j in each bin of rows, as points in order of time, and the
// minimum (bottom) and the maximum (top) of the series.
func (m *Marked) extremes(a axis, j int) (xy plotter.XYs, bottom, top float64) {
	width := (len(m.Rows)-1)/(2*maxBins) + 1
	bottom, top = math.Inf(1), math.Inf(-1)
	add := func(row int) {
		xy = append(xy, plotter.XY{X: a.x(m.Times[row]), Y: m.Rows[row][j]})
	}
	for from := 0; from < len(m.Rows); from += width {
		lo, hi := from, from
		for i := from; i < min(from+width, len(m.Rows)); i++ {
			v := m.Rows[i][j]
			if math.IsNaN(v) {
				continue
			}
			if !(m.Rows[lo][j] <= v) {
				lo = i
			}
			if !(m.Rows[hi][j] >= v) {
				hi = i
			}
		}
		add(min(lo, hi))
		if lo != hi {
			add(max(lo, hi))
		}
		if least, largest := m.Rows[lo][j], m.Rows[hi][j]; least <= largest {
			bottom, top = min(bottom, least), max(top, largest)
		}
	}
	return xy, bottom, top
}
