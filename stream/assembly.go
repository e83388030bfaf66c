package stream

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orffvar/forecaster/internal/snapshot"
)

// Fill says what stands in a row for a variable of which nothing has arrived.
type Fill string

// The rules. A value carried on counts as observed, in the scores as well:
// FillLast is for sources that report a value when it changes.
const (
	FillNone Fill = "none" // a missing value
	FillLast Fill = "last" // the last value, for at most MaxGap rows
)

// Several says what several values of a variable in a row become.
type Several string

// The rules.
const (
	SeveralLatest Several = "latest" // the latest; of those of one time the one that arrived last
	SeveralMean   Several = "mean"   // their mean: of a variable that is sampled more often than it is forecast
)

// Assembly makes samples of records that have a part of one each: a variable a
// message, or several messages a sample, in any order.
//
// The rows of a series stand at the multiples of EngineConfig.Interval since
// 1970. A value belongs to the row nearest to its time; Several says what becomes
// of several of one variable. A row closes, and is learnt from,
//
//   - as soon as it is complete, when the row before it is closed (unless Hold),
//   - or when a value of the series has arrived whose time is Wait after the
//     end of the row, which lies half an interval after its time.
//
// What arrives for a closed row is Late. Until the first row of a series
// closes, which takes one interval more, its variables are collected, so that
// they are those of a whole interval even if reading began within one.
//
// Only the times in the records count: the rows of a series are a function of
// its records. Any order of these within Wait gives the same rows, as far as no
// two values of a variable have the same time; a mean up to its rounding. A row whose time has come stays
// open until a later value of its series arrives.
type Assembly struct {
	Wait time.Duration
	Hold bool // a complete row waits, too: for more than one value of a variable in a row
	Fill Fill // empty means FillNone

	Several Several // empty means SeveralLatest; SeveralMean needs Hold
}

// longestRow bounds Interval and Wait, so that no time overflows.
const longestRow = 10 * 365 * 24 * time.Hour

// maxOpenRows is the largest number of intervals in Wait.
const maxOpenRows = 10_000

// assembly is the part of a series that is not yet in rows.
type assembly struct {
	name   string
	names  []string       // of the columns, in order of appearance
	index  map[string]int // looked up, never ranged over
	since  []int64        // first row that a column was in, before one was closed
	latest int64          // largest time of a value
	begun  bool           // a row was closed, the last one being
	closed int64
	open   []row // ascending
	held   []held
	spare  []row

	changed bool // since Engine.Saved
}

func (a *assembly) hasChanged() bool { return a.changed }

// row is a sample in the making; its time is at * Interval.
type row struct {
	at     int64
	values []float64 // one a column; NaN = none
	times  []int64   // of the values; with SeveralMean how many they are the mean of
	filled int       // number of values
}

// held is the last value of a column in a closed row.
type held struct {
	at    int64
	value float64 // NaN = none
}

// assemble takes a record apart into the open rows of its series, and learns from
// those that it closes.
func (e *Engine) assemble(dst *Batch, r *Record) error {
	a, refusal := e.assemblyOf(r)
	if refusal != nil {
		dst.refuse(r.Message, refusal.Reason, refusal.Detail)
		return nil //nolint:nilerr // a refusal is an outcome: it is now a dead letter
	}
	if a == nil {
		return nil // none of its variables was asked for
	}
	a.changed = true // nothing else leads to an assembly
	a.latest = max(a.latest, r.Time)
	into := a.rowAt(e.rowOf(r.Time))
	for j, v := range r.Values {
		c := e.columns[j]
		if c < 0 {
			continue
		}
		a.since[c] = min(a.since[c], into.at)
		if math.IsNaN(v) {
			continue
		}
		first := math.IsNaN(into.values[c])
		if first {
			into.filled++
		}
		switch {
		case e.c.Assembly.Several == SeveralMean && first:
			into.values[c], into.times[c] = v, 1
		case e.c.Assembly.Several == SeveralMean:
			into.times[c]++
			into.values[c] += (v - into.values[c]) / float64(into.times[c])
		case first || r.Time >= into.times[c]:
			into.values[c], into.times[c] = v, r.Time
		}
	}
	for len(a.open) > 0 && e.due(a) {
		if err := e.closeRow(dst, a, r.Message); err != nil {
			return err
		}
	}
	return nil
}

// assemblyOf returns the assembly that r belongs to, with a column for each of its
// variables, whose indices are left in e.columns; -1 is a variable that is not
// asked for. Nil means that all of them are. A record that is refused leaves
// nothing behind.
func (e *Engine) assemblyOf(r *Record) (*assembly, *DataError) {
	a := e.assembling[r.Series]
	if refusal := e.checkName(r, a == nil); refusal != nil {
		return nil, refusal
	}
	if refusal := e.checkAhead(r); refusal != nil {
		return nil, refusal
	}
	const margin = int64(4 * longestRow)
	if r.Time > math.MaxInt64-margin || r.Time < math.MinInt64+margin {
		return nil, refuse(Malformed, "the time of series %q is centuries away", r.Series)
	}
	if a != nil && a.begun && e.rowOf(r.Time) <= a.closed {
		why := ""
		if !e.c.Assembly.Hold {
			why = "; unless they are held, rows close when they are complete"
		}
		return nil, refuse(Late, "the row of series %q at %s, or a later one, was closed%s",
			r.Series, time.Unix(0, e.rowOf(r.Time)*int64(e.c.Interval)).UTC().Format(time.RFC3339Nano), why)
	}
	names, refusal := e.namesIn(r)
	if refusal != nil {
		return nil, refusal
	}
	wanted, refusal := e.checkColumns(a, r, names)
	if refusal != nil || !wanted {
		return nil, refusal
	}
	if a == nil {
		if len(e.assemblies) >= e.c.MaxSeries {
			return nil, refuse(TooMany, "series %q would be one more than the %d allowed", r.Series, e.c.MaxSeries)
		}
		a = &assembly{name: r.Series, index: make(map[string]int), latest: math.MinInt64}
		e.assemblies = append(e.assemblies, a)
		e.assembling[r.Series] = a
	}
	e.columns = e.columns[:0]
	for _, name := range names {
		c := -1
		if e.wants(name) {
			c = a.column(name)
		}
		e.columns = append(e.columns, c)
	}
	return a, nil
}

// checkColumns checks names and values, and reports whether any of the variables
// is asked for.
func (e *Engine) checkColumns(a *assembly, r *Record, names []string) (wanted bool, refusal *DataError) {
	columns := 0
	if a != nil {
		columns = len(a.names)
	}
	for j, name := range names {
		if !e.wants(name) {
			continue
		}
		wanted = true
		if a == nil || !a.has(name) {
			columns++
			if refusal := e.checkVariable(name); refusal != nil {
				return false, refusal
			}
		}
		if v := r.Values[j]; math.Abs(v) > e.c.MaxAbs {
			return false, refuse(NonFinite, "%s = %v, at most %v is allowed", name, v, e.c.MaxAbs)
		}
	}
	if columns > e.c.MaxDim {
		return false, refuse(TooLarge, "series %q would have %d variables, at most %d are allowed", r.Series, columns, e.c.MaxDim)
	}
	return wanted, nil
}

// wants reports whether a variable is one of EngineConfig.Variables.
func (e *Engine) wants(name string) bool {
	if e.fixed == nil {
		return true
	}
	_, ok := e.fixed.index[name]
	return ok
}

// namesIn returns the names of the values in r.
func (e *Engine) namesIn(r *Record) ([]string, *DataError) {
	n := len(r.Values)
	switch {
	case n == 0:
		return nil, refuse(Dimension, "no values")
	case n > e.c.MaxDim && e.fixed == nil:
		return nil, refuse(TooLarge, "%d values, at most %d are allowed", n, e.c.MaxDim)
	case r.Names != nil:
		return r.Names, nil
	case e.fixed == nil:
		if len(e.numbered) < n {
			e.numbered = numbered(n)
		}
		return e.numbered[:n], nil
	case n != len(e.fixed.names):
		return nil, refuse(Dimension, "%d values where %d were expected", n, len(e.fixed.names))
	}
	return e.fixed.names, nil
}

// rowOf returns the row that a time belongs to: the nearest, the later one of two.
func (e *Engine) rowOf(t int64) int64 {
	step := int64(e.c.Interval)
	at, rest := t/step, t%step
	if rest < 0 {
		at, rest = at-1, rest+step
	}
	if rest >= step-step/2 {
		at++
	}
	return at
}

func (a *assembly) has(name string) bool {
	_, ok := a.index[name]
	return ok
}

// column returns the column of a variable, new or old.
func (a *assembly) column(name string) int {
	if c, ok := a.index[name]; ok {
		return c
	}
	a.index[name] = len(a.names)
	a.names = append(a.names, name)
	a.since = append(a.since, math.MaxInt64)
	a.held = append(a.held, held{value: math.NaN()})
	for i := range a.open {
		a.open[i].widen(len(a.names))
	}
	return len(a.names) - 1
}

// widen gives r n columns.
func (r *row) widen(n int) {
	for len(r.values) < n {
		r.values = append(r.values, math.NaN())
		r.times = append(r.times, 0)
	}
}

// rowAt returns the open row at a place, new or old.
func (a *assembly) rowAt(at int64) *row {
	i := len(a.open)
	for i > 0 && a.open[i-1].at >= at {
		i--
	}
	if i == len(a.open) || a.open[i].at != at {
		var fresh row
		if n := len(a.spare); n > 0 {
			fresh, a.spare = a.spare[n-1], a.spare[:n-1]
		}
		fresh = row{at: at, values: fresh.values[:0], times: fresh.times[:0]}
		fresh.widen(len(a.names))
		a.open = slices.Insert(a.open, i, fresh)
	}
	return &a.open[i]
}

// due reports whether the first open row of a has to close.
func (e *Engine) due(a *assembly) bool {
	step, first := int64(e.c.Interval), &a.open[0]
	end := first.at*step + step - step/2 + int64(e.c.Assembly.Wait)
	if !a.begun && e.fixed == nil {
		end += step
	}
	return a.latest >= end || !e.c.Assembly.Hold && a.begun && first.at == a.closed+1 && e.complete(a, first)
}

// complete reports whether every variable of the series has a value in r.
func (e *Engine) complete(a *assembly, r *row) bool {
	names := e.known(a)
	if r.filled < len(names) {
		return false
	}
	for _, name := range names {
		c, ok := a.index[name]
		if !ok || math.IsNaN(r.values[c]) {
			return false
		}
	}
	return len(names) > 0
}

// known returns the variables that the series of a has; nil before it has any.
func (e *Engine) known(a *assembly) []string {
	if e.fixed != nil {
		return e.fixed.names
	}
	if s := e.byName[a.name]; s != nil {
		return s.vars.names
	}
	return nil
}

// closeRow learns from the first open row, and before it from the empty ones that
// hold the last values.
func (e *Engine) closeRow(dst *Batch, a *assembly, m *Message) error {
	first := a.open[0]
	a.open = slices.Delete(a.open, 0, 1)
	if e.c.Assembly.Fill == FillLast && a.begun {
		empty := min(first.at-a.closed-1, int64(e.c.MaxGap))
		for at := a.closed + 1; empty > 0; at, empty = at+1, empty-1 {
			if err := e.learnRow(dst, a, row{at: at}, m); err != nil {
				return err
			}
		}
	}
	a.begun, a.closed = true, first.at
	for c, v := range first.values {
		if !math.IsNaN(v) {
			a.held[c] = held{at: first.at, value: v}
		}
	}
	err := e.learnRow(dst, a, first, m)
	a.spare = append(a.spare, first)
	return err
}

// learnRow shows a row to the models. Its variables are those of the series, then
// others that have a value in it. The first row has all that were in it or in the
// next one, in the order of their names.
func (e *Engine) learnRow(dst *Batch, a *assembly, r row, m *Message) error {
	names := e.known(a)
	if names == nil {
		for c, name := range a.names {
			if a.since[c] <= r.at+1 {
				names = append(names, name)
			}
		}
		slices.Sort(names)
	} else if others := e.others(a, r); len(others) > 0 {
		names = append(slices.Clone(names), others...)
	}
	e.rowValues = e.rowValues[:0]
	for _, name := range names {
		v := math.NaN()
		if c, ok := a.index[name]; ok {
			v = e.valueIn(a, r, c)
		}
		e.rowValues = append(e.rowValues, v)
	}
	e.rowMessage = Message{Topic: m.Topic, Partition: m.Partition, Offset: m.Offset}
	e.row = Record{Message: &e.rowMessage, Series: a.name, Time: r.at * int64(e.c.Interval), Names: names, Values: e.rowValues}
	return e.learnFrom(dst, &e.row)
}

// others returns the variables with a value in r that the series does not have, in
// the order of their names.
func (e *Engine) others(a *assembly, r row) []string {
	if e.fixed != nil || len(a.names) == len(e.byName[a.name].vars.names) {
		return nil
	}
	vars := e.byName[a.name].vars
	var names []string
	for c, v := range r.values {
		if _, ok := vars.index[a.names[c]]; !ok && !math.IsNaN(v) {
			names = append(names, a.names[c])
		}
	}
	slices.Sort(names)
	return names
}

// valueIn returns the value of a column in r, or what stands for it.
func (e *Engine) valueIn(a *assembly, r row, c int) float64 {
	if c < len(r.values) && !math.IsNaN(r.values[c]) {
		return r.values[c]
	}
	if h := a.held[c]; e.c.Assembly.Fill == FillLast && r.at-h.at <= int64(e.c.MaxGap) {
		return h.value
	}
	return math.NaN()
}

// rowLetter makes the message of a refused row say what was in it, as wide JSON.
func (e *Engine) rowLetter(r *Record) {
	var b strings.Builder
	b.WriteString(`{"time":"` + time.Unix(0, r.Time).UTC().Format(time.RFC3339Nano) + `","values":{`)
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

// assemblyState transfers the i-th assembly.
func (e *Engine) assemblyState(c *snapshot.Codec, i int) {
	if !c.Decoding() {
		e.assemblies[i].state(c, e)
		return
	}
	a := &assembly{index: make(map[string]int)}
	a.state(c, e)
	known := e.assembling[a.name]
	switch {
	case c.Err() != nil:
		return
	case i == len(e.assemblies) && known == nil:
		e.assemblies = append(e.assemblies, a)
	case i < len(e.assemblies) && known == e.assemblies[i]:
		e.assemblies[i] = a
	default:
		c.Fail("the assembly of series %q twice, or in another place", a.name)
		return
	}
	e.assembling[a.name] = a
}

func (a *assembly) state(c *snapshot.Codec, e *Engine) {
	c.String(&a.name, e.c.MaxName)
	names := a.names
	e.namesState(c, &names)
	if c.Decoding() {
		for _, name := range names {
			a.column(name)
		}
		if len(a.names) != len(names) {
			c.Fail("two columns of one name")
			return
		}
	}
	for i := range a.since {
		c.Int64(&a.since[i])
	}
	c.Int64(&a.latest)
	c.Bool(&a.begun)
	c.Int64(&a.closed)
	if e.c.Assembly.Fill == FillLast {
		for i := range a.held {
			c.Int64(&a.held[i].at)
			c.Float64(&a.held[i].value)
		}
	}
	n := len(a.open)
	c.Len(&n, maxOpenRows+4)
	for i := 0; i < n && c.Err() == nil; i++ {
		var at int64
		if !c.Decoding() {
			at = a.open[i].at
		}
		c.Int64(&at)
		if c.Decoding() {
			if c.Err() == nil && (i > 0 && at <= a.open[i-1].at || a.begun && at <= a.closed) {
				c.Fail("rows that do not ascend")
			}
			if c.Err() != nil {
				return
			}
			a.rowAt(at)
		}
		c.Float64s(a.open[i].values)
		if c.Decoding() {
			for _, v := range a.open[i].values {
				if !math.IsNaN(v) {
					a.open[i].filled++
				}
			}
		}
		for j := range a.open[i].times {
			c.Int64(&a.open[i].times[j])
		}
	}
}
