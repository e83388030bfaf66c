package assemble

import (
	"math"
	"slices"

	"github.com/orffvar/forecaster/internal/plural"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/event"
	"github.com/orffvar/forecaster/stream/refuse"
)

// grid holds the parts of the samples of one series whose rows are still open.
type grid struct {
	name   string
	names  []string       // names of the columns, in order of appearance
	index  map[string]int // column by name; never ranged over
	since  []int64        // per column, the earliest row with a value before a row was closed
	latest int64          // largest time of a value
	line   timeline       // timeline of the times of values
	begun  bool           // some row is closed; closed is the last closed row
	closed int64
	open   []row // ascending
	held   []held
	counts []counter // with Assembly.Rates
	spare  []row

	changed bool // changed since Engine.Saved
}

func (g *grid) Changed() bool { return g.changed }

// held is the last value of a column in a closed row.
type held struct {
	at    int64
	value float64 // NaN = none
}

// addToGrid adds the values of r to the open rows of its series, and passes on the rows that close.
func (a *Assembler) addToGrid(receiver Receiver, r *stream.Record) error {
	a.last = stream.Message{Topic: r.Message.Topic, Partition: r.Message.Partition, Offset: r.Message.Offset}
	if g := a.gridOf[r.Series]; g != nil && r.Time < g.latest && a.over(g, a.rowOf(r.Time)) {
		g.changed = true // g.line counts late records
		if g.line.returns(r.Time, Spacing(a.c.Interval)) {
			a.rewind(receiver, g, r)
		}
	}
	g, refusal := a.gridFor(r)
	if refusal != nil {
		receiver.Refuse(r.Message, refusal)
		return nil
	}
	if g == nil {
		return nil // no variable of r is wanted
	}
	g.changed = true
	switch {
	case g.latest == math.MinInt64:
		g.line.begin(r.Time)
	case r.Time > g.latest:
		g.line.advance(g.latest, r.Time, Spacing(a.c.Interval))
	}
	g.latest = max(g.latest, r.Time)
	into := g.rowAt(a.rowOf(r.Time))
	for j, v := range r.Values {
		c := a.columns[j]
		if c < 0 {
			continue
		}
		g.since[c] = min(g.since[c], into.at)
		if math.IsNaN(v) {
			continue
		}
		first := math.IsNaN(into.values[c])
		if first {
			into.filled++
		}
		switch {
		case a.c.Assembly.Aggregate == AggregateMean && first:
			into.values[c], into.times[c] = v, 1
		case a.c.Assembly.Aggregate == AggregateMean:
			into.times[c]++
			into.values[c] += (v - into.values[c]) / float64(into.times[c])
		case first || r.Time >= into.times[c]:
			into.values[c], into.times[c] = v, r.Time
			if a.c.Assembly.Rates && r.Since != nil {
				into.since[c] = r.Since[j]
			} else if slices.Contains(a.c.Rates, g.names[c]) {
				into.since[c] = startUnknown
			}
		}
	}
	for len(g.open) > 0 && a.due(g) {
		if err := a.closeRow(receiver, g, r.Message); err != nil {
			return err
		}
	}
	return nil
}

// rewind sets a grid back to the time of r. The rows after that time had wrong times and become dead letters.
func (a *Assembler) rewind(receiver Receiver, g *grid, r *stream.Record) {
	at := a.rowOf(r.Time)
	for len(g.open) > 0 && g.open[len(g.open)-1].at > at {
		last := g.open[len(g.open)-1]
		g.open = g.open[:len(g.open)-1]
		a.makeRow(g, last, r.Message)
		rowLetter(&a.row)
		receiver.Refuse(a.row.Message, refuse.New(refuse.Future, "the row of series %q at %s lies ahead of all that followed it",
			g.name, event.TimeText(a.row.Time)))
		g.spare = append(g.spare, last)
	}
	g.changed, g.latest = true, r.Time
	if g.closed >= at {
		g.closed = at - 1
	}
	for c := range g.held {
		if g.held[c].at > at {
			g.held[c] = held{value: math.NaN()}
		}
	}
	for c := range g.counts {
		if g.counts[c].time > r.Time {
			g.counts[c].value = math.NaN()
		}
	}
	if s := a.byName[g.name]; s != nil && s.started && s.time >= at*int64(a.c.Interval) {
		s.changed = true
		s.line.allow()
	}
}

// gridFor returns the grid of the series of r, with a column per wanted variable of r. It sets a.columns to the
// column of each value, -1 for an unwanted variable. It returns nil if no variable is wanted. A refused record
// changes nothing.
func (a *Assembler) gridFor(r *stream.Record) (*grid, *refuse.Error) {
	g := a.gridOf[r.Series]
	if refusal := a.checkName(r, g == nil); refusal != nil {
		return nil, refusal
	}
	if refusal := a.checkAhead(r); refusal != nil {
		return nil, refusal
	}
	const margin = int64(4 * longestRow)
	if r.Time > math.MaxInt64-margin || r.Time < math.MinInt64+margin {
		return nil, refuse.New(refuse.Malformed, "the time of series %q is centuries away", r.Series)
	}
	if g != nil && g.begun && a.rowOf(r.Time) <= g.closed {
		why := ""
		if !a.c.Assembly.WaitForLate {
			why = "; a row that does not wait for late values closes when it is complete"
		}
		return nil, refuse.New(refuse.Late, "the row of series %q at %s, or a later one, was closed%s",
			r.Series, event.TimeText(a.rowOf(r.Time)*int64(a.c.Interval)), why)
	}
	names, refusal := a.namesIn(r)
	if refusal != nil {
		return nil, refusal
	}
	wanted, refusal := a.checkColumns(g, r, names)
	if refusal != nil || !wanted {
		return nil, refusal
	}
	if g == nil {
		if len(a.grids) >= a.c.MaxSeries {
			return nil, refuse.New(refuse.TooMany, "series %q would be one more than the %d allowed", r.Series, a.c.MaxSeries)
		}
		g = &grid{name: r.Series, index: make(map[string]int), latest: math.MinInt64}
		a.grids = append(a.grids, g)
		a.gridOf[r.Series] = g
	}
	a.columns = a.columns[:0]
	for _, name := range names {
		c := -1
		if a.wants(name) {
			c = g.column(name)
		}
		a.columns = append(a.columns, c)
	}
	return g, nil
}

// checkColumns checks names and values, and reports whether any variable is wanted.
func (a *Assembler) checkColumns(g *grid, r *stream.Record, names []string) (wanted bool, refusal *refuse.Error) {
	columns := 0
	if g != nil {
		columns = len(g.names)
	}
	for j, name := range names {
		if !a.wants(name) {
			continue
		}
		wanted = true
		if g == nil || !g.has(name) {
			columns++
			if refusal := a.checkVariable(name); refusal != nil {
				return false, refusal
			}
		}
		if v := r.Values[j]; math.Abs(v) > a.c.MaxAbs {
			return false, refuse.New(refuse.NonFinite, "%s = %v, at most %v is allowed", name, v, a.c.MaxAbs)
		}
	}
	if columns > a.c.MaxDim {
		return false, refuse.New(refuse.TooLarge, "series %q would have %d variables, at most %d are allowed", r.Series, columns, a.c.MaxDim)
	}
	return wanted, nil
}

// wants reports whether a variable is one of Config.Variables.
func (a *Assembler) wants(name string) bool {
	if a.fixed == nil {
		return true
	}
	_, ok := a.fixed.index[name]
	return ok
}

// namesIn returns the names of the values in r.
func (a *Assembler) namesIn(r *stream.Record) ([]string, *refuse.Error) {
	n := len(r.Values)
	switch {
	case n == 0:
		return nil, refuse.New(refuse.Dimension, "no values")
	case n > a.c.MaxDim && a.fixed == nil:
		return nil, refuse.New(refuse.TooLarge, "%d values, at most %d are allowed", n, a.c.MaxDim)
	case r.Names != nil:
		return r.Names, nil
	case a.fixed == nil:
		if len(a.numbered) < n {
			a.numbered = Numbered(n)
		}
		return a.numbered[:n], nil
	case n != len(a.fixed.names):
		return nil, refuse.New(refuse.Dimension, "%s where %d were expected", plural.Count(n, "value"), len(a.fixed.names))
	}
	return a.fixed.names, nil
}

func (g *grid) has(name string) bool {
	_, ok := g.index[name]
	return ok
}

// column returns the column of a variable, new or old.
func (g *grid) column(name string) int {
	if c, ok := g.index[name]; ok {
		return c
	}
	g.index[name] = len(g.names)
	g.names = append(g.names, name)
	g.since = append(g.since, math.MaxInt64)
	g.held = append(g.held, held{value: math.NaN()})
	g.counts = append(g.counts, counter{value: math.NaN()})
	for i := range g.open {
		g.open[i].widen(len(g.names))
	}
	return len(g.names) - 1
}
