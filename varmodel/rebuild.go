package varmodel

import "github.com/orffvar/forecaster/orff"

const (
	memory       = 2000 // samples that a rebuild learns from again
	firstRebuild = 50   // samples before the first rebuild; then at every doubling …
	lastRebuild  = 4096 // … up to this many
	distances    = 200  // inputs from which the bandwidth is taken
)

// rebuild starts the experts again at 50, 100, 200, … samples: it takes the
// bandwidths from the past as it is standardised now, clears the weights and
// learns the last samples again. Early on the statistics change quickly, and
// with them the meaning of every feature; what was learnt before would stay
// wrong in experts that forget slowly or never. The scores of the mixture are
// not touched: they come from forecasts that were made before their targets.
//
// All the rebuilds together cost two to three times what learning the first
// 4096 samples costs.
type rebuild struct {
	phi          [][]float64
	origin, unit []float64
	forecast     []float64
	local        *localMean
	median       []*medianDistance
	corr         []float64 // autocorrelations
}

func newRebuild(m *auto) *rebuild {
	d := m.cfg.Dim
	r := &rebuild{
		origin: make([]float64, d), unit: make([]float64, d), forecast: make([]float64, d),
		local: newLocalMean(d),
		corr:  make([]float64, longestSeason),
	}
	pairs := make([]float64, distances*(distances-1)/2)
	for _, e := range m.experts {
		r.phi = append(r.phi, make([]float64, e.features()))
		var q *medianDistance
		if e.random != nil {
			q = newMedianDistance(len(e.levels), distances)
			q.distances = pairs
		}
		r.median = append(r.median, q)
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
	if !due(s.total) || s.past.count < min(s.total/2, memory) {
		return
	}
	if s.outlook != nil && s.m.cfg.Season == 0 {
		s.outlook.season = findSeason(s.past, min(s.past.count, memory), r.corr)
	}
	if s.total > lastRebuild {
		return
	}
	r.again(s, min(s.past.count-1, memory))
}

// again starts the experts again with the last samples, as many as oldest: the
// lag of the first pair's input.
func (r *rebuild) again(s *autoSeries, oldest int) {
	m := s.m
	r.bandwidths(s, oldest)
	for _, e := range m.experts {
		if e.own == 0 {
			e.learner.Reset()
		}
	}
	f := r.start(s, oldest)
	for back := oldest; back >= 1; back-- {
		r.advance(s, &f, back)
		if s.past.count-back <= 2 {
			continue
		}
		target := s.past.lag(back - 1)
		observed := s.past.observedAt(back - 1)
		for i, e := range m.experts {
			e.featuresTo(r.phi[i], &f)
			if e.source {
				e.forecastTo(r.forecast, m.out, r.phi[i], &f)
				longTo(f.long, r.forecast, &f)
			}
			for j := range r.origin {
				r.origin[j], r.unit[j] = f.base(e.target, j)
			}
			if e.own > 0 {
				continue
			}
			e.learn(m.out, r.phi[i], target, r.origin, r.unit, observed)
		}
	}
}

// start returns the frame before the given lag, with the scales of today and a
// local mean that begins there.
func (r *rebuild) start(s *autoSeries, back int) frame {
	copy(r.local.count, s.local.count)
	copy(r.local.variance, s.local.variance)
	copy(r.local.sd, s.local.sd)
	r.local.restart(s.past.lag(back))
	return frame{scaler: s.scaler, local: r.local, long: s.long, inputs: s.inputs}
}

// advance moves the frame to the given lag.
func (r *rebuild) advance(s *autoSeries, f *frame, back int) {
	f.past = s.past.at(back)
	r.local.follow(f.past.lag(0), f.past.observedAt(0))
}

// bandwidths takes the bandwidth of each expert from inputs spread over the
// past. They are drawn, not taken at equal distances: half of a series that
// alternates is no picture of it.
func (r *rebuild) bandwidths(s *autoSeries, oldest int) {
	for _, q := range r.median {
		if q != nil {
			q.count = 0
		}
	}
	f := r.start(s, oldest)
	rng := orff.NewRand(uint64(s.past.count))
	wanted := min(distances, oldest+1)
	for back := oldest; back >= 0; back-- {
		r.advance(s, &f, back)
		if rng.Intn(back+1) >= wanted { // Knuth's selection sampling
			continue
		}
		wanted--
		for i, e := range s.m.experts {
			if e.random != nil {
				e.levelsTo(&f)
				r.median[i].add(e.levels)
			}
		}
	}
	for i, e := range s.m.experts {
		if e.random != nil {
			e.random.sigma = e.bandwidth * r.median[i].median()
		}
	}
}
