package auto

import (
	"math"
	"slices"

	"github.com/orffvar/forecaster/internal/snapshot"
)

const (
	shiftWidth   = .5 // distance from the range of all samples before, in widths of the range
	shiftSamples = 3  // samples in a row that are so far outside
)

// shiftNews is what a sample says about the level.
type shiftNews int

const (
	levelStays   shiftNews = iota
	levelShifts            // several samples in a row are far outside the range
	levelReturns           // the first sample after a shift in the range of before
)

// shifts notice level shifts: samples far outside the range of all samples before, several in a
// row. One such sample may be a spike, from which the series returns.
type shifts struct {
	low, high         []float64 // of each variable: range of the samples but those outside
	homeLow, homeHigh []float64 // of each variable: range before the last shift; empty: the series has returned
	outside           []int     // of each variable: samples in a row that were outside
}

func newShifts(dim int) *shifts {
	row := func(v float64) []float64 { return slices.Repeat([]float64{v}, dim) }
	none := math.Inf(1)
	return &shifts{row(none), row(-none), row(none), row(-none), make([]int, dim)}
}

// observe takes the sample v of variable j. The first samples of a series make the range.
func (s *shifts) Observe(j int, v float64, first bool) shiftNews {
	low, high, news := s.low[j], s.high[j], levelStays
	if v >= s.homeLow[j] && v <= s.homeHigh[j] {
		s.homeLow[j], s.homeHigh[j] = math.Inf(1), math.Inf(-1)
		news = levelReturns
	}
	if width := shiftWidth * (high - low); !first && (v < low-width || v > high+width) {
		if s.outside[j]++; s.outside[j] < shiftSamples {
			return news
		}
		s.homeLow[j], s.homeHigh[j] = low, high
		news = levelShifts
	}
	s.outside[j] = 0
	s.low[j], s.high[j] = min(low, v), max(high, v)
	return news
}

func (s *shifts) State(c *snapshot.Codec) {
	c.Section("shifts")
	for _, v := range [][]float64{s.low, s.high, s.homeLow, s.homeHigh} {
		c.Float64s(v)
	}
	for j := range s.outside {
		c.Index(&s.outside[j], shiftSamples)
	}
}
