package assemble

import (
	"math"
	"regexp"
	"slices"

	"github.com/orffvar/forecaster/stream"
)

// Course counts the rises and falls of a variable, in order to recognise a counter. A counter rises, and falls only
// at a reset.
type Course struct {
	Known, Same, Rises, Falls int
	Resets                    int // falls to less than half of the previous value
	Least, Largest            float64
	Whole                     bool // all values are integers

	before, sum float64
}

// Add adds the next value; NaN = missing.
func (c *Course) Add(v float64) {
	if math.IsNaN(v) {
		return
	}
	if c.Known == 0 {
		*c = Course{Least: v, Largest: v, Whole: true, before: v}
	} else {
		switch {
		case v == c.before:
			c.Same++
		case v > c.before:
			c.Rises++
		default:
			c.Falls++
			if v < c.before/2 {
				c.Resets++
			}
		}
	}
	c.Known++
	c.Least, c.Largest = min(c.Least, v), max(c.Largest, v)
	c.Whole = c.Whole && v == math.Trunc(v)
	c.before, c.sum = v, c.sum+v
}

// Counter reports whether the values look like a counter: more than 20 rises; no fall but resets, at most one per
// 20 rises; and a mean far above the mean step.
func (c *Course) Counter() bool {
	n := float64(c.Known)
	return c.Known > 0 && c.Least >= 0 && c.Rises > 20 && c.Falls == c.Resets && 20*c.Falls <= c.Rises && c.sum/n > 10*(c.Largest-c.Least)/n
}

// settled reports whether no later value can make the variable a counter.
func (c *Course) settled() bool { return c.Least < 0 || c.Falls > c.Resets }

// counted matches names that suggest a counter.
var counted = regexp.MustCompile(`(?i)(_|\b)(total|count|counter|sum|bytes|packets|octets|bucket)$`)

// Courses holds the courses of the variables of many series.
type Courses struct {
	of   map[*stream.Series][]Course
	list []*stream.Series // in order of appearance
}

// Add adds the next values of a series.
func (w *Courses) Add(s *stream.Series, y []float64) {
	const most = 1000 // series
	if w.of == nil {
		w.of = make(map[*stream.Series][]Course)
	}
	list := w.of[s]
	if list == nil {
		if len(w.list) == most {
			return
		}
		list = make([]Course, len(y))
		w.of[s] = list
		w.list = append(w.list, s)
	}
	for j, v := range y {
		if c := &list[j]; !c.settled() {
			c.Add(v)
		}
	}
}

// Counters returns the names of the variables that are a counter in some series, and the number of their resets. A
// counter without resets could be a trend: it must also have integers only, or a name that suggests a counter.
func (w *Courses) Counters() (names []string, resets int) {
	for _, s := range w.list {
		for j, name := range s.Variables {
			c := &w.of[s][j]
			if !c.Counter() || c.Resets == 0 && !c.Whole && !counted.MatchString(name) {
				continue
			}
			resets += c.Resets
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names, resets
}
