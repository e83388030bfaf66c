package assemble

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/event"
)

// row is an open row of a grid. Its time is at * Interval.
type row struct {
	at     int64
	values []float64 // one per column; NaN = none
	times  []int64   // time of each value; with AggregateMean the number of values in the mean
	since  []int64   // start of each counter, with Assembly.Rates; 0 = no counter
	filled int       // number of values
}

// rowOf returns the row nearest to time t. Halfway between two rows it is the later one.
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

// widen extends r to n columns.
func (r *row) widen(n int) {
	for len(r.values) < n {
		r.values = append(r.values, math.NaN())
		r.times = append(r.times, 0)
		r.since = append(r.since, 0)
	}
}

// rowAt returns the open row at a place. It makes the row if needed.
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
		fresh = row{at: at, values: fresh.values[:0], times: fresh.times[:0], since: fresh.since[:0]}
		fresh.widen(len(g.names))
		g.open = slices.Insert(g.open, i, fresh)
	}
	return &g.open[i]
}

// due reports whether the first open row of g must close.
func (a *Assembler) due(g *grid) bool {
	first := &g.open[0]
	return a.over(g, first.at) || !a.c.Assembly.WaitForLate && g.begun && first.at == g.closed+1 && a.complete(g, first)
}

// over reports whether the wait for the row at a place has ended.
func (a *Assembler) over(g *grid, at int64) bool {
	step := int64(a.c.Interval)
	end := at*step + step - step/2 + int64(a.c.Assembly.Wait)
	if !g.begun && a.fixed == nil {
		end += step
	}
	return g.latest >= end
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

// known returns the variables of the series of g, nil before the series exists.
func (a *Assembler) known(g *grid) []string {
	if a.fixed != nil {
		return a.fixed.names
	}
	if s := a.byName[g.name]; s != nil {
		return s.vars.names
	}
	return nil
}

// closeRow passes on the first open row. With FillLast, it first passes on the empty rows before it.
func (a *Assembler) closeRow(receiver Receiver, g *grid, m *stream.Message) error {
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
		if first.since[c] > 0 && !math.IsNaN(v) {
			v = g.counts[c].rate(v, first.times[c], first.since[c])
			first.values[c] = v
		}
		if !math.IsNaN(v) {
			g.held[c] = held{at: first.at, value: v}
		}
	}
	err := a.passRow(receiver, g, first, m)
	g.spare = append(g.spare, first)
	return err
}

// passRow passes on r as a whole sample.
func (a *Assembler) passRow(receiver Receiver, g *grid, r row, m *stream.Message) error {
	a.makeRow(g, r, m)
	return a.addWhole(receiver, &a.row)
}

// makeRow sets a.row to a record with the values of r. Its variables are those of the series, then others with a
// value in r. The first row of a series has all variables with a value in it or in the next row, in the order of
// their names.
func (a *Assembler) makeRow(g *grid, r row, m *stream.Message) {
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
	a.rowMessage = stream.Message{Topic: m.Topic, Partition: m.Partition, Offset: m.Offset}
	a.row = stream.Record{Message: &a.rowMessage, Series: g.name, Time: r.at * int64(a.c.Interval), Names: names, Values: a.rowValues}
}

// others returns the variables with a value in r that are not variables of the series, in the order of their names.
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

// valueIn returns the value of column c in r. If it is missing, FillLast replaces it by the last value.
func (a *Assembler) valueIn(g *grid, r row, c int) float64 {
	if c < len(r.values) && !math.IsNaN(r.values[c]) {
		return r.values[c]
	}
	if h := g.held[c]; a.c.Assembly.Fill == FillLast && r.at-h.at <= int64(a.c.MaxGap) {
		return h.value
	}
	return math.NaN()
}

// rowLetter sets the message of a refused row to its values, as wide JSON.
func rowLetter(r *stream.Record) {
	var b strings.Builder
	b.WriteString(`{"time":"` + event.TimeText(r.Time) + `","values":{`)
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
