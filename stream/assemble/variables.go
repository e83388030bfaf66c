package assemble

import (
	"math"
	"slices"
	"strconv"

	"github.com/orffvar/forecaster/stream"
)

// variables is an ordered set of names.
type variables struct {
	names []string
	index map[string]int // place by name; never ranged over
}

func newVariables(names []string) *variables {
	v := &variables{names: names, index: make(map[string]int, len(names))}
	for i, name := range names {
		v.index[name] = i
	}
	return v
}

// Numbered returns the names y1 ... yn, the variables of values without names.
func Numbered(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = "y" + strconv.Itoa(i+1)
	}
	return names
}

// selectTo sets y to the values of r in the order of v, NaN where r has none. It returns false if r has other
// variables: a different number of values without names; no name in v; or, unless open, a name that is not in v.
func (v *variables) selectTo(y []float64, r *stream.Record, open bool) bool {
	if r.Names == nil {
		copy(y, r.Values)
		return len(r.Values) == len(v.names)
	}
	if slices.Equal(r.Names, v.names) { // the usual case, much faster than lookups
		copy(y, r.Values)
		return len(y) > 0
	}
	for i := range y {
		y[i] = math.NaN()
	}
	known := 0
	for i, name := range r.Names {
		if j, ok := v.index[name]; ok {
			y[j] = r.Values[i]
			known++
		} else if !open {
			return false
		}
	}
	return known > 0
}
