package assemble

import (
	"math"
	"slices"

	"github.com/orffvar/forecaster/eval/snapshot"
)

// State transfers all series, rows and exogenous inputs, or only those that have changed. Each has its place in the
// order of appearance. Invariant: the changes to a new Assembler are the whole state.
func (a *Assembler) State(c *snapshot.Codec, all bool) {
	c.Section("assembler")
	snapshot.Some(c, a.series, all, a.c.MaxSeries, a.admittedState)
	if a.c.Assembly != nil {
		c.Section("grids")
		snapshot.Some(c, a.grids, all, a.c.MaxSeries, a.gridState)
	}
	if len(a.c.Exogenous) > 0 {
		c.Section("exogenous")
		snapshot.Some(c, a.exogenous, all, a.c.MaxSeries, a.exogenousState)
	}
}

// Saved marks the present state as saved.
func (a *Assembler) Saved() {
	for _, s := range a.series {
		s.changed = false
	}
	for _, g := range a.grids {
		g.changed = false
	}
	for _, x := range a.exogenous {
		x.changed = false
	}
}

// admittedState transfers the i-th series.
func (a *Assembler) admittedState(c *snapshot.Codec, i int) {
	s := &admitted{place: i, counts: a.newCounts()}
	var name string
	var names []string
	if !c.Decoding() {
		s = a.series[i]
		name, names = s.info.Name, s.info.Variables
	}
	c.String(&name, a.c.MaxName)
	a.namesState(c, &names)
	c.Int64(&s.samples)
	c.Bool(&s.started)
	c.Int64(&s.time)
	s.estimate.state(c)
	s.line.state(c)
	for k := range s.counts {
		s.counts[k].state(c)
	}
	a.namesState(c, &s.candidate)
	c.Int(&s.agreed)
	if !c.Decoding() || c.Err() != nil {
		return
	}
	known := a.byName[name]
	switch {
	case len(names) == 0 || s.samples < 0:
		c.Fail("series %q without variables, or with %d samples", name, s.samples)
		return
	case i == len(a.series) && known == nil:
		a.series = append(a.series, s)
	case i < len(a.series) && known == a.series[i]:
		a.series[i] = s
	default:
		c.Fail("series %q twice, or in another place", name)
		return
	}
	a.byName[name] = s
	if known != nil && slices.Equal(known.info.Variables, names) {
		s.info, s.vars = known.info, known.vars
		return
	}
	s.vars = a.variables(names)
	s.info = a.newSeries(name, s.vars.names)
}

// namesState transfers the names of variables.
func (a *Assembler) namesState(c *snapshot.Codec, names *[]string) {
	n := len(*names)
	c.Len(&n, a.c.MaxDim)
	if c.Decoding() {
		*names = make([]string, n)
	}
	for i := range *names {
		c.String(&(*names)[i], a.c.MaxName)
	}
}

// gridState transfers the open rows of the i-th series.
func (a *Assembler) gridState(c *snapshot.Codec, i int) {
	if !c.Decoding() {
		a.openRowsState(c, a.grids[i])
		return
	}
	g := &grid{index: make(map[string]int)}
	a.openRowsState(c, g)
	known := a.gridOf[g.name]
	switch {
	case c.Err() != nil:
		return
	case i == len(a.grids) && known == nil:
		a.grids = append(a.grids, g)
	case i < len(a.grids) && known == a.grids[i]:
		a.grids[i] = g
	default:
		c.Fail("the rows of series %q twice, or in another place", g.name)
		return
	}
	a.gridOf[g.name] = g
}

func (a *Assembler) openRowsState(c *snapshot.Codec, g *grid) {
	c.String(&g.name, a.c.MaxName)
	names := g.names
	a.namesState(c, &names)
	if c.Decoding() {
		for _, name := range names {
			g.column(name)
		}
		if len(g.names) != len(names) {
			c.Fail("two columns of one name")
			return
		}
	}
	for i := range g.since {
		c.Int64(&g.since[i])
	}
	c.Int64(&g.latest)
	c.Bool(&g.begun)
	c.Int64(&g.closed)
	g.line.state(c)
	if a.c.Assembly.Fill == FillLast {
		for i := range g.held {
			c.Int64(&g.held[i].at)
			c.Float64(&g.held[i].value)
		}
	}
	if a.counts() {
		for i := range g.counts {
			g.counts[i].state(c)
		}
	}
	n := len(g.open)
	c.Len(&n, maxOpenRows+4)
	for i := 0; i < n && c.Err() == nil; i++ {
		var at int64
		if !c.Decoding() {
			at = g.open[i].at
		}
		c.Int64(&at)
		if c.Decoding() {
			if c.Err() == nil && (i > 0 && at <= g.open[i-1].at || g.begun && at <= g.closed) {
				c.Fail("rows that do not ascend")
			}
			if c.Err() != nil {
				return
			}
			g.rowAt(at)
		}
		c.Float64s(g.open[i].values)
		if c.Decoding() {
			for _, v := range g.open[i].values {
				if !math.IsNaN(v) {
					g.open[i].filled++
				}
			}
		}
		for j := range g.open[i].times {
			c.Int64(&g.open[i].times[j])
			if a.counts() {
				c.Int64(&g.open[i].since[j])
			}
		}
	}
}
