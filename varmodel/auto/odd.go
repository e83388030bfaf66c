package auto

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
)

const (
	oddError   = 16  // limit of the error of a sample, in median errors: an odd sample exceeds it
	oddStep    = 11  // limit of the step of a sample, in median steps: an odd sample exceeds it, too
	oddInside  = 2   // factor of both limits for samples inside the range of the series
	oddKnown   = .5  // factor of both limits for values that were odd before
	oddLeast   = 8   // samples before the first sample that can be odd
	oddAfter   = 50  // samples that the medians need
	oddYoung   = 1.5 // after n < oddAfter samples both limits have the factor (oddAfter / n)^oddYoung
	oddRun     = 3   // largest number of consecutive held-back samples; a longer run is a change of scale
	oddSame    = 100 // the same limit for values that were odd alone before
	oddShare   = .03 // share of odd samples above which the limits grow
	oddRate    = .1  // step of the logarithm of the limits
	oddMemory  = .9  // weight of an odd sample in stayed and returned after the next odd sample
	oddRegular = 1   // consecutive equal distances between odd samples of a schedule
	oddAgain   = 2   // the same number for known values
	levelWidth = .5  // distance from the range beyond which a sample is novel, in widths of the range
	levelFar   = 2   // distance from the range beyond which the next forecast is the sample itself, in widths
	levelJump  = 300 // shortest jump to a new level, in median steps
	levelStays = 3   // two samples have the same level if their distance is less than levelStays median steps
	levelDecay = .02 // plus levelDecay |jump|
	levelWait  = 2   // a shift affects horizon h for levelWait * h samples; the first outcome is known after h
)

// gate filters the samples before the model of a series. It detects odd samples and shifts of the level.
//
// A sample is odd if it is far from its forecast and from the last sample, relative to the running medians of
// these distances. An odd sample is held back, which means that it counts as missing. The next sample confirms
// the odd sample if the next sample is odd, too, and nearer to the odd sample than to the forecast of the odd
// sample. There are three exceptions:
//
//   - An odd sample counts at once if odd samples were usually confirmed.
//   - A value that was odd alone before is held back each time, for example the -999 of a broken sensor.
//   - Odd samples at equal distances count, because the model has to learn their schedule.
//
// A confirmed sample far outside the range may begin a level. The model sees the samples minus the level, so its
// weights stay valid. The series may also return to the old level. The model has to learn jumps inside the range.
//
// A shift is an odd sample that counts, and that lies far outside the range of the earlier samples that counted.
// The weights of the model are not valid after a shift. The forecast is then the last value, until the first
// outcomes are known or the series has returned.
type gate struct {
	of       []gateOf
	again    []readmitted // earlier samples readmitted by the last sample
	together bool         // result of moveTogether for the last sample

	stayed, returned float64 // numbers of odd samples of all variables that stayed and returned, with forgetting
}

// readmitted is an earlier sample of one variable that was held back, and that counts now.
type readmitted struct {
	variable, lag int
	v             float64 // value without level
}

// gateOf is the gate of one variable.
type gateOf struct {
	fresh             bool    // the next sample does not follow the last one
	count             int     // samples
	err, step         float64 // running medians of the absolute errors, and of the nonzero absolute steps
	widen             float64 // logarithm of the factor of the limits
	low, high         float64 // range of the samples that counted, without levels
	least, most       float64 // range of the samples that counted, with levels
	bounds            [2]bound
	before            float64 // last sample if it counted, else NaN
	homeLow, homeHigh float64 // range before the last shift; empty (low > high) if the series has returned
	calm              int     // number of samples that counted since the last shift
	level             float64
	guess             float64 // jump added to the forecasts while a held-back sample will probably stay; else 0

	odd, from        float64    // last odd sample (NaN: none), and forecast of the first odd sample in the run
	run              int        // number of consecutive held-back samples
	repeats          bool       // the held-back samples repeat a known value
	alone            [2]float64 // values of the last two odd samples that were not confirmed, with level; NaN: none
	stayed, returned float64    // numbers of odd samples that stayed and returned, with forgetting; see judge
	since, distance  int        // samples since the last odd sample; samples between the last two odd samples
	equal            int        // consecutive equal distances
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

// admitTo writes the sample y without levels to dst, NaN where y is held back. last is the sample before y, and
// forecast is the forecast of y, both without levels. last and forecast are valid for variables with seen[j].
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

// moveTogether reports whether at least two young variables, and more than a third of them, are far at once. Such
// samples begin an event, and are not odd.
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

// targetsTo writes the targets without levels to dst, NaN where the admitted sample y is NaN.
func (g *gate) targetsTo(dst, targets, y []float64) {
	for j, v := range targets {
		dst[j] = v - g.of[j].level
		if y[j] != y[j] {
			dst[j] = y[j]
		}
	}
}

// begin passes the first sample after a break, which cannot be odd because it has no forecast.
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
	if far && o.odd == o.odd { // a sample near the forecast of the odd sample has returned
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
	if o.level != 0 && y > o.low && y < o.high { // return to the old level
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
		o.repeats = held >= 1 // see addTo
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

// readmitSchedule readmits the first samples of a schedule of variable j, the last two odd samples.
func (g *gate) readmitSchedule(j int) {
	o := &g.of[j]
	for i, v := range o.alone {
		if v == v {
			g.again = append(g.again, readmitted{j, (i+1)*o.distance - 1, v - o.level})
		}
	}
}

// stay reports whether an odd sample is more likely to stay than to return. The odd samples of all variables
// together have the weight of one odd sample of the variable o:
//
//	o.stayed - o.returned + (g.stayed - g.returned - 1) / (g.stayed + g.returned + 1) > 0.
func (g *gate) stay(o *gateOf) bool {
	return (o.stayed-o.returned)*(g.stayed+g.returned+1)+g.stayed-g.returned-1 > 0
}

// hold holds a sample back and returns NaN.
func (o *gateOf) hold() float64 {
	o.run++
	o.before = math.NaN()
	return math.NaN()
}

// pass updates the ranges with the sample y, which counts, and returns y without level.
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
	if v < o.low {
		o.low = v
	}
	if v > o.high {
		o.high = v
	}
	if y < o.least {
		o.least = y
	}
	if y > o.most {
		o.most = y
	}
	o.bounds[0].learn(y, o.before)
	o.bounds[1].learn(y, o.before)
	o.before = y
	return v
}

// shifted reports whether a recent shift makes the last value the forecast of variable j for h steps. After the first
// sample of a shift the result is true only for h = 1, and only if the sample is more than levelFar widths outside the
// range. The beginning of a gesture is nearer.
func (g *gate) shifted(j, h int) bool {
	o := &g.of[j]
	if !(o.homeLow <= o.homeHigh) || o.calm >= levelWait*h-1 {
		return false
	}
	width := levelFar * (o.homeHigh - o.homeLow)
	return o.calm > 0 || h == 1 && (o.high > o.homeHigh+width || o.low < o.homeLow-width)
}

// isFar reports whether a sample with the absolute error e and the given absolute step exceeds both limits. known:
// the value was odd before.
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
		return false // most samples return here, before the exponential
	}
	limit *= math.Exp(o.widen)
	return step > oddStep*limit*o.step && e > oddError*limit*max(o.err, .1*o.step) && o.step > 0
}

// isOutside reports whether v lies beyond the range of all samples that counted.
func (o *gateOf) isOutside(v float64) bool { return v < o.low || v > o.high }

// judge updates the limits with the sample v. If there is an odd sample, judge also counts it as stayed or returned,
// and reports whether it stays: whether v is nearer to the odd sample than to the forecast of the odd sample.
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

// meet updates distance and equal at an odd sample. A multiple of the distance counts as equal: samples between them that
// were forecast well were not odd.
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

// isNovel reports whether y is more than levelWidth widths outside the range of all samples that counted.
func (o *gateOf) isNovel(y float64) bool {
	width := levelWidth * (o.high - o.low)
	return y < o.least-width || y > o.most+width
}

// learn updates the running medians with an absolute error and an absolute step. It multiplies a median by 1 + rate
// or 1 - rate (stochastic approximation).
func (o *gateOf) learn(e, step float64) {
	rate := max(.01, min(.5, 3/float64(o.count)))
	o.err = stepMedian(o.err, e, rate)
	if step > 0 || o.step == 0 {
		o.step = stepMedian(o.step, step, rate)
	}
}

// stepMedian returns a running median after the value v.
func stepMedian(median, v, rate float64) float64 {
	switch {
	case median == 0:
		return v
	case v > median:
		return median * (1 + rate)
	}
	return median * (1 - rate)
}

// addTo adds the level and the guess of each variable to its forecasts, rows x dim. It clips forecasts plus level to
// the believed bounds. If a variable has repeated a known odd value n times, addTo forecasts this value for the next n
// steps.
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

// limitsTo writes the believed bounds of each variable, and reports whether there are any. A bound is infinite if it
// is not believed, or if the forecast follows an odd sample.
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

// forecast sets the one-step forecasts of shifted variables to their last values.
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
