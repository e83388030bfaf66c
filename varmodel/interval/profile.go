package interval

import (
	"math/bits"
	"strconv"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/varmodel/internal/check"
	"github.com/orffvar/forecaster/varmodel/series"
)

const (
	profileShortest = 5  // samples of the shortest cycle with a profile
	profileEach     = 60 // samples of the longest cycle with a bin for each of them …
	profileBins     = 24 // … and bins of a longer one
	profileMemory   = 20 // visits that the size of a bin is the mean of
	profileLeast    = .2 // smallest ratio of a bin
)

// profiles are the error profiles of the cycles of one series, such as the hour and the day. A server
// that is busy by day has large errors by day, and one with a job at the full hour has large errors at
// the full hour. Intervals of the same width at all times would hold their coverage only on average.
//
// The scale s of the intervals follows the errors of all samples. In each bin of a cycle, the size of
// an error is its mean in units of s, and the half width of an interval is multiplied by the ratio
// of the size in the bin of its target to the size in all bins. Each profile explains the errors that
// profiles of shorter cycles leave. Horizons share profiles, see anchorAt.
type profiles struct {
	cycles []*profile  // shortest period first
	now    eval.Phases // phases of the last sample
}

// profile is the error profile of one cycle.
type profile struct {
	period, bins int
	anchors      []*anchorProfile // nil: no horizon needs it
}

// anchorProfile is a profile at one anchor.
type anchorProfile struct {
	worth
	bin   int       // bin of the last outcome; -1: none
	count float64   // outcomes since it began
	ended int       // visits of bins that have ended
	size  []float64 // bins x d: mean size of the errors
	sum   []float64 // d: of the sizes in the present visit
	noise []float64 // d: variance of the mean size in a visit

	slope, offset []float64 // d: ratio of a bin = offset + slope size
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
	v := make([]float64, (bins+4)*d)
	next := func(n int) []float64 {
		part := v[:n:n]
		v = v[n:]
		return part
	}
	a := &anchorProfile{
		worth: newWorth(horizon, d), bin: -1,
		size: next(bins * d), sum: next(d), noise: next(d), slope: next(d), offset: next(d),
	}
	for i := range a.size {
		a.size[i] = 1
	}
	for j := range d {
		a.offset[j] = 1
	}
	return a
}

// SetPhases implements eval.Intervals.
func (s *Intervals) SetPhases(now eval.Phases) {
	if s.profiles == nil {
		if now[0].Period == 0 {
			return
		}
		s.profiles = &profiles{}
	}
	p := s.profiles
	p.now = now
	i := 0
	for i < len(p.cycles) && i < len(now) && p.cycles[i].period == int(now[i].Period) {
		i++
	}
	if i == len(p.cycles) && (i == len(now) || now[i].Period == 0) {
		return // the usual case
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
					s.use(&a.worth, j, false)
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

// ratioNow returns the factor of the half width of one step at the last sample.
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

// learnProfiles learns the sizes of the errors at an anchor of horizon h, in units of scale, and divides
// them by the ratios that are in use. step is the step of the factors.
func (s *Intervals) learnProfiles(h int, sizes, scale []float64, step float64) {
	p, at := s.profiles, anchorAt(h)
	m := s.moveOf(at, step)
	for i, c := range p.cycles {
		a, bin := c.anchors[at], c.binAt(p.now[i].At)
		a.learnBin(bin, sizes, scale, m)
		if a.inUse {
			for j, used := range a.used {
				if used {
					sizes[j] /= a.ratio(bin, j)
				}
			}
		}
	}
}

// learnBin learns sizes of errors in a bin; NaN where there is none.
func (a *anchorProfile) learnBin(bin int, sizes, scale []float64, m *factorMove) {
	if bin != a.bin {
		if a.bin >= 0 {
			a.endVisit()
		}
		a.bin = bin
	}
	a.count++
	a.samples++
	n := len(sizes)
	mean, scale, sum := a.size[bin*n:][:n], scale[:n], a.sum[:n]
	slope, offset := a.slope[:n], a.offset[:n]
	for j, v := range sizes {
		if v != v {
			sum[j] += mean[j] // it changes nothing
			continue
		}
		a.learn(j, ratioOf(offset[j], slope[j], mean[j]), v, scale[j], m)
		if limit := series.WinsorLimit * mean[j]; v > limit {
			v = limit
		}
		sum[j] += v
	}
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
			if least := max(worthTerm, a.horizon); a.samples >= (least+c.period-1)/c.period*c.period {
				s.compare(a, c)
			}
		}
	}
}

// compare ends a term of the comparison, and computes the ratios. They are drawn to 1 as far as sizes
// differ by chance (James and Stein 1961).
func (s *Intervals) compare(a *anchorProfile, c *profile) {
	d := len(a.used)
	visits := float64(a.ended / c.bins)
	overlap := max(1, float64(a.horizon)/float64(c.period)) // visits whose errors are alike
	s.endTerm(&a.worth, visits >= 2)                        // ratios were known for the term
	for j := range d {
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
				s.profiles = &profiles{}
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
	c.Float64(&a.count)
	for _, v := range [][]float64{a.size, a.sum, a.noise, a.slope, a.offset} {
		c.Float64s(v)
	}
	a.worth.state(c)
}
