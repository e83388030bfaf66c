package varmodel

import (
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/internal/snapshot"
)

// seasonBase makes the last season what a horizon's forecast starts from, instead
// of the last value, where it has been the better of the two. A mixture needs many
// outcomes of its own before it is trusted; how well a series repeats itself can be
// told from its samples as soon as the season is known.
type seasonBase struct {
	season int       // samples; 0: none known
	steps  []int     // horizons
	gains  []float64 // of each horizon: how much smaller the squared errors were, summed
	trusts []trust   // in what is mixed there, beside the last season
}

func newSeasonBase(steps []int) *seasonBase {
	b := &seasonBase{steps: steps, gains: make([]float64, len(steps)), trusts: make([]trust, len(steps))}
	for k, h := range steps {
		b.trusts[k].every = h
	}
	return b
}

// observe takes the last sample of the history into account, or all of them when
// the season is a new one. unit is the typical increment over a horizon.
func (b *seasonBase) observe(season int, past *history, unit func(k, j int) float64) {
	if season == 0 {
		b.season = 0
		return
	}
	oldest := 0
	if b.season != season {
		b.season = season
		for k, h := range b.steps {
			b.gains[k], b.trusts[k] = 0, trust{every: h}
		}
		oldest = min(past.count, past.depth) - 1
	}
	for k, h := range b.steps {
		back := (h + season - 1) / season * season // a whole number of seasons
		for l := min(oldest, min(past.count, past.depth)-1-back); l >= 0; l-- {
			var gain float64
			now, last, then := past.lag(l), past.lag(l+h), past.lag(l+back)
			for j, y := range now {
				u := unit(k, j)
				gain += clippedSquare((y-last[j])/u) - clippedSquare((y-then[j])/u)
			}
			b.gains[k] = trustForgetting*b.gains[k] + gain
		}
	}
}

func clippedSquare(v float64) float64 {
	v = lanes.Clip(v, trustLimit)
	return v * v
}

// better reports whether horizon k starts from the last season. A season that is
// given is believed until the samples say otherwise.
func (b *seasonBase) better(k int) bool { return b.season > 0 && b.gains[k] >= 0 }

func (b *seasonBase) State(c *snapshot.Codec) {
	c.Section("season base")
	c.Index(&b.season, maxLags)
	c.Float64s(b.gains)
	for k := range b.trusts {
		b.trusts[k].State(c)
	}
}
