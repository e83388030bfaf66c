package varmodel

import (
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/internal/snapshot"
)

// seasonMargin is the share of the squared errors of the last value that a season that
// was found has to save before it takes its place: where errors have heavy tails, chance
// saves some.
const seasonMargin = 0.3

// seasonBase chooses the simpler forecast towards which the mixture of a horizon is
// shrunk: the repetition of the last season where its squared errors have been much
// smaller, else the last value. The mixture needs many outcomes before its shrinkage is known;
// the samples show at once how well a series repeats its season.
type seasonBase struct {
	given      bool        // the season is configured
	season     int         // samples; 0: none known
	steps      []int       // horizons
	gains      []float64   // for each horizon: squared errors of the last value minus those of the last season
	losses     []float64   // of each horizon: squared errors of the last value, summed
	shrinkages []shrinkage // of each mixture, towards the last season
	begun      []bool      // for each horizon: the samples of the past were looked at
}

func newSeasonBase(steps []int) *seasonBase {
	b := &seasonBase{steps: steps, gains: make([]float64, len(steps)), losses: make([]float64, len(steps)), shrinkages: make([]shrinkage, len(steps)), begun: make([]bool, len(steps))}
	for k, h := range steps {
		b.shrinkages[k] = shrinkage{every: h, errors: 1}
	}
	return b
}

// observe adds the errors for the last sample of the history, or for all its samples
// when the season has changed or a horizon is new. unit is the typical increment over a horizon.
func (b *seasonBase) observe(season int, past *history, unit func(k, j int) float64) {
	if season == 0 {
		b.season = 0
		return
	}
	if b.season != season {
		b.season = season
		clear(b.begun)
	}
	for k, h := range b.steps {
		oldest := 0
		if !b.begun[k] {
			b.begun[k] = true
			b.gains[k], b.losses[k], b.shrinkages[k] = 0, 0, shrinkage{every: h, errors: 1}
			oldest = min(past.count, past.depth) - 1
		}
		back := (h + season - 1) / season * season // a whole number of seasons
		for l := min(oldest, min(past.count, past.depth)-1-back); l >= 0; l-- {
			var gain, loss float64
			now, last, then := past.lag(l), past.lag(l+h), past.lag(l+back)
			for j, y := range now {
				u := unit(k, j)
				e := clippedSquare((y - last[j]) / u)
				loss += e
				gain += e - clippedSquare((y-then[j])/u)
			}
			b.gains[k] = shrinkageForgetting*b.gains[k] + gain
			b.losses[k] = shrinkageForgetting*b.losses[k] + loss
		}
	}
}

// clippedSquare is the square of v, limited.
func clippedSquare(v float64) float64 {
	v = lanes.Clip(v, shrinkageLimit)
	return v * v
}

// better reports whether the last season is the better forecast at horizon k. A
// configured season is assumed to be better until samples show otherwise; one that was
// found has to save seasonMargin.
func (b *seasonBase) better(k int) bool {
	return b.season > 0 && (b.gains[k] > seasonMargin*b.losses[k] || b.given && b.gains[k] >= 0)
}

// state transfers the k-th horizon.
func (b *seasonBase) state(c *snapshot.Codec, k int) {
	c.Float64(&b.gains[k])
	c.Float64(&b.losses[k])
	b.shrinkages[k].State(c)
	c.Bool(&b.begun[k])
}
