package auto

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/varmodel/series"
)

const (
	crossSamples = 500 // samples that are searched, at most
	crossLeast   = 300 // samples that are searched, at least
	crossFrom    = 7   // shortest lag: the experts see the shorter ones
	crossParts   = 4   // the longest lag is the number of samples / crossParts
	crossMost    = 32  // largest number of coordinates with a search
	crossShare   = .25 // smallest squared correlation of increments at a lag that is used; it also exceeds
	crossBeyond  = .1  // the squared autocorrelation of the coordinate at any lag by crossBeyond
	crossLimit   = 5   // limit of an increment, in root mean squares
)

// crossLag is a coordinate and the number of samples by which it leads; lag 0: none.
type crossLag struct{ from, lag int }

// crossSearch looks for coordinates that follow another one after a fixed time, such as the temperature at
// the end of a pipe. For each coordinate it finds the other coordinate and the lag with the largest squared
// correlation of increments. It compares a few lags per sample.
type crossSearch struct {
	samples, lag int        // increments that are searched, 0: no search is running; next lag
	to, from     int        // pair of coordinates that is compared next
	rows         []float64  // dim x samples: increments with mean square one, the newest first
	found        []crossLag // of each coordinate: the lag with the correlation best
	best, own    []float64  // of each coordinate: largest squared correlation with another one, and with itself
}

// begin starts a search in the kept samples, if there are enough of them.
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

// proceed compares some lags, and reports whether the search has ended.
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

// result returns the coordinate and lag that coordinate j follows.
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
