package interval

import (
	"math"
	"math/bits"
	"slices"
	"strconv"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/varmodel/internal/check"
	"github.com/orffvar/forecaster/varmodel/series"
)

const (
	profileShortest = 5   // samples of the shortest cycle with a profile
	profileEach     = 60  // samples of the longest cycle with a bin for each of them …
	profileBins     = 24  // … and bins of a longer one
	profileMemory   = 20  // visits that the size of a bin is the mean of
	profileLeast    = .2  // smallest ratio of a bin
	profileLevel    = .9  // coverage of the intervals that are compared
	profileTerm     = 24  // samples of a term of the comparison of profiles, at least
	profileRetained = .97 // weight of a term of the comparison after the next one
	profileTerms    = 5   // terms before a profile may be used
	profileErrors   = 1.5 // standard errors by which it must be better
)

// profiles are the error profiles of the cycles of one series, such as the hour and the day. A server
// that is busy by day has large errors by day, and a job at the full hour has them there: intervals
// as wide at all times would hold their coverage in the mean only.
//
// The scale s of the intervals follows the errors of all samples. In each bin of a cycle, the size of
// an error is its mean in units of s, and the half width of an interval is multiplied by the ratio
// of the size in the bin of its target to that in all bins. Each profile explains what those of
// shorter cycles leave. Horizons share profiles, see anchorAt.
type profiles struct {
	cycles []*profile  // shortest period first
	now    eval.Phases // of the last sample
	sizes  []float64   // scratch, d
	moves  []move      // of the factors, by anchor: mostly unchanged
}

// move is what a hit and a miss multiply a factor by, given the step of its logarithm.
type move struct{ step, hit, miss float64 }

// profile is the error profile of one cycle.
type profile struct {
	period, bins int
	anchors      []*anchorProfile // nil: no horizon needs it
}

// anchorProfile is a profile at one anchor. It is used for a variable while the score of
// intervals of 90 % is better with it by some standard errors. These intervals have factors of
// their own, with and without the profile, because the factor that holds the coverage differs.
type anchorProfile struct {
	horizon int
	bin     int       // of the last outcome; -1: none
	count   float64   // outcomes since it began
	ended   int       // visits of bins that have ended
	size    []float64 // bins x d: mean size of the errors
	sum     []float64 // d: of the sizes in the present visit
	noise   []float64 // d: variance of the mean size in a visit

	slope, offset []float64 // d: ratio of a bin = offset + slope size

	samples       int       // of the present term of the comparison
	terms         float64   // weight of those before
	plain, scaled []float64 // d: factors without and with the profile
	saved         []float64 // d: what the profile has saved in the present term
	gain, square  []float64 // d: mean of that, and of its square, over the terms
	used          []bool    // d
	inUse         bool      // by a variable
}

// anchorAt returns the place of the anchor of horizon h, and profileAnchor the horizon that one learns
// from: 1, 2, 3 for 3 and 4, 6 for 5 to 8, 12 for 9 to 16, …
func anchorAt(h int) int { return bits.Len(uint(h - 1)) }

func profileAnchor(at, horizon int) int {
	if at < 2 {
		return at + 1
	}
	return min(3<<(at-2), horizon)
}

// anchorFrom returns the first horizon of an anchor.
func anchorFrom(at int) int {
	if at == 0 {
		return 1
	}
	return 1<<(at-1) + 1
}

func newProfiles(d, horizon int) *profiles {
	return &profiles{sizes: make([]float64, d), moves: make([]move, anchorAt(horizon)+1)}
}

func (s *Intervals) newProfile(period int) *profile {
	p := &profile{period: period, bins: period, anchors: make([]*anchorProfile, anchorAt(s.cfg.Horizon)+1)}
	if period > profileEach {
		p.bins = profileBins
	}
	for _, h := range s.used {
		if at := anchorAt(h); p.anchors[at] == nil {
			p.anchors[at] = newAnchorProfile(profileAnchor(at, s.cfg.Horizon), p.bins, s.cfg.Dim)
		}
	}
	return p
}

func newAnchorProfile(horizon, bins, d int) *anchorProfile {
	a := &anchorProfile{horizon: horizon, bin: -1, used: make([]bool, d)}
	v := make([]float64, (bins+9)*d)
	for i, part := range a.vectors() {
		n := d
		if i == 0 {
			n *= bins
		}
		*part, v = v[:n:n], v[n:]
	}
	for i := range a.size {
		a.size[i] = 1
	}
	for j := range d {
		a.offset[j] = 1
		a.plain[j], a.scaled[j] = gaussianFactor(profileLevel), gaussianFactor(profileLevel)
	}
	return a
}

// vectors returns what a has of each variable, the sizes first.
func (a *anchorProfile) vectors() []*[]float64 {
	return []*[]float64{
		&a.size, &a.sum, &a.noise, &a.slope, &a.offset, &a.plain, &a.scaled, &a.saved, &a.gain, &a.square,
	}
}

// SetPhases implements eval.Intervals.
func (s *Intervals) SetPhases(now eval.Phases) {
	if s.profiles == nil {
		if now[0].Period == 0 {
			return
		}
		s.profiles = newProfiles(s.cfg.Dim, s.cfg.Horizon)
	}
	p := s.profiles
	p.now = now
	i := 0
	for i < len(p.cycles) && i < len(now) && p.cycles[i].period == int(now[i].Period) {
		i++
	}
	if i == len(p.cycles) && (i == len(now) || now[i].Period == 0) {
		return // as a rule
	}
	old := p.cycles
	p.cycles = nil
	for _, c := range now {
		if c.Period == 0 {
			break
		}
		p.cycles = append(p.cycles, profileOf(old, int(c.Period)))
		if last := len(p.cycles) - 1; p.cycles[last] == nil {
			p.cycles[last] = s.newProfile(int(c.Period))
		}
	}
	for _, c := range old {
		if profileOf(p.cycles, c.period) == nil {
			for _, a := range c.anchors {
				for j := 0; a != nil && j < len(a.used); j++ {
					s.use(a, j, false)
				}
			}
		}
	}
}

// profileOf returns the profile of a period, or nil.
func profileOf(cycles []*profile, period int) *profile {
	for _, c := range cycles {
		if c.period == period {
			return c
		}
	}
	return nil
}

// use lets variable j use a profile, or no longer. The factors of the intervals move to where the
// coverage is held then.
func (s *Intervals) use(a *anchorProfile, j int, used bool) {
	if a.used[j] == used {
		return
	}
	a.used[j] = used
	a.inUse = slices.Contains(a.used, true)
	move := a.scaled[j] / a.plain[j]
	if !used {
		move = 1 / move
	}
	H, d, at := s.cfg.Horizon, s.cfg.Dim, anchorAt(a.horizon)
	for l := range s.cfg.Levels {
		for h := anchorFrom(at); h < min(anchorFrom(at+1), H+1); h++ {
			f := &s.own[(l*H+h-1)*d+j]
			*f = series.ClipTo(*f*move, 1/farthest, farthest)
		}
	}
}

// binAt is the bin of a phase.
func (c *profile) binAt(phase int32) int {
	return int(uint32(phase) * uint32(c.bins) / uint32(c.period))
}

func (a *anchorProfile) ratio(bin, j int) float64 {
	return ratioOf(a.offset[j], a.slope[j], a.size[bin*len(a.used)+j])
}

func ratioOf(offset, slope, size float64) float64 {
	if r := offset + slope*size; r > profileLeast {
		return r
	}
	return profileLeast
}

// ratioNow is what the half width of one step was multiplied by for the last sample.
func (p *profiles) ratioNow(j int) float64 {
	ratio := 1.
	for i, c := range p.cycles {
		if a := c.anchors[0]; a.used[j] {
			ratio *= a.ratio(c.binAt(p.now[i].At), j)
		}
	}
	return ratio
}

// scaleTo multiplies the half widths of new intervals by the ratios at their targets.
func (s *Intervals) scaleTo(half []float64) {
	H, d := s.cfg.Horizon, s.cfg.Dim
	for i, c := range s.profiles.cycles {
		now := s.profiles.now[i]
		for _, h := range s.used {
			a := c.anchors[anchorAt(h)]
			if !a.inUse {
				continue
			}
			size := a.size[c.binAt((now.At+int32(h))%now.Period)*d:][:d]
			offset, slope := a.offset[:d], a.slope[:d]
			for j, used := range a.used[:d] {
				if !used {
					continue
				}
				ratio := ratioOf(offset[j], slope[j], size[j])
				for at := (h-1)*d + j; at < len(half); at += H * d {
					half[at] *= ratio
				}
			}
		}
	}
}

// learnProfiles learns the errors of the forecasts of horizon h, for which s.scale is still that
// from before. step is the step of the factors.
func (s *Intervals) learnProfiles(h int, y, forecast []float64, step float64) {
	p, d := s.profiles, s.cfg.Dim
	at := anchorAt(h)
	if profileAnchor(at, s.cfg.Horizon) != h {
		return
	}
	scale, count := s.scale[(h-1)*d:][:d], s.count[(h-1)*d:][:d]
	for j, v := range y {
		p.sizes[j] = math.NaN()
		if scale[j] > series.Degenerate*math.Abs(v) && count[j] > series.WinsorAfter {
			p.sizes[j] = math.Abs(v-forecast[j]) / scale[j]
		}
	}
	m := &p.moves[at]
	if m.step != step {
		*m = move{step, math.Exp(step * (profileLevel - 1)), math.Exp(step * profileLevel)}
	}
	for i, c := range p.cycles {
		a, bin := c.anchors[at], c.binAt(p.now[i].At)
		a.learn(bin, p.sizes, scale, m)
		if i < len(p.cycles)-1 && a.inUse {
			for j, used := range a.used {
				if used {
					p.sizes[j] /= a.ratio(bin, j)
				}
			}
		}
	}
}

// learn learns sizes of errors in a bin; NaN where there is none.
func (a *anchorProfile) learn(bin int, sizes, scale []float64, m *move) {
	if bin != a.bin {
		if a.bin >= 0 {
			a.endVisit()
		}
		a.bin = bin
	}
	a.count++
	a.samples++
	n := len(sizes)
	mean, scale, sum, saved := a.size[bin*n:][:n], scale[:n], a.sum[:n], a.saved[:n]
	plain, scaled, slope, offset := a.plain[:n], a.scaled[:n], a.slope[:n], a.offset[:n]
	for j, v := range sizes {
		if v != v {
			sum[j] += mean[j] // it changes nothing
			continue
		}
		ratio := ratioOf(offset[j], slope[j], mean[j])
		saved[j] += scale[j] * (m.score(&plain[j], 1, v) - m.score(&scaled[j], ratio, v))
		if limit := series.WinsorLimit * mean[j]; v > limit {
			v = limit
		}
		sum[j] += v
	}
}

// score returns the score of an interval of profileLevel (Winkler 1972) whose half width is
// ratio times a factor, given the size of the error, and moves the factor.
func (m *move) score(factor *float64, ratio, size float64) float64 {
	half := *factor * ratio
	if size > half {
		if *factor *= m.miss; *factor > farthest {
			*factor = farthest
		}
		return 2*half + 2/(1-profileLevel)*(size-half)
	}
	if *factor *= m.hit; *factor < 1/farthest {
		*factor = 1 / farthest
	}
	return 2 * half
}

// endVisit takes the visit of the present bin into its mean.
func (a *anchorProfile) endVisit() {
	bins := len(a.size) / len(a.used)
	n := float64(min(a.ended/bins+1, profileMemory))
	noisy := float64(min(a.ended-bins+1, profileMemory*bins))
	for j, sum := range a.sum {
		mean := &a.size[a.bin*len(a.used)+j]
		e := sum/a.count - *mean
		*mean += e / n
		if n > 1 {
			a.noise[j] += (e*e*(n-1)/n - a.noise[j]) / noisy
		}
		a.sum[j] = 0
	}
	a.count = 0
	a.ended = min(a.ended+1, 2*profileMemory*bins)
}

// compareProfiles ends terms of the comparison after all horizons have learnt, so that their order
// makes no difference.
func (s *Intervals) compareProfiles() {
	for _, c := range s.profiles.cycles {
		for _, a := range c.anchors {
			if a == nil {
				continue
			}
			if least := max(profileTerm, a.horizon); a.samples >= (least+c.period-1)/c.period*c.period {
				s.compare(a, c)
			}
		}
	}
}

// compare ends a term of the comparison, and computes the ratios. They are drawn to 1 as far as sizes
// differ by chance (James and Stein 1961).
func (s *Intervals) compare(a *anchorProfile, c *profile) {
	d := len(a.used)
	a.samples = 0
	visits := float64(a.ended / c.bins)
	overlap := max(1, float64(a.horizon)/float64(c.period)) // visits whose errors are alike
	begun := visits >= 2                                    // ratios were known for the term
	if begun {
		a.terms = profileRetained*a.terms + 1
	}
	for j, saved := range a.saved {
		a.saved[j] = 0
		if begun {
			a.gain[j] += (saved - a.gain[j]) / a.terms
			a.square[j] += (saved*saved - a.square[j]) / a.terms
			se := math.Sqrt(max(a.square[j]-a.gain[j]*a.gain[j], 0) / (a.terms - 1))
			s.use(a, j, a.terms > profileTerms && a.gain[j] > profileErrors*(1+2/a.terms)*se)
		}
		var sum, square float64
		for i := j; i < len(a.size); i += d {
			sum += a.size[i]
			square += a.size[i] * a.size[i]
		}
		mean := sum / float64(c.bins)
		between := square/float64(c.bins) - mean*mean
		a.slope[j], a.offset[j] = 0, 1
		if noise := a.noise[j] * overlap / visits; visits > 1 && noise < between {
			share := 1 - noise/between
			a.slope[j], a.offset[j] = share/mean, 1-share
		}
	}
}

// profilesState transfers the profiles; each anchor is an option.
func (s *Intervals) profilesState(c *snapshot.Codec) {
	n := 0
	if s.profiles != nil {
		n = len(s.profiles.cycles)
	}
	c.Len(&n, len(eval.Phases{}))
	if c.Decoding() {
		s.profiles = nil
	}
	for i := range n {
		period := 0
		if !c.Decoding() {
			period = s.profiles.cycles[i].period
		}
		if c.Index(&period, check.MaxPeriod+1); c.Decoding() {
			if c.Err() != nil || period < 1 {
				c.Fail("intervals: a profile of %d samples", period)
				return
			}
			if s.profiles == nil {
				s.profiles = newProfiles(s.cfg.Dim, s.cfg.Horizon)
			}
			s.profiles.cycles = append(s.profiles.cycles, s.newProfile(period))
		}
		p := s.profiles.cycles[i]
		c.Optional("profile "+strconv.Itoa(period), func() {
			for _, a := range p.anchors {
				if a != nil {
					c.Optional(strconv.Itoa(a.horizon), func() { a.state(c, p.bins) })
				}
			}
		})
	}
}

func (a *anchorProfile) state(c *snapshot.Codec, bins int) {
	bin := a.bin + 1
	c.Index(&bin, bins+1)
	a.bin = bin - 1
	c.Index(&a.ended, 2*profileMemory*bins+1)
	c.Int(&a.samples)
	c.Float64(&a.count)
	c.Float64(&a.terms)
	for _, v := range a.vectors() {
		c.Float64s(*v)
	}
	for j := range a.used {
		c.Bool(&a.used[j])
	}
	a.inUse = slices.Contains(a.used, true)
}
