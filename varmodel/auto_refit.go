package varmodel

import (
	"math"
	"slices"

	"github.com/orffvar/forecaster/internal/snapshot"
	"github.com/orffvar/forecaster/orff"
)

const (
	firstRebuild = 50  // samples before the first rebuild; then at every doubling, until there are twice as many as it learns from
	distances    = 160 // inputs from which the bandwidth is taken
	rebuildPace  = 36  // samples that are learnt again with each new sample …
	bandwidthFor = 36  // … of which finding a bandwidth counts as so many
)

// rebuild starts the experts again at 50, 100, 200, … samples: it takes the
// bandwidths from the past as it is standardised now, and learns the last samples
// again. Early on the statistics change quickly, and with them the meaning of
// every feature; what was learnt before would stay wrong in experts that forget
// slowly or never. The scores of the mixture are not touched: they come from
// forecasts that were made before their targets. Autoregressions on own lags are
// left alone: increments over their typical size mean the same throughout.
//
// One expert after the other gets new weights, which learn a few samples of the
// past with each new one, and replace the old ones when there is none left. So no
// sample takes much longer than the others, and there is one spare set of weights
// at a time.
type rebuild struct {
	from  int     // first sample to learn from, counted like history.count
	turn  int     // expert that is learning again; all: none
	spare *expert // its new weights; nil: not begun
	next  int     // sample whose features are learnt next
	frame *frame
	begun bool      // the increments of frame are those before next; they are there for long inputs only
	phi   []float64 // of an expert
	out   []float64

	wanted []float64 // scratch
}

func newRebuild(s *autoSeries) *rebuild {
	m := s.m
	d := m.cfg.Dim
	r := &rebuild{
		turn:   len(m.experts),
		frame:  newFrame(d, m.order, m.recent(), s.scaler, newLocalMean(d), s.inputs),
		out:    make([]float64, d),
		wanted: make([]float64, d),
	}
	if m.source == nil || !m.has(LongInputs) {
		r.frame.recent = nil // only the source would look at them
	}
	for _, e := range m.experts {
		r.phi = append(r.phi, make([]float64, max(0, e.features()-len(r.phi)))...)
	}
	return r
}

// due reports whether n samples are 50 times a power of two.
func due(n int) bool {
	if n%firstRebuild != 0 {
		return false
	}
	q := n / firstRebuild
	return q > 0 && q&(q-1) == 0
}

func (r *rebuild) observe(s *autoSeries) {
	// After a break there may be too little to learn from again.
	if due(s.total) && s.total <= 2*s.m.memory && s.past.count >= min(s.total/2, s.m.memory) {
		r.again(s, s.m.memory)
	}
	for work := rebuildPace; work > 0 && r.turn < len(s.m.experts); {
		work -= r.proceed(s, work)
	}
}

// again starts the experts again with the last samples, as many as oldest.
func (r *rebuild) again(s *autoSeries, oldest int) {
	r.from = max(s.past.count-1-oldest, 2)
	r.turn, r.spare = 0, nil
}

// stop leaves the experts as they are.
func (r *rebuild) stop(s *autoSeries) { r.turn, r.spare = len(s.m.experts), nil }

// proceed does some work, at most the given amount, and returns how much.
func (r *rebuild) proceed(s *autoSeries, work int) (done int) {
	e := s.m.experts[r.turn]
	newest := s.past.count - 1
	switch {
	case e.own > 0:
		r.turn++
		return 0
	case r.spare == nil:
		r.next = max(r.from, newest-s.m.memory)
		r.begin(s, e)
		return bandwidthFor
	}
	for ; done < work && r.next < newest; done++ {
		r.learn(s, newest-r.next)
		r.next++
	}
	if r.next == newest {
		e.learner = r.spare.learner
		if e.random != nil {
			e.random.sigma = r.spare.random.sigma
		}
		r.turn, r.spare = r.turn+1, nil
	}
	return done
}

// begin makes new weights for an expert.
func (r *rebuild) begin(s *autoSeries, e *expert) {
	back := s.past.count - 1 - r.next
	r.spare = e.renewed()
	if e.random != nil {
		r.restart(s, back)
		r.spare.random.sigma = e.bandwidth * r.distance(s, back)
	}
	r.restart(s, back)
}

// restart moves the frame before the given lag, with a local mean that begins
// there with the scale of today.
func (r *rebuild) restart(s *autoSeries, back int) {
	r.frame.local.restartAs(s.local, s.past.lag(back))
	r.begun = false
}

// advance moves the frame to the given lag.
func (r *rebuild) advance(s *autoSeries, back int) {
	r.frame.past = s.past.at(back)
	if r.spare.target == local {
		r.frame.local.follow(r.frame.past.lag(0), r.frame.past.observedAt(0))
	}
}

// learn learns the sample after the given lag.
func (r *rebuild) learn(s *autoSeries, back int) {
	f, e := r.frame, r.spare
	r.advance(s, back)
	f.prepare()
	if source := s.m.source; e.long && source != nil {
		if r.begun {
			f.recent.push(f.past.lag(0), f.past.lag(1))
		} else {
			f.recent.follow(&f.past)
			r.begun = true
		}
		source.forecastTo(f.long, r.out, nil, f)
		longTo(f.long, f.long, f)
	}
	phi := r.phi[:e.features()]
	e.featuresTo(phi, f)
	e.learner.PredictTo(r.out, phi)
	target := s.past.lag(back - 1)
	if s.targets != nil {
		target = s.targets.lag(back - 1)
	}
	observed := s.past.observedAt(back - 1)
	copyWhere(r.wanted, target, observed)
	f.want(e.target, r.wanted)
	e.learn(r.out, phi, f, observed)
}

// distance returns the median distance between inputs of the new expert that are
// drawn from the samples up to the given lag. At equal distances they would not
// do: half of a series that alternates is no picture of it.
func (r *rebuild) distance(s *autoSeries, back int) float64 {
	e, f := r.spare, r.frame
	n := e.order * e.dim
	rng := orff.NewRand(uint64(s.past.count))
	points := make([]float64, 0, distances*n)
	if e.target == local { // the mean has to follow all samples
		wanted := min(distances, back+1)
		for ; back >= 0; back-- {
			r.advance(s, back)
			if rng.Intn(back+1) < wanted { // Knuth's selection sampling
				wanted--
				points = append(points, e.levelsOf(f)...)
			}
		}
	} else {
		for range min(distances, back+1) {
			f.past = s.past.at(rng.Intn(back + 1))
			levelsTo(f.levels, f.scaler, &f.past, e.order)
			points = append(points, e.levelsOf(f)...)
		}
	}
	k := len(points) / n
	squares := make([]float64, 0, 3*k)
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
	if len(squares) == 0 {
		return 1
	}
	slices.Sort(squares)
	return math.Sqrt(squares[len(squares)/2])
}

func (r *rebuild) State(c *snapshot.Codec, s *autoSeries) {
	c.Section("rebuild")
	c.Index(&r.turn, len(s.m.experts)+1)
	begun := r.spare != nil
	c.Bool(&begun)
	if !begun || r.turn == len(s.m.experts) {
		r.spare = nil
		c.Int(&r.from)
		return
	}
	if c.Decoding() {
		r.spare = s.m.experts[r.turn].renewed()
	}
	r.spare.State(c)
	c.Int(&r.from)
	c.Int(&r.next)
	if back := s.past.count - 1 - r.next; back < 0 || back > s.m.memory {
		c.Fail("rebuild: sample %d of %d", r.next, s.past.count)
	}
	r.frame.local.State(c)
}
