package assemble_test

import (
	"math"
	"slices"

	"github.com/orffvar/forecaster/stream/assemble"
	"github.com/orffvar/forecaster/stream/refuse"
)

// referenceLine is the rule on wrong clocks. Ten late records in a row, in time, that lie in one hole
// of at least ten spacings are right, and the records after the hole were wrong. A hole counts until the
// series has gone on for its length; the beginning, for a thousand spacings. The sixteen longest count.
type referenceLine struct {
	holes []referenceHole
	late  []int64 // records in a row
}

type referenceHole struct{ before, landed, gone int64 }

func (l *referenceLine) begin(t int64) { l.holes = []referenceHole{{math.MinInt64, t, 0}} }

func (h referenceHole) length() uint64 { return uint64(h.landed) - uint64(h.before) }

func (l *referenceLine) long(from, to int64, every assemble.Spacing) bool {
	if h := (referenceHole{from, to, 0}); every != 0 && h.length() < 10*uint64(every.Length()) {
		return false
	}
	l.holes = append(l.holes, referenceHole{from, to, 0})
	if len(l.holes) == 17 {
		shortest := slices.MinFunc(l.holes, func(a, b referenceHole) int {
			if a.length() < b.length() {
				return -1
			}
			return 1
		})
		l.holes = slices.DeleteFunc(l.holes, func(h referenceHole) bool { return h == shortest })
	}
	return true
}

func (l *referenceLine) advance(from, to int64, every assemble.Spacing) {
	l.late = nil
	if l.long(from, to, every) {
		return
	}
	var left []referenceHole
	for _, h := range l.holes {
		h.gone += to - from
		end := float64(h.length())
		if h.before == math.MinInt64 {
			end = 1000 * float64(every.Length())
		}
		if float64(h.gone) < end {
			left = append(left, h)
		}
	}
	l.holes = append([]referenceHole{}, left...)
}

// back takes a late record, and reports whether the series goes back to it.
func (l *referenceLine) back(t int64, every assemble.Spacing) bool {
	if n := len(l.late); n > 0 && t <= l.late[n-1] {
		if every == 0 || uint64(l.late[n-1]-t) < 10*uint64(every.Length()) {
			return false
		}
		l.late = nil
	}
	for i, h := range l.holes {
		if h.before < t && t < h.landed {
			if n := len(l.late); n > 0 && l.late[n-1] < h.before {
				l.late = nil
			}
			if l.late = append(l.late, t); len(l.late) < 10 {
				return false
			}
			l.late, l.holes = nil, l.holes[:i:i]
			l.long(h.before, t, every)
			return true
		}
	}
	return false
}

// allow makes any next late record go back.
func (l *referenceLine) allow() {
	l.holes = []referenceHole{{math.MinInt64, math.MaxInt64, 0}}
	l.late = slices.Repeat([]int64{math.MinInt64}, 9)
}

// referenceGrid is the parts of the samples of a series, in order of arrival.
type referenceGrid struct {
	parts   []referencePart
	columns []string
	begun   bool
	closed  int64
	latest  int64
	line    referenceLine
	held    map[string]referenceHeld
	counts  map[string]referenceCount
}

type referencePart struct {
	row, time, since int64
	name             string
	v                float64
	done             bool // its row was closed, or its time was wrong
}

type referenceHeld struct {
	row int64
	v   float64
}

func (f *reference) rowOf(t int64) int64 {
	up := 2*t + int64(f.c.Interval)
	rest := up % (2 * int64(f.c.Interval))
	if rest < 0 {
		rest += 2 * int64(f.c.Interval)
	}
	return (up - rest) / (2 * int64(f.c.Interval))
}

// over reports whether a row is waited for no longer.
func (f *reference) over(g *referenceGrid, row int64) bool {
	end := 2*row*int64(f.c.Interval) + int64(f.c.Interval) + 2*int64(f.c.Assembly.Wait)
	if !g.begun && f.c.Variables == nil {
		end += 2 * int64(f.c.Interval)
	}
	return 2*g.latest >= end
}

// open returns the open rows, ascending.
func (g *referenceGrid) open() (rows []int64) {
	for _, p := range g.parts {
		if !p.done && !slices.Contains(rows, p.row) {
			rows = append(rows, p.row)
		}
	}
	slices.Sort(rows)
	return rows
}

func (f *reference) addToGrid(p *referenceRecord) {
	f.last = p
	g, row := f.grids[p.series], f.rowOf(p.time)
	if g != nil && p.time < g.latest && f.over(g, row) && g.line.back(p.time, assemble.Spacing(f.c.Interval)) {
		f.rewind(g, p, row)
	}
	if why := f.checkPart(g, p, row); why != "" {
		f.refuse(p, why)
		return
	}
	if !slices.ContainsFunc(p.names, f.wants) {
		return
	}
	if g == nil {
		g = &referenceGrid{held: make(map[string]referenceHeld), counts: make(map[string]referenceCount), latest: math.MinInt64}
		f.grids[p.series], f.begun = g, append(f.begun, p.series)
	}
	if g.latest == math.MinInt64 {
		g.line.begin(p.time)
	} else if p.time > g.latest {
		g.line.advance(g.latest, p.time, assemble.Spacing(f.c.Interval))
	}
	g.latest = max(g.latest, p.time)
	for j, name := range p.names {
		if !f.wants(name) {
			continue
		}
		if !slices.Contains(g.columns, name) {
			g.columns = append(g.columns, name)
		}
		part := referencePart{row: row, time: p.time, name: name, v: p.values[j]}
		if f.c.Assembly.Rates && p.since != nil {
			part.since = p.since[j]
		} else if slices.Contains(f.c.Rates, name) {
			part.since = 1
		}
		g.parts = append(g.parts, part)
	}
	for {
		rows := g.open()
		if len(rows) == 0 || !f.over(g, rows[0]) && (f.c.Assembly.WaitForLate || !g.begun || rows[0] != g.closed+1 || !f.complete(g, p.series, rows[0])) {
			return
		}
		f.closeRow(g, p, rows[0])
	}
}

// close closes all open rows, as parts of the last record.
func (f *reference) close() {
	for _, name := range f.begun {
		for _, row := range f.grids[name].open() {
			p := *f.last
			p.series = name
			f.closeRow(f.grids[name], &p, row)
		}
	}
}

// checkPart says why a record is no part of a row.
func (f *reference) checkPart(g *referenceGrid, p *referenceRecord, row int64) refuse.Reason {
	if g == nil {
		if why := f.wrongName(p.series); why != "" {
			return why
		}
	}
	switch {
	case f.c.MaxAhead > 0 && p.message.Time != 0 && p.time-p.message.Time > int64(f.c.MaxAhead):
		return refuse.Future
	case g != nil && g.begun && row <= g.closed:
		return refuse.Late
	case len(p.values) == 0 || p.numbered && f.c.Variables != nil && len(p.values) != len(f.c.Variables):
		return refuse.Dimension
	case len(p.values) > f.c.MaxDim && f.c.Variables == nil:
		return refuse.TooLarge
	}
	var columns []string
	if g != nil {
		columns = slices.Clone(g.columns)
	}
	for j, name := range p.names {
		if !f.wants(name) {
			continue
		}
		if !slices.Contains(columns, name) {
			columns = append(columns, name)
			if why := f.wrongVariable(name); why != "" {
				return why
			}
		}
		if math.Abs(p.values[j]) > f.c.MaxAbs {
			return refuse.NonFinite
		}
	}
	if len(columns) > f.c.MaxDim {
		return refuse.TooLarge
	}
	if g == nil && slices.ContainsFunc(p.names, f.wants) && len(f.grids) >= f.c.MaxSeries {
		return refuse.TooMany
	}
	return ""
}

func (f *reference) wants(name string) bool {
	return f.c.Variables == nil || slices.Contains(f.c.Variables, name)
}

func (f *reference) known(series string) []string {
	if s := f.series[series]; s != nil && f.c.Variables == nil {
		return s.names
	}
	return f.c.Variables
}

// value returns the value of a variable in a row: the latest of its parts or their mean. NaN = none.
func (f *reference) value(g *referenceGrid, name string, row int64) (v float64, time, since int64) {
	v = math.NaN()
	sum, n := 0., 0.
	for _, p := range g.parts {
		if p.done || p.row != row || p.name != name || math.IsNaN(p.v) {
			continue
		}
		sum, n = sum+p.v, n+1
		if math.IsNaN(v) || p.time >= time {
			v, time, since = p.v, p.time, p.since
		}
	}
	if f.c.Assembly.Aggregate == assemble.AggregateMean {
		return sum / n, 0, 0
	}
	return v, time, since
}

func (f *reference) complete(g *referenceGrid, series string, row int64) bool {
	names := f.known(series)
	return len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool {
		v, _, _ := f.value(g, name, row)
		return math.IsNaN(v)
	})
}

// closeRow passes a row on, and before it the empty ones that have the last values.
func (f *reference) closeRow(g *referenceGrid, p *referenceRecord, row int64) {
	if f.c.Assembly.Fill == assemble.FillLast && g.begun {
		for at := g.closed + 1; at < row && at-g.closed <= int64(f.c.MaxGap); at++ {
			f.addWhole(f.row(g, p, at, nil))
		}
	}
	g.begun, g.closed = true, row
	values := make(map[string]float64)
	for _, name := range g.columns {
		v, t, since := f.value(g, name, row)
		if since > 0 && !math.IsNaN(v) {
			before, ok := g.counts[name]
			g.counts[name] = referenceCount{t, v}
			v = rate(before, ok, v, t, since)
		}
		if values[name] = v; !math.IsNaN(v) {
			g.held[name] = referenceHeld{row, v}
		}
	}
	f.addWhole(f.row(g, p, row, values))
	g.drop(row)
	if f.known(p.series) != nil { // nobody asks for the variables of all parts any more
		g.parts = slices.DeleteFunc(g.parts, func(p referencePart) bool { return p.done })
	}
}

// row makes a record of a row with values.
func (f *reference) row(g *referenceGrid, p *referenceRecord, row int64, values map[string]float64) *referenceRecord {
	names := slices.Clone(f.known(p.series))
	if f.c.Variables == nil {
		var others []string
		for _, name := range g.columns {
			v, ok := values[name]
			if len(names) == 0 {
				ok = slices.ContainsFunc(g.parts, func(p referencePart) bool { return p.name == name && p.row <= row+1 })
				v = 0
			}
			if ok && !math.IsNaN(v) && !slices.Contains(names, name) {
				others = append(others, name)
			}
		}
		slices.Sort(others)
		names = append(names, others...)
	}
	m := *p.message
	m.Time, m.Key, m.Value = 0, nil, nil
	r := &referenceRecord{message: &m, series: p.series, time: row * int64(f.c.Interval), names: names, row: true}
	for _, name := range names {
		v, ok := values[name]
		if !ok || math.IsNaN(v) {
			v = math.NaN()
			if h, ok := g.held[name]; ok && f.c.Assembly.Fill == assemble.FillLast && row-h.row <= int64(f.c.MaxGap) {
				v = h.v
			}
		}
		r.values = append(r.values, v)
	}
	return r
}

func (g *referenceGrid) drop(row int64) {
	for i := range g.parts {
		g.parts[i].done = g.parts[i].done || g.parts[i].row == row
	}
}

// rewind refuses the rows after a time, and forgets their traces.
func (f *reference) rewind(g *referenceGrid, p *referenceRecord, row int64) {
	rows := g.open()
	slices.Reverse(rows)
	for _, at := range rows {
		if at > row {
			values := make(map[string]float64)
			for _, name := range g.columns {
				values[name], _, _ = f.value(g, name, at)
			}
			f.refuse(f.row(g, p, at, values), refuse.Future)
			g.drop(at)
		}
	}
	g.latest, g.closed = p.time, min(g.closed, row-1)
	for name, h := range g.held {
		if h.row > row {
			delete(g.held, name)
		}
	}
	for name, k := range g.counts {
		if k.time > p.time {
			delete(g.counts, name)
		}
	}
	if s := f.series[p.series]; s != nil && s.time >= row*int64(f.c.Interval) {
		s.line.allow()
	}
}
