package auto

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
)

const (
	oddError   = 16  // median errors, and …
	oddStep    = 11  // … median steps, beyond both of which a sample is odd
	oddInside  = 2   // factor of both for a value inside of the range, which the series has had
	oddKnown   = .5  // of both, for a value that has been odd before
	oddLeast   = 8   // samples before the first odd one …
	oddAfter   = 50  // … and samples that the medians need: the limits of n before are wider, …
	oddYoung   = 1.5 // … by this power of oddAfter / n
	oddRun     = 3   // odd samples in a row, all of them elsewhere, that are held back: then the scale has changed
	oddSame    = 100 // repetitions in a row of a value that has come alone before, that are held back
	oddShare   = .03 // share of odd samples, above which the limits grow
	oddRate    = .1  // step of the logarithm of the limits
	oddMemory  = .9  // weight of what became of an odd sample after the next one
	oddRegular = 1   // equal distances between odd samples, after which they are no surprise …
	oddAgain   = 2   // … if they have the same value
	levelWidth = .5  // widths of the range, beyond which a sample is novel
	levelFar   = 2   // widths of the range, beyond which the next forecast is the sample itself
	levelJump  = 300 // median steps from the old level to a new one, at least
	levelStays = 3   // median steps …
	levelDecay = .02 // … and part of the jump, within which the second sample is at the level of the first
	levelWait  = 2   // horizons after a shift for which the forecast is the last value: the first outcome is known after one, as many as a round has after two
)

// gate is in front of the model of a series. It says which samples are odd, and which level the
// series has.
//
// A sample is odd if it is far from the forecast and from the last sample, in running medians of
// such distances. It counts as missing until the next one confirms it: one that is odd, too, and nearer to it
// than to what was expected. Where odd samples have stayed more often than not, the first counts.
// A value that has been odd alone and comes again exactly, such as the -999 of a broken sensor, is odd
// each time. Odd samples at equal distances are a schedule, which the model shall learn: they count.
//
// A confirmed sample far outside of all so far may begin a level: then the model sees the series without it,
// as if the jump had not been, and nothing that it has learnt is lost. A return is a return to
// the old level. Jumps to where the series has been before are for the model to learn.
//
// After a shift, an odd sample beyond the range of those that counted which counts, nothing that was learnt applies: the forecast is
// the last value until the first outcomes are known, or the series has returned.
type gate struct {
	of       []gateOf
	again    []readmitted // by the last sample
	together bool         // scratch: young variables move together

	stayed, returned float64 // odd samples of all variables that did, with forgetting
}

// readmitted is an earlier sample of a variable that was held back and counts now.
type readmitted struct {
	variable, lag int
	v             float64 // without its level
}

// gateOf is the gate of one variable.
type gateOf struct {
	fresh             bool    // the next sample does not follow the last one
	count             int     // samples
	err, step         float64 // running medians of the absolute errors, and of the absolute steps that are not 0
	widen             float64 // logarithm of the factor of the limits
	low, high         float64 // range of the samples that counted, without their levels
	least, most       float64 // and with them
	bounds            [2]bound
	before            float64 // last sample that counted; NaN: it is not the one before
	homeLow, homeHigh float64 // range before the last shift, to which the series has not returned; else empty
	calm              int     // samples since then
	level             float64
	guess             float64 // how much further the next samples are expected, after an odd one that will probably stay

	odd, from        float64    // last odd sample, until the next one, and its forecast; NaN: none
	run              int        // samples in a row that were held back
	repeats          bool       // they are the same, and known
	alone            [2]float64 // last values of odd samples that left again; NaN: none
	stayed, returned float64    // odd samples that did, with forgetting
	since, distance  int        // samples since the last odd one, and between it and the one before
	equal            int        // equal distances in a row
}

func newGate(dim int) *gate {
	g := &gate{of: make([]gateOf, dim)}
	for j := range g.of {
		g.of[j] = gateOf{
			low: math.Inf(1), high: math.Inf(-1), least: math.Inf(1), most: math.Inf(-1),
			bounds: [2]bound{newBound(-1), newBound(1)}, before: math.NaN(),
			homeLow: math.Inf(1), homeHigh: math.Inf(-1), odd: math.NaN(), alone: [2]float64{math.NaN(), math.NaN()},
		}
	}
	return g
}

// admitTo writes the sample y without its levels to dst, and NaN where it is odd. last is the sample
// before y and forecast is the forecast of y, both without levels; they count where seen is true.
func (g *gate) admitTo(dst, y, last, forecast []float64, seen []bool) {
	g.again = g.again[:0]
	g.together = g.moveTogether(y, last, forecast, seen)
	for j, v := range y {
		dst[j] = v
		switch o := &g.of[j]; {
		case v != v:
			g.of[j].before = v
		case !seen[j] || o.fresh:
			dst[j] = o.begin(v)
		default:
			dst[j] = g.admit(j, v, last[j], forecast[j])
		}
	}
}

// moveTogether reports whether more than a third of several young variables are far at once: something begins.
func (g *gate) moveTogether(y, last, forecast []float64, seen []bool) bool {
	young, far := 0, 0
	for j, v := range y {
		if o := &g.of[j]; seen[j] && v == v && o.count < oddAfter {
			young++
			if v -= o.level; o.isFar(math.Abs(v-forecast[j]), math.Abs(v-last[j]), false) {
				far++
			}
		}
	}
	return far > 1 && 3*far > young
}

// targetsTo writes targets in place of the samples y without levels to dst.
func (g *gate) targetsTo(dst, targets, y []float64) {
	for j, v := range targets {
		dst[j] = v - g.of[j].level
		if y[j] != y[j] {
			dst[j] = y[j]
		}
	}
}

// begin takes the first sample of a run: nothing says whether it is odd.
func (o *gateOf) begin(y float64) float64 {
	o.fresh = false
	if y > o.low && y < o.high {
		o.level = 0
	}
	return o.pass(y)
}

func (g *gate) admit(j int, y, last, forecast float64) float64 {
	o := &g.of[j]
	v := y - o.level
	o.guess, o.repeats = 0, false
	e, step := math.Abs(v-forecast), math.Abs(v-last)
	known := (y == o.alone[0] || y == o.alone[1]) && (y < o.least || y > o.most)
	far := o.isFar(e, step, known) && !(o.count < oddAfter && g.together)
	if far && !o.isOutside(v) {
		far = o.isFar(e/oddInside, step/oddInside, known)
	}
	if far && o.odd == o.odd { // it may be back
		far = o.isFar(math.Abs(v-o.from), math.Abs(v-o.from), known)
	}
	o.count++
	o.since++
	judged := o.odd == o.odd
	stays := o.judge(v, far)
	if judged {
		g.stayed, g.returned = oddMemory*g.stayed, oddMemory*g.returned
		if stays {
			g.stayed++
		} else {
			g.returned++
		}
	}
	if !far {
		o.learn(e, step)
		return o.pass(y)
	}
	if o.level != 0 && y > o.low && y < o.high { // it has returned
		o.level = 0
		return o.pass(y)
	}
	jump, before, held := v-forecast, o.odd, o.run
	if o.odd = v; held == 0 {
		o.from = forecast
		o.meet()
	}
	regular := oddRegular
	if known {
		regular = oddAgain
	}
	switch shift := o.isNovel(y) && math.Abs(jump) > levelJump*o.step; {
	case o.equal >= regular && held == 0 && !shift:
		if o.equal == regular {
			g.readmitSchedule(j)
		}
	case known && held < oddSame:
		o.repeats = held >= 1 // it is expected for as long again
		return o.hold()
	case held == 0 && !shift && g.stay(o):
	case held > 0 && stays:
		if shift && math.Abs(v-before) < levelStays*o.step+levelDecay*math.Abs(jump) {
			o.level += jump
		} else {
			g.again = append(g.again, readmitted{j, 0, before})
		}
	case held < oddRun:
		if g.stay(o) {
			o.guess = jump
		}
		return o.hold()
	default:
		o.err, o.step = e, step
	}
	return o.pass(y)
}

// readmitSchedule readmits the last odd samples of variable j: they began a schedule.
func (g *gate) readmitSchedule(j int) {
	o := &g.of[j]
	for i, v := range o.alone {
		if v == v {
			g.again = append(g.again, readmitted{j, (i+1)*o.distance - 1, v - o.level})
		}
	}
}

// stay reports whether an odd sample is more likely to stay than to return. All variables together count as
// one odd sample of this variable:
//
//	o.stayed - o.returned + (g.stayed - g.returned - 1) / (g.stayed + g.returned + 1) > 0.
func (g *gate) stay(o *gateOf) bool {
	return (o.stayed-o.returned)*(g.stayed+g.returned+1)+g.stayed-g.returned-1 > 0
}

// hold counts a sample that is held back.
func (o *gateOf) hold() float64 {
	o.run++
	o.before = math.NaN()
	return math.NaN()
}

// pass takes a sample that counts and returns it without its level.
func (o *gateOf) pass(y float64) float64 {
	v := y - o.level
	o.run = 0
	o.calm++
	switch width := levelWidth * (o.high - o.low); {
	case o.odd == o.odd && (v < o.low-width || v > o.high+width):
		o.homeLow, o.homeHigh, o.calm = o.low, o.high, 0
	case v >= o.homeLow && v <= o.homeHigh:
		o.homeLow, o.homeHigh = math.Inf(1), math.Inf(-1)
	}
	o.low, o.high = min(o.low, v), max(o.high, v)
	o.least, o.most = min(o.least, y), max(o.most, y)
	for i := range o.bounds {
		o.bounds[i].learn(y, o.before)
	}
	o.before = y
	return v
}

// shifted reports whether variable j has shifted so lately that the forecast of h steps is the last value. Beyond one
// step a second sample has to stay away, and for one step it has to be far: gestures that begin are not.
func (g *gate) shifted(j, h int) bool {
	o := &g.of[j]
	if !(o.homeLow <= o.homeHigh) || o.calm >= levelWait*h-1 {
		return false
	}
	width := levelFar * (o.homeHigh - o.homeLow)
	return o.calm > 0 || h == 1 && (o.high > o.homeHigh+width || o.low < o.homeLow-width)
}

// isFar reports whether a sample with this error and this step is odd.
func (o *gateOf) isFar(e, step float64, known bool) bool {
	if o.count <= oddLeast {
		return false
	}
	limit := 1.
	if known {
		limit = oddKnown
	}
	if o.count < oddAfter {
		limit *= math.Pow(oddAfter/float64(o.count), oddYoung)
	}
	if step <= oddStep*limit*o.step {
		return false // as a rule: wider limits make no difference
	}
	limit *= math.Exp(o.widen)
	return step > oddStep*limit*o.step && e > oddError*limit*max(o.err, .1*o.step) && o.step > 0
}

// isOutside reports whether v lies beyond the range of all samples that counted.
func (o *gateOf) isOutside(v float64) bool { return v < o.low || v > o.high }

// judge learns what has become of the last odd sample, given the next one v, and reports whether it
// stays.
func (o *gateOf) judge(v float64, far bool) (stays bool) {
	o.widen -= oddRate * oddShare
	if far && o.run == 0 {
		o.widen += oddRate
	}
	o.widen = max(0, o.widen)
	if o.odd != o.odd {
		return false
	}
	o.stayed, o.returned = oddMemory*o.stayed, oddMemory*o.returned
	if stays = math.Abs(v-o.odd) < math.Abs(v-o.from); stays {
		o.stayed++
	} else {
		o.returned++
		if !far && o.run == 1 {
			o.alone[0], o.alone[1] = o.odd+o.level, o.alone[0]
		}
	}
	if !far {
		o.odd = math.NaN()
	}
	return stays
}

// meet counts the distances between odd samples. The distance is a multiple where samples of a schedule were
// forecast so well that they were not odd.
func (o *gateOf) meet() {
	times := 1
	if o.equal > 0 {
		times = max(1, (o.since+o.distance/2)/o.distance)
	}
	if near := o.since - times*o.distance; o.distance > 0 && near*near <= o.distance/50 {
		o.equal++
	} else {
		o.equal, o.distance = 0, o.since
	}
	o.since = 0
}

// isNovel reports whether y is far outside of all samples so far.
func (o *gateOf) isNovel(y float64) bool {
	width := levelWidth * (o.high - o.low)
	return y < o.least-width || y > o.most+width
}

// learn moves the medians by stochastic approximation.
func (o *gateOf) learn(e, step float64) {
	rate := max(.01, min(.5, 3/float64(o.count)))
	for _, m := range [...]struct {
		median *float64
		v      float64
	}{{&o.err, e}, {&o.step, step}} {
		switch {
		case *m.median == 0:
			*m.median = m.v
		case m.v > *m.median:
			*m.median *= 1 + rate
		case m.v > 0 || m.median == &o.err:
			*m.median *= 1 - rate
		}
	}
}

// addTo adds the levels to forecasts, and stops them at the bounds. A value that is held back and repeats is expected for as long again.
func (g *gate) addTo(forecasts []float64) {
	d := len(g.of)
	for j := range g.of {
		o := &g.of[j]
		if o.level != 0 || o.guess != 0 || o.bounds[0].believed() || o.bounds[1].believed() {
			for i := j; i < len(forecasts); i += d {
				forecasts[i] = o.bounds[1].clip(o.bounds[0].clip(forecasts[i]+o.level)) + o.guess
			}
		}
		if o.repeats {
			for i := j; i < min(o.run*d, len(forecasts)); i += d {
				forecasts[i] = o.odd + o.level
			}
		}
	}
}

// limitsTo writes the bounds of each variable. One whose forecast repeats an odd value has none.
func (g *gate) limitsTo(low, high []float64) (ok bool) {
	for j := range g.of {
		o := &g.of[j]
		low[j], high[j] = math.Inf(-1), math.Inf(1)
		if o.guess != 0 || o.repeats {
			continue
		}
		if b := &o.bounds[0]; b.believed() {
			low[j], ok = b.at, true
		}
		if b := &o.bounds[1]; b.believed() {
			high[j], ok = b.at, true
		}
	}
	return ok
}

// forecast makes the last value the forecast of a variable that has shifted.
func (g *gate) forecast(s *autoSeries) {
	for j, v := range s.past.Lag(0) {
		if g.shifted(j, 1) {
			s.next[j] = v
		}
	}
}

func (g *gate) interrupt(*autoSeries) {
	for j := range g.of {
		o := &g.of[j]
		o.odd, o.run, o.guess, o.repeats, o.fresh, o.before = math.NaN(), 0, 0, false, true, math.NaN()
	}
}

func (g *gate) stateOf(c *snapshot.Codec, _ *autoSeries) {
	c.Section("gate")
	c.Float64(&g.stayed)
	c.Float64(&g.returned)
	for j := range g.of {
		o := &g.of[j]
		c.Bool(&o.fresh)
		c.Bool(&o.repeats)
		for _, n := range []*int{&o.count, &o.run, &o.since, &o.distance, &o.equal, &o.calm} {
			c.Index(n, math.MaxInt)
		}
		for _, v := range []*float64{
			&o.err, &o.step, &o.widen, &o.low, &o.high, &o.least, &o.most, &o.homeLow, &o.homeHigh, &o.level, &o.guess, &o.odd, &o.from, &o.alone[0], &o.alone[1], &o.stayed, &o.returned, &o.before,
		} {
			c.Float64(v)
		}
		for i := range o.bounds {
			o.bounds[i].State(c)
		}
	}
}
