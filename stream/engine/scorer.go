package engine

import (
	"slices"

	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/stream"
)

// scorer is the second half of an Engine. It scores forecasts and samples, runs the baselines, and makes the
// points. It reads only step results and returns nothing to a model, so it can run in another goroutine, behind the
// models.
type scorer struct {
	c         *Config
	reference int             // index into c.Baselines, or -1
	pool      *stream.Series  // series of Config.Pool; nil without one
	series    []*scoredSeries // in order of appearance

	// Scratch of one step result.
	yhat, ref []float64 // H x dim
	path      []float64 // scratch for one variable, 4 x len(Emit); only with limits
	reach     []float64 // len(Emit) x dim, see stream.Forecast; only with limits
	scorers   []*scoring.Scorer
	losses    []float64
	earlier   issued // see issued.mayShare

	order order
}

func newScorer(c *Config) *scorer {
	sc := &scorer{c: c, reference: -1}
	for i, b := range c.Baselines {
		if b.Reference {
			sc.reference = i
		}
	}
	if c.Pool != "" {
		sc.pool = &stream.Series{Name: c.Pool}
	}
	return sc
}

// stages take the step results of a batch, in this order. No stage reads the state of a later one. The code of all stages
// is larger than the instruction cache of a processor core, so each stage takes a group of results before the next
// stage begins.
var stages = [...]func(sc *scorer, dst *Results, r *stepResult) error{
	(*scorer).cover, (*scorer).compare, (*scorer).observe, (*scorer).emit,
}

// groupResults is the largest number of results in a group, so that they stay in the data cache.
const groupResults = 32

// takeAll takes the step results of dst and sorts their points by arrival. An error is fatal.
func (sc *scorer) takeAll(dst *Results) error {
	dst.Observations = slices.Grow(dst.Observations, len(dst.results))
	dst.Forecasts = slices.Grow(dst.Forecasts, len(dst.results)*len(sc.c.Emit))
	sc.beginSort(dst)
	for first := 0; first < len(dst.results); {
		group := nextGroup(dst.results[first:])
		for _, take := range stages {
			for i := range group {
				if err := take(sc, dst, &group[i]); err != nil {
					return err
				}
				sc.note(dst, first+i)
			}
		}
		first += len(group)
	}
	sc.sort(dst)
	dst.scored()
	return nil
}

// nextGroup returns the first results, which the stages take together. A new series is a group of its own, because
// its stages begin with what the last ones of an older series leave.
func nextGroup(results []stepResult) []stepResult {
	n := min(len(results), groupResults)
	for i := range n {
		if results[i].kind == resultBegin {
			return results[:max(i, 1)]
		}
	}
	return results[:n]
}

// begin adds a new series, or replaces a series whose variables have changed. The latter keeps its issued origins,
// because their forecasts are already written.
func (sc *scorer) begin(s *scoredSeries) {
	if s.place == len(sc.series) {
		sc.series = append(sc.series, s)
		return
	}
	s.issued = sc.series[s.place].issued
	sc.series[s.place] = s
}

// state transfers all series, or only the changed ones. In decoding, Engine.state has made the series before.
func (sc *scorer) state(c *snapshot.Codec, all bool) {
	c.Section("scorer")
	snapshot.Some(c, sc.series, all, sc.c.MaxSeries, func(c *snapshot.Codec, i int) {
		if i >= len(sc.series) {
			c.Fail("scores of a series behind the last")
			return
		}
		c.Block(func() { sc.series[i].state(c) })
	})
}
