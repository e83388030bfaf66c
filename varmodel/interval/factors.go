package interval

import (
	"math"

	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/varmodel/series"
)

const (
	ownRate        = 0.5  // step of log f / step of log g
	ownFloor       = 0.01 // smallest step of log f at horizon 1
	commonFloor    = 0.04 // smallest step of log g, at small horizons
	rateDecay      = 0.6  // both steps fall like n^-0.6 before they are smallest
	overlapRate    = 0.5  // factor of both steps at horizons above 1: misses of overlapping forecasts come in runs
	rateSettled    = 2000 // number of outcomes after which both steps are smallest
	factorLimit    = 3    // limit of |log f| and |log g|, relative to Gaussian factors
	latelySamples  = 20   // memory of the size of the last errors, in samples
	latelyHorizons = 2    // the same, in horizons
	voteFactor     = 2    // a coordinate has no vote for g if f, or the size of its last errors in s, exceeds this or is below its inverse
)

// learnLately learns the sizes of the last errors at horizon h. Errors that are mere rounding do not count: s would be 0,
// and limit the next larger error to 0.
func (s *Intervals) learnLately(h int, y, forecast []float64) {
	d := s.cfg.Dim
	lately, scale, count := s.lately[(h-1)*d:][:len(y)], s.scale[(h-1)*d:][:len(y)], s.count[(h-1)*d:][:len(y)]
	rate := 1 / (latelySamples + latelyHorizons*float64(h))
	for j, yhat := range forecast[:len(y)] {
		v := y[j]
		if e := math.Abs(v - yhat); e == e && count[j] > 0 {
			lately[j] += lanes.Weight(count[j], rate) * (e - lately[j])
			if scale[j] <= series.Degenerate*math.Abs(v) {
				count[j] = 0
			}
		}
	}
}

// votes returns the numbers of votes and misses of a level at horizon h. Coordinates do not count if their intervals miss
// too often or too rarely for reasons of their own: f is far from 1, or the last errors differ much from s.
func (s *Intervals) votes(h, l, voters, misses int, y, forecast, half []float64) (int, int) {
	from, d := (h-1)*s.cfg.Dim, s.cfg.Dim
	lately, scale := s.lately[from:][:d], s.scale[from:][:d]
	for j, f := range s.own[l*s.cfg.Horizon*d+from:][:d] {
		last, usual := lately[j], scale[j]
		if !(f > voteFactor || voteFactor*f < 1 || last > voteFactor*usual || voteFactor*last < usual) {
			continue // most coordinates
		}
		if y[j] == y[j] && s.voting[j] > 0 && s.count[from+j] > float64(h) {
			voters--
			if math.Abs(y[j]-forecast[j]) > half[j]+series.Degenerate*math.Abs(y[j]) {
				misses--
			}
		}
	}
	return voters, misses
}

// move returns exp(step (misses/voters - (1 - level))), the factor of g at horizon h and the l-th level.
func (s *Intervals) move(h int, step float64, l, misses, voters int) float64 {
	known := step == commonLeast(h) && voters == s.cfg.Dim // the usual case
	at := &s.moves[((h-1)*len(s.cfg.Levels)+l)*(s.cfg.Dim+1)+misses]
	if known && *at > 0 {
		return *at
	}
	v := math.Exp(step * (float64(misses)/float64(voters) - (1 - s.cfg.Levels[l])))
	if known {
		*at = v
	}
	return v
}

// rate returns the step of the factors at horizon h. It begins at 1/h at most, because h outcomes are pending when the first
// is known. It returns 0 for a step below the floor.
func (s *Intervals) rate(h int) float64 {
	n := s.rounds[h-1]
	if n > s.until[h-1] {
		return 0
	}
	rate := math.Pow(n+s.early[h-1], -rateDecay)
	if h > 1 {
		rate *= overlapRate
	}
	return rate
}

// ownLeast returns the smallest step of log f at horizon h. It falls with h, because misses of overlapping forecasts come in
// runs, and one run must not outweigh the earlier ones.
func ownLeast(h int) float64 { return ownFloor / math.Sqrt(float64(h)) }

// commonLeast returns the smallest step of log g at horizon h.
func commonLeast(h int) float64 { return min(commonFloor, .5/float64(h)) }

var farthest = math.Exp(factorLimit)

// gaussianFactor returns the half width of an interval of level p, in mean absolute errors, for Gaussian errors.
func gaussianFactor(p float64) float64 { return math.Erfinv(p) * math.Sqrt(math.Pi) }
