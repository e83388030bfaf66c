package auto

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/varmodel/series"
)

const (
	crossSamples = 500 // largest number of increments in a search
	crossLeast   = 300 // smallest number of increments in a search
	crossFrom    = 7   // shortest lag of a search; the experts see shorter lags
	crossParts   = 4   // lags are shorter than the number of increments / crossParts
	crossMost    = 32  // largest number of coordinates for a search
	crossShare   = .25 // smallest squared correlation of a result
	crossBeyond  = .1  // smallest excess of this correlation over every squared autocorrelation of the coordinate
	crossLimit   = 5   // limit of an absolute increment, in root mean squares
)

// crossLag is a leading coordinate and its lead in samples. Lag 0: none.
type crossLag struct{ from, lag int }

// crossSearch finds, for each coordinate, the other coordinate and the lag with the largest squared correlation
// of increments. For example, the temperature at the end of a pipe follows the temperature at its beginning.
// The search compares a few lags per sample.
type crossSearch struct {
	samples, lag int        // increments in the search, 0: no search is running; lag that is compared next
	to, from     int        // pair of coordinates that is compared next
	rows         []float64  // dim x samples: increments with mean square 1, newest first
	found        []crossLag // dim: other coordinate and lag with the squared correlation best
	best, own    []float64  // dim: largest squared correlation with another coordinate; largest squared autocorrelation
}

// begin starts a search in the history, if it holds more than crossLeast samples.
func (c *crossSearch) begin(past *series.History) {
	*c = crossSearch{}
	n, d := min(past.Count, past.Depth, crossSamples+1)-1, past.Dim
	if n < crossLeast || d == 1 || d > crossMost {
		return
	}
	c.samples, c.lag = n, crossFrom
	c.rows, c.found = make([]float64, d*n), make([]crossLag, d)
	c.best, c.own = make([]float64, d), make([]float64, d)
	for j := range d {
		row := c.rows[j*n : (j+1)*n]
		var square float64
		for l := range row {
			row[l] = past.Lag(l)[j] - past.Lag(l + 1)[j]
			square += row[l] * row[l]
		}
		if rms := math.Sqrt(square / float64(n)); rms > 0 {
			for l, v := range row {
				row[l] = lanes.Clip(v/rms, crossLimit)
			}
		}
	}
}

// proceed compares the next lags, and reports whether the search is complete.
func (c *crossSearch) proceed() bool {
	n, d := c.samples, len(c.found)
	limit := n / crossParts
	for work := 8 + d*d/8; work > 0; work-- {
		to, from := c.rows[c.to*n:(c.to+1)*n], c.rows[c.from*n:(c.from+1)*n]
		r := vec.Dot(to[:n-c.lag], from[c.lag:]) / float64(n-c.lag)
		if r *= r; c.to == c.from {
			c.own[c.to] = max(c.own[c.to], r)
		} else if r > c.best[c.to] {
			c.best[c.to], c.found[c.to] = r, crossLag{c.from, c.lag}
		}
		if c.lag++; c.lag < limit {
			continue
		}
		c.lag = crossFrom
		if c.from++; c.from < d {
			continue
		}
		c.from = 0
		if c.to++; c.to == d {
			return true
		}
	}
	return false
}

// result returns the coordinate that coordinate j follows, and its lag; lag 0: none. The search must be complete.
func (c *crossSearch) result(j int) crossLag {
	if c.best[j] < crossShare || c.best[j] < c.own[j]+crossBeyond {
		return crossLag{}
	}
	return c.found[j]
}

func (c *crossSearch) State(s *snapshot.Codec, dim int) {
	s.Index(&c.samples, crossSamples+1)
	if c.samples == 0 {
		*c = crossSearch{}
		return
	}
	if s.Decoding() {
		c.rows, c.found = make([]float64, dim*c.samples), make([]crossLag, dim)
		c.best, c.own = make([]float64, dim), make([]float64, dim)
	}
	s.Index(&c.lag, crossSamples)
	s.Index(&c.to, dim)
	s.Index(&c.from, dim)
	for _, v := range [][]float64{c.rows, c.best, c.own} {
		s.Float64s(v)
	}
	for j := range c.found {
		c.found[j].State(s, dim)
	}
}

func (l *crossLag) State(c *snapshot.Codec, dim int) {
	c.Index(&l.from, dim)
	c.Index(&l.lag, crossSamples)
}
