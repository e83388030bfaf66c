package scoring

import (
	"math"
)

// WindowedCoverage finds windows in which intervals cover too few observations, which a mean coverage hides. A
// window is Window consecutive forecasts of one variable of one series.
type WindowedCoverage struct {
	Window int     // forecasts, at least 1
	Limit  float64 // a window with a coverage below Limit is low

	of           map[string][]coverage // one per variable
	lowest       float64
	windows, low int
}

// coverage is the present window of a variable.
type coverage struct {
	inside []bool // ring
	next   int
	sum    int // number of true values
}

// Add adds a forecast of a series. inside[j] is 1 if the interval of variable j covers the observation, 0 if not,
// NaN if unknown (see [Scorer.InsideTo]).
func (c *WindowedCoverage) Add(series string, inside []float64) {
	list := c.of[series]
	if len(list) != len(inside) {
		list = make([]coverage, len(inside))
		if c.of == nil {
			c.of = make(map[string][]coverage)
		}
		c.of[series] = list
	}
	for j, v := range inside {
		if math.IsNaN(v) {
			continue
		}
		w := &list[j]
		if w.add(v == 1, c.Window); len(w.inside) < c.Window {
			continue
		}
		share := float64(w.sum) / float64(c.Window)
		if c.windows == 0 || share < c.lowest {
			c.lowest = share
		}
		c.windows++
		if share < c.Limit {
			c.low++
		}
	}
}

// add replaces the oldest forecast of the window.
func (w *coverage) add(inside bool, window int) {
	if inside {
		w.sum++
	}
	if len(w.inside) < window {
		w.inside = append(w.inside, inside)
		return
	}
	if w.inside[w.next] {
		w.sum--
	}
	w.inside[w.next] = inside
	w.next = (w.next + 1) % window
}

// Lowest returns the lowest coverage of any window; NaN without windows.
func (c *WindowedCoverage) Lowest() float64 {
	if c.windows == 0 {
		return math.NaN()
	}
	return c.lowest
}

// LowShare returns the share of low windows; NaN without windows.
func (c *WindowedCoverage) LowShare() float64 { return float64(c.low) / float64(c.windows) }
