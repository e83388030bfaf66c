package stream

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Fill says what stands in a row for a variable of which nothing has arrived.
type Fill string

// The rules. A value carried on counts as observed, in the scores as well: FillLast is
// for sources that report a value when it changes.
const (
	FillNone Fill = "none" // a missing value
	FillLast Fill = "last" // the last value, for at most MaxGap rows
)

// Aggregate says what several values of one variable in a row become.
type Aggregate string

// The rules.
const (
	AggregateLatest Aggregate = "latest" // the latest; among those of one time, the one that arrived last
	AggregateMean   Aggregate = "mean"   // their mean, for a variable that is sampled more often than it is forecast
)

// Assembly makes samples of records that have a part of one each: a variable per
// message, or several messages per sample, in any order.
//
// The rows of a series stand at the multiples of AssemblerConfig.Interval since 1970. A
// value belongs to the row nearest to its time. A row closes, and is a sample then,
//
//   - as soon as it is complete, when the row before it is closed (unless WaitForLate),
//   - or when a value of the series has arrived whose time is Wait after the end of the
//     row, which lies half an interval after its time.
//
// What arrives for a closed row is Late. Until the first row of a series closes, which
// takes one interval more, the variables of the series are collected: they are those of
// a whole interval, even if reading began within one.
//
// Only the times in the records count, so the rows of a series are a function of its
// records. Any order of these within Wait gives the same rows if no two values of a
// variable have the same time; a mean is the same up to rounding. A row whose time has
// come stays open until a later value of its series arrives.
type Assembly struct {
	Wait        time.Duration
	WaitForLate bool      // a complete row waits, too: for more than one value of a variable in a row
	Fill        Fill      // empty means FillNone
	Aggregate   Aggregate // empty means AggregateLatest; AggregateMean needs WaitForLate
}

// longestRow bounds Interval and Wait, so that no time overflows.
const longestRow = 10 * 365 * 24 * time.Hour

// maxOpenRows is the largest number of intervals in Wait.
const maxOpenRows = 10_000

// grid is the part of a series that is not yet in closed rows.
type grid struct {
	name   string
	names  []string       // of the columns, in order of appearance
	index  map[string]int // looked up, never ranged over
	since  []int64        // first row that a column was in, before one was closed
	latest int64          // largest time of a value
	line   timeline       // of the times of values
	begun  bool           // a row was closed, the last one being
	closed int64
	open   []row // ascending
	held   []held
	spare  []row

	changed bool // since Engine.Saved
}

func (g *grid) hasChanged() bool { return g.changed }

// row is a sample in the making; its time is at * Interval.
type row struct {
	at     int64
	values []float64 // one per column; NaN = none
	times  []int64   // of the values; with AggregateMean how many they are the mean of
	filled int       // number of values
}

// held is the last value of a column in a closed row.
type held struct {
	at    int64
	value float64 // NaN = none
}

// addToGrid puts the parts of r into the open rows of its series, and passes on the rows
// that close by it.
func (a *Assembler) addToGrid(receiver Receiver, r *Record) error {
	if g := a.gridOf[r.Series]; g != nil && r.Time < g.latest {
		g.changed = true // it counts late records
		if g.line.returns(r.Time) {
			a.rewind(receiver, g, r)
		}
	}
	g, refusal := a.gridFor(r)
	if refusal != nil {
		receiver.Refuse(r.Message, refusal)
		return nil
	}
	if g == nil {
		return nil // none of its variables is wanted
	}
	g.changed = true
	switch {
	case g.latest == math.MinInt64:
		g.line.begin(r.Time)
	case r.Time > g.latest:
		g.line.advance(g.latest, r.Time, a.c.leapOf(spacing(a.c.Interval)))
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
		}
	}
	for len(g.open) > 0 && a.due(g) {
		if err := a.closeRow(receiver, g, r.Message); err != nil {
			return err
		}
	}
	return nil
}

// rewind takes a grid back to the time of r: the rows after it had wrong times, and become
// dead letters.
func (a *Assembler) rewind(receiver Receiver, g *grid, r *Record) {
	at := a.rowOf(r.Time)
	for len(g.open) > 0 && g.open[len(g.open)-1].at > at {
		last := g.open[len(g.open)-1]
		g.open = g.open[:len(g.open)-1]
		a.makeRow(g, last, r.Message)
		rowLetter(&a.row)
		receiver.Refuse(a.row.Message, refuse(Future, "the row of series %q at %s lies ahead of all that followed it",
			g.name, timeText(a.row.Time)))
		g.spare = append(g.spare, last)
	}
	g.changed, g.latest, g.line = true, r.Time, timeline{}
	if g.closed >= at {
		g.closed = at - 1
	}
	for c := range g.held {
		if g.held[c].at > at {
			g.held[c] = held{value: math.NaN()}
		}
	}
	if s := a.byName[g.name]; s != nil && s.started && s.time >= at*int64(a.c.Interval) {
		s.changed = true
		s.line.allow()
	}
}

// gridFor returns the grid of the series of r, with a column for each variable of r.
// Their indices are left in a.columns, -1 for a variable that is not wanted. Nil: none is
// wanted. A record that is refused leaves nothing behind.
func (a *Assembler) gridFor(r *Record) (*grid, *DataError) {
	g := a.gridOf[r.Series]
	if refusal := a.checkName(r, g == nil); refusal != nil {
		return nil, refusal
	}
	if refusal := a.checkAhead(r); refusal != nil {
		return nil, refusal
	}
	const margin = int64(4 * longestRow)
	if r.Time > math.MaxInt64-margin || r.Time < math.MinInt64+margin {
		return nil, refuse(Malformed, "the time of series %q is centuries away", r.Series)
	}
	if g != nil && g.begun && a.rowOf(r.Time) <= g.closed {
		why := ""
		if !a.c.Assembly.WaitForLate {
			why = "; without pipeline.wait_for_late, a row closes when it is complete"
		}
		return nil, refuse(Late, "the row of series %q at %s, or a later one, was closed%s",
			r.Series, timeText(a.rowOf(r.Time)*int64(a.c.Interval)), why)
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
			return nil, refuse(TooMany, "series %q would be one more than the %d allowed", r.Series, a.c.MaxSeries)
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

// checkColumns checks names and values, and reports whether any of the variables
// is asked for.
func (a *Assembler) checkColumns(g *grid, r *Record, names []string) (wanted bool, refusal *DataError) {
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
			return false, refuse(NonFinite, "%s = %v, at most %v is allowed", name, v, a.c.MaxAbs)
		}
	}
	if columns > a.c.MaxDim {
		return false, refuse(TooLarge, "series %q would have %d variables, at most %d are allowed", r.Series, columns, a.c.MaxDim)
	}
	return wanted, nil
}

// wants reports whether a variable is one of AssemblerConfig.Variables.
func (a *Assembler) wants(name string) bool {
	if a.fixed == nil {
		return true
	}
	_, ok := a.fixed.index[name]
	return ok
}

// namesIn returns the names of the values in r.
func (a *Assembler) namesIn(r *Record) ([]string, *DataError) {
	n := len(r.Values)
	switch {
	case n == 0:
		return nil, refuse(Dimension, "no values")
	case n > a.c.MaxDim && a.fixed == nil:
		return nil, refuse(TooLarge, "%d values, at most %d are allowed", n, a.c.MaxDim)
	case r.Names != nil:
		return r.Names, nil
	case a.fixed == nil:
		if len(a.numbered) < n {
			a.numbered = numbered(n)
		}
		return a.numbered[:n], nil
	case n != len(a.fixed.names):
		return nil, refuse(Dimension, "%d values where %d were expected", n, len(a.fixed.names))
	}
	return a.fixed.names, nil
}

// rowOf returns the row that a time belongs to: the nearest, the later one of two.
func (a *Assembler) rowOf(t int64) int64 {
	step := int64(a.c.Interval)
	at, rest := t/step, t%step
	if rest < 0 {
		at, rest = at-1, rest+step
	}
	if rest >= step-step/2 {
		at++
	}
	return at
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
	for i := range g.open {
		g.open[i].widen(len(g.names))
	}
	return len(g.names) - 1
}

// widen gives r n columns.
func (r *row) widen(n int) {
	for len(r.values) < n {
		r.values = append(r.values, math.NaN())
		r.times = append(r.times, 0)
	}
}

// rowAt returns the open row at a place, new or old.
func (g *grid) rowAt(at int64) *row {
	i := len(g.open)
	for i > 0 && g.open[i-1].at >= at {
		i--
	}
	if i == len(g.open) || g.open[i].at != at {
		var fresh row
		if n := len(g.spare); n > 0 {
			fresh, g.spare = g.spare[n-1], g.spare[:n-1]
		}
		fresh = row{at: at, values: fresh.values[:0], times: fresh.times[:0]}
		fresh.widen(len(g.names))
		g.open = slices.Insert(g.open, i, fresh)
	}
	return &g.open[i]
}

// due reports whether the first open row of g has to close.
func (a *Assembler) due(g *grid) bool {
	step, first := int64(a.c.Interval), &g.open[0]
	end := first.at*step + step - step/2 + int64(a.c.Assembly.Wait)
	if !g.begun && a.fixed == nil {
		end += step
	}
	return g.latest >= end || !a.c.Assembly.WaitForLate && g.begun && first.at == g.closed+1 && a.complete(g, first)
}

// complete reports whether every variable of the series has a value in r.
func (a *Assembler) complete(g *grid, r *row) bool {
	names := a.known(g)
	if r.filled < len(names) {
		return false
	}
	for _, name := range names {
		c, ok := g.index[name]
		if !ok || math.IsNaN(r.values[c]) {
			return false
		}
	}
	return len(names) > 0
}

// known returns the variables that the series of g has; nil before it has any.
func (a *Assembler) known(g *grid) []string {
	if a.fixed != nil {
		return a.fixed.names
	}
	if s := a.byName[g.name]; s != nil {
		return s.vars.names
	}
	return nil
}

// closeRow passes on the first open row, and before it the empty ones that have the last
// values.
func (a *Assembler) closeRow(receiver Receiver, g *grid, m *Message) error {
	first := g.open[0]
	g.open = slices.Delete(g.open, 0, 1)
	if a.c.Assembly.Fill == FillLast && g.begun {
		empty := min(first.at-g.closed-1, int64(a.c.MaxGap))
		for at := g.closed + 1; empty > 0; at, empty = at+1, empty-1 {
			if err := a.passRow(receiver, g, row{at: at}, m); err != nil {
				return err
			}
		}
	}
	g.begun, g.closed = true, first.at
	for c, v := range first.values {
		if !math.IsNaN(v) {
			g.held[c] = held{at: first.at, value: v}
		}
	}
	err := a.passRow(receiver, g, first, m)
	g.spare = append(g.spare, first)
	return err
}

// passRow passes on a row as a whole sample.
func (a *Assembler) passRow(receiver Receiver, g *grid, r row, m *Message) error {
	a.makeRow(g, r, m)
	return a.addWhole(receiver, &a.row)
}

// makeRow makes a.row a record of r. Its variables are those of the series, then others that
// have a value in it. The first row has all that were in it or in the next one, in the order of
// their names.
func (a *Assembler) makeRow(g *grid, r row, m *Message) {
	names := a.known(g)
	if names == nil {
		for c, name := range g.names {
			if g.since[c] <= r.at+1 {
				names = append(names, name)
			}
		}
		slices.Sort(names)
	} else if others := a.others(g, r); len(others) > 0 {
		names = append(slices.Clone(names), others...)
	}
	a.rowValues = a.rowValues[:0]
	for _, name := range names {
		v := math.NaN()
		if c, ok := g.index[name]; ok {
			v = a.valueIn(g, r, c)
		}
		a.rowValues = append(a.rowValues, v)
	}
	a.rowMessage = Message{Topic: m.Topic, Partition: m.Partition, Offset: m.Offset}
	a.row = Record{Message: &a.rowMessage, Series: g.name, Time: r.at * int64(a.c.Interval), Names: names, Values: a.rowValues}
}

// others returns the variables with a value in r that the series does not have, in
// the order of their names.
func (a *Assembler) others(g *grid, r row) []string {
	if a.fixed != nil || len(g.names) == len(a.byName[g.name].vars.names) {
		return nil
	}
	vars := a.byName[g.name].vars
	var names []string
	for c, v := range r.values {
		if _, ok := vars.index[g.names[c]]; !ok && !math.IsNaN(v) {
			names = append(names, g.names[c])
		}
	}
	slices.Sort(names)
	return names
}

// valueIn returns the value of a column in r, or what stands for it.
func (a *Assembler) valueIn(g *grid, r row, c int) float64 {
	if c < len(r.values) && !math.IsNaN(r.values[c]) {
		return r.values[c]
	}
	if h := g.held[c]; a.c.Assembly.Fill == FillLast && r.at-h.at <= int64(a.c.MaxGap) {
		return h.value
	}
	return math.NaN()
}

// rowLetter makes the message of a refused row say what was in it, as wide JSON.
func rowLetter(r *Record) {
	var b strings.Builder
	b.WriteString(`{"time":"` + timeText(r.Time) + `","values":{`)
	for j, v := range r.Values {
		if j > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quoteJSON(r.Names[j]) + ":")
		if math.IsNaN(v) {
			b.WriteString("null")
		} else {
			b.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
	b.WriteString("}}")
	r.Message.Key, r.Message.Value = []byte(r.Series), []byte(b.String())
}

func quoteJSON(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic("stream: " + err.Error()) // strings always encode
	}
	return string(b)
}
