package auto

import (
	"math"
	"slices"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/varmodel/series"
)

const (
	distances    = 160 // number of inputs from which a bandwidth is computed
	refitPace    = 36  // samples of the past learnt per new sample
	bandwidthFor = 36  // cost of computing a bandwidth, in samples of the past
)

// refitTimes lists the numbers of samples at which refits start, up to twice the memory. The distances between refits
// grow, because the statistics of a long series change slowly.
var refitTimes = []int{50, 100, 400, 3200}

// refit is the stage that refits the experts at refitTimes. A refit standardises the past with the present statistics,
// computes the bandwidths, and learns the last samples again. Early in a series the statistics change quickly, and
// every feature changes with them. Experts that forget slowly would keep wrong weights from this time. The weights of
// the mixture stay, because they come from forecasts that preceded their targets. Autoregressions on own lags stay,
// too, because increments in typical steps keep their meaning.
//
// The experts are refitted one after the other. A reset copy of an expert learns some samples of the past per new
// sample, and replaces the expert when it has caught up. No sample therefore takes much longer than the others, and a
// refit needs memory for only one additional set of weights.
type refit struct {
	from          int            // first sample to learn, counted like past.Count
	current       int            // index of the expert in refit; len(experts): none
	resetCopy     *expert        // reset copy of the current expert; nil: not begun
	next          int            // sample whose features are learnt next, counted like past.Count
	frame         *frame         // frame of the series at next; nil between two refits
	hasIncrements bool           // true: frame.recent holds the increments before next; only for experts with long
	remainder     *pastRemainder // remainder of the series at next; nil until an expert with long needs it
	phi           []float64      // scratch: features of an expert
	out           []float64      // scratch: predictions
	target        []float64      // scratch
}

func newRefit(s *autoSeries) *refit { return &refit{current: len(s.m.experts)} }

// open allocates the memory of a refit.
func (r *refit) open(s *autoSeries) {
	m := s.m
	d := m.cfg.Dim
	depth := m.recent()
	if m.source == nil || !m.has(partLong) {
		depth = 0 // only the source uses the increments
	}
	r.frame = newFrame(d, m.order, depth, s.scaler, newLocalMean(d), s.frame.inputs)
	r.out, r.target = make([]float64, d), make([]float64, d)
	widest := 0
	for _, e := range m.experts {
		widest = max(widest, e.Features())
	}
	r.phi = make([]float64, widest)
}

// end ends a refit. Experts that were not replaced yet stay as they are.
func (r *refit) end(s *autoSeries) { *r = refit{from: r.from, current: len(s.m.experts)} }

// follow starts a refit when one is due, and continues a running refit.
func (r *refit) follow(s *autoSeries) {
	if s.total == oddAfter && s.past.Count == s.total {
		s.reviewYouth()
	}
	// After a break the history may be too short for a refit.
	if slices.Contains(refitTimes, s.total) && s.total <= 2*s.m.memory && s.past.Count >= min(s.total/2, s.m.memory) {
		r.start(s, s.m.memory)
	}
	for work := refitPace; work > 0 && r.frame != nil; {
		work -= r.proceed(s, work)
		if r.current == len(s.m.experts) {
			r.end(s)
		}
	}
}

// start starts a refit of all experts on the last oldest samples.
func (r *refit) start(s *autoSeries, oldest int) {
	r.from = max(s.past.Count-1-oldest, 2)
	r.current, r.resetCopy = 0, nil
	r.open(s)
	s.past.Reserve(s.past.Count - r.from + s.m.recent() + 1) // plus the increments before the first sample
}

// proceed learns at most work samples, and returns the cost in samples.
func (r *refit) proceed(s *autoSeries, work int) (done int) {
	e := s.m.experts[r.current]
	newest := s.past.Count - 1
	switch {
	case e.own > 0:
		r.current++
		return 0
	case r.resetCopy == nil:
		r.next = max(r.from, newest-s.m.memory)
		r.begin(s, e)
		return bandwidthFor
	}
	for ; done < work && r.next < newest; done++ {
		r.learn(s, newest-r.next)
		r.next++
	}
	if r.next == newest {
		s.m.work.keepLearner(e)
		e.learner = r.resetCopy.learner
		if e.random != nil {
			e.random.SetBandwidth(r.resetCopy.random.Bandwidth())
		}
		r.current, r.resetCopy = r.current+1, nil
	}
	return done
}

// begin makes the reset copy of e with a new bandwidth.
func (r *refit) begin(s *autoSeries, e *expert) {
	back := s.past.Count - 1 - r.next
	r.resetCopy = e.resetCopy()
	if e.random != nil {
		r.rewind(s, back)
		r.resetCopy.random.SetBandwidth(e.bandwidth * r.bandwidthAt(s, back))
	}
	r.rewind(s, back)
}

// rewind moves the frame to before the sample at lag back. The local mean starts at this sample, with the present
// standard deviation.
func (r *refit) rewind(s *autoSeries, back int) {
	r.frame.local.restartAs(s.local, s.past.Lag(back))
	r.hasIncrements, r.remainder = false, nil
}

// advance moves the frame to the sample at lag back.
func (r *refit) advance(s *autoSeries, back int) {
	r.frame.past = s.past.At(back)
	if r.resetCopy.target == localTarget {
		r.frame.local.update(r.frame.past.Lag(0), r.frame.past.ObservedAt(0))
	}
}

// learn updates the reset copy with the sample at lag back - 1 as the target of the frame at lag back.
func (r *refit) learn(s *autoSeries, back int) {
	f, e := r.frame, r.resetCopy
	r.advance(s, back)
	f.prepare()
	if source := s.m.source; e.long && source != nil {
		if s.remainder != nil {
			if r.remainder == nil {
				r.remainder = newPastRemainder(s)
			}
			r.remainder.longTo(f.long, r.out, s, back)
		} else if r.hasIncrements {
			f.recent.Push(f.past.Lag(0), f.past.Lag(1))
		} else {
			f.recent.fillFrom(&f.past)
			r.hasIncrements = true
		}
		if s.remainder == nil {
			source.forecastTo(f.long, r.out, nil, f)
			longTo(f.long, f.long, f)
		}
	}
	phi := r.phi[:e.Features()]
	e.FeaturesTo(phi, f)
	e.learner.PredictTo(r.out, phi)
	target := s.past.Lag(back - 1)
	if s.targets != nil {
		target = s.targets.Lag(back - 1)
	}
	observed := s.past.ObservedAt(back - 1)
	copyWhere(r.target, target, observed)
	f.setTargets(e.target, r.target)
	e.learn(r.out, phi, f, observed)
}

// bandwidthAt returns the median distance between inputs of the reset copy. The inputs are drawn at random from the
// samples at the lags 0 to back, because inputs at regular intervals would misrepresent a periodic series.
func (r *refit) bandwidthAt(s *autoSeries, back int) float64 {
	e, f := r.resetCopy, r.frame
	n := e.order * e.dim
	rng := random.New(uint64(s.past.Count))
	work := s.m.work
	points := slices.Grow(work.points[:0], distances*n)
	if e.target == localTarget { // the local mean needs every sample
		left := min(distances, back+1)
		for ; back >= 0; back-- {
			r.advance(s, back)
			if rng.Intn(back+1) < left { // Knuth's selection sampling
				left--
				points = append(points, e.lagsOf(f)...)
			}
		}
	} else {
		for range min(distances, back+1) {
			f.past = s.past.At(rng.Intn(back + 1))
			series.LagsTo(f.lags, f.scaler, &f.past, e.order)
			points = append(points, e.lagsOf(f)...)
		}
	}
	k := len(points) / n
	squares := slices.Grow(work.squares[:0], 3*k)
	for _, apart := range []int{k / 2, k / 3, k / 5} {
		for i := range k {
			a, b := points[i*n:(i+1)*n], points[(i+apart)%k*n:]
			var sum float64
			for l, v := range a {
				sum += (v - b[l]) * (v - b[l])
			}
			if sum > 1e-12 {
				squares = append(squares, sum)
			}
		}
	}
	work.points, work.squares = points, squares
	if len(squares) == 0 {
		return 1
	}
	slices.Sort(squares)
	return math.Sqrt(squares[len(squares)/2])
}

func (r *refit) interrupt(s *autoSeries) { r.end(s) }

func (r *refit) stateOf(c *snapshot.Codec, s *autoSeries) {
	c.Section("refit")
	c.Index(&r.current, len(s.m.experts)+1)
	begun := r.resetCopy != nil
	c.Bool(&begun)
	c.Int(&r.from)
	if c.Decoding() {
		current := r.current
		if r.end(s); current < len(s.m.experts) {
			r.open(s)
			r.current = current
		}
	}
	if !begun || r.frame == nil {
		return
	}
	if c.Decoding() {
		r.resetCopy = s.m.experts[r.current].resetCopy()
	}
	r.resetCopy.State(c)
	c.Int(&r.next)
	if back := s.past.Count - 1 - r.next; back < 0 || back > s.m.memory {
		c.Fail("refit: sample %d of %d", r.next, s.past.Count)
	}
	r.frame.local.State(c)
	has := r.remainder != nil
	c.Bool(&has)
	if c.Decoding() {
		r.hasIncrements, r.remainder = false, nil
		if has {
			r.remainder = newPastRemainder(s)
		}
	}
	if has {
		r.remainder.State(c)
	}
}
