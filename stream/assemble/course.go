package assemble

import (
	"math"
	"regexp"
	"slices"

	"github.com/orffvar/forecaster/stream"
)

// Course counts how a variable rises and falls, which shows a counter: it rises, and falls at resets alone.
type Course struct {
	Known, Same, Rises, Falls int
	Resets                    int // falls to less than half
	Least, Largest            float64
	Whole                     bool // all values are integers

	before, sum float64
}

// Add takes the next value; NaN = missing.
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

// Counter reports whether the values are those of a counter: they rise more than 20 times, fall at resets
// alone and seldom, and lie, as sums do, far above the mean step.
func (c *Course) Counter() bool {
	n := float64(c.Known)
	return c.Known > 0 && c.Least >= 0 && c.Rises > 20 && c.Falls == c.Resets && 20*c.Falls <= c.Rises && c.sum/n > 10*(c.Largest-c.Least)/n
}

// settled reports whether no later value can make the variable a counter.
func (c *Course) settled() bool { return c.Least < 0 || c.Falls > c.Resets }

// counted matches names that suggest that a variable counts.
var counted = regexp.MustCompile(`(?i)(_|\b)(total|count|counter|sum|bytes|packets|octets|bucket)$`)

// Courses are the courses of the variables of many series.
type Courses struct {
	of   map[*stream.Series][]Course
	list []*stream.Series // in order of appearance
}

// Add takes the next values of a series.
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

// Counters returns the variables that are counters in some series and resets, integers or a name show that
// they are no mere trend, and the number of their resets.
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
