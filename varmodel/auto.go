package varmodel

import (
	"fmt"
	"math"
	"slices"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/internal/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/sgd"
)

// AutoConfig describes the default model.
type AutoConfig struct {
	Dim     int       // d, coordinates of a sample
	Horizon int       // H, forecasts 1 … H steps ahead
	Seed    uint64    // of the frequencies
	Experts []string  // names of the experts beside persistence, see ExpertNames; none means all of those
	Shared  bool      // several series share the weights
	Season  int       // samples in a season; 0 means that it is found in the data
	Inputs  int       // variables that drive the series; see eval.InputTaker
	Levels  []float64 // of the prediction intervals, each in (0, 1); none means no intervals

	Tier    Tier         // how much the model may cost; "" means TierFull
	Without []Ingredient // left out, to measure what each is worth
}

// Ingredient is a part of the default model that can be left out.
type Ingredient string

// The ingredients, beside the experts.
const (
	Rebuilding Ingredient = "rebuilding" // starting the experts again at 50, 100, 200, … samples
	LongInputs Ingredient = "long"       // the forecasts of ar96 as inputs of the others
	Stacking   Ingredient = "stack"      // the linear correction of the aggregate
	Novelty    Ingredient = "novelty"    // persistence after a step far larger than any before
	Glitches   Ingredient = "glitch"     // holding back values out of all proportion
	Limiting   Ingredient = "limit"      // limits of the errors that experts learn from
)

var ingredients = []Ingredient{Rebuilding, LongInputs, Stacking, Novelty, Glitches, Limiting}

// ExpertNames lists the experts of the default model beside persistence. Besides
// these there are arN, varN and orffN for any number N of lags: a coordinate's own,
// those of all in a linear regression, and those of all with random features.
func ExpertNames() []string { return TierFull.experts() }

// valueLimit bounds what the default model accepts: squares of larger values
// would overflow.
const valueLimit = 1e100

// NewAuto returns the default model: an online mixture of experts around
// ORFFVAR, with no parameter to choose. See the package comment. Its
// forecasters are eval.Mixtures; with Levels they are eval.Bounders, too.
func NewAuto(cfg AutoConfig) (eval.Model, error) {
	if err := checkShape(cfg.Dim, cfg.Horizon); err != nil {
		return nil, err
	}
	if cfg.Tier == "" {
		cfg.Tier = TierFull
	}
	tier, ok := tiers[cfg.Tier]
	if !ok {
		return nil, fmt.Errorf("varmodel: Tier must be one of %v, got %q", Tiers, cfg.Tier)
	}
	names := cfg.Experts
	if len(names) == 0 {
		names = cfg.Tier.experts()
	}
	if err := checkRange("Season", cfg.Season, 0, maxLags); err != nil {
		return nil, err
	}
	for _, w := range cfg.Without {
		if !slices.Contains(ingredients, w) {
			return nil, fmt.Errorf("varmodel: Without must be names of %v, got %q", ingredients, w)
		}
	}
	if err := checkInputs(cfg.Inputs); err != nil {
		return nil, err
	}
	specs, err := expertSpecs(names, tier.pool)
	if err != nil {
		return nil, err
	}
	m := &auto{cfg: cfg, memory: tier.memory, names: []string{"persistence"}}
	work := new(sgd.Workspace)
	for _, spec := range specs {
		spec.long = spec.long && m.has(LongInputs)
		e, err := newExpert(spec, cfg.Dim, cfg.Inputs, cfg.Seed, work)
		if err != nil {
			return nil, err
		}
		if !m.has(Limiting) {
			e.usual = nil
		}
		m.experts, m.names = append(m.experts, e), append(m.names, e.name)
		if e.source {
			m.source = e
		}
		m.long = m.long || e.long
		if !slices.Contains(m.targets, e.target) {
			m.targets = append(m.targets, e.target)
		}
		m.depth = max(m.depth, e.depth())
		if e.target != local {
			m.order = max(m.order, e.order)
		}
		if e.walker != nil && cfg.Shared {
			e.walker.batch = 1 // the next sample may be one of another series
		}
		if m.rebuilds() && e.random != nil {
			e.random.warm = nil // rebuilds take the bandwidth
		}
	}
	m.depth, m.order = max(m.depth, directOrder), max(m.order, 1)
	if cfg.Horizon > 1 {
		var err error
		if m.directs, err = newDirects(cfg.Dim, cfg.Inputs, anchors(cfg.Horizon), work); err != nil {
			return nil, err
		}
		m.long = true
	}
	if len(cfg.Levels) == 0 {
		return m, nil
	}
	return WithIntervals(m, IntervalConfig{Dim: cfg.Dim, Horizon: cfg.Horizon, Levels: cfg.Levels})
}

// auto owns the weights of the experts.
type auto struct {
	cfg     AutoConfig
	experts []*expert
	names   []string // of persistence and the experts
	depth   int      // lags that the experts look at
	order   int      // lags of all coordinates that they look at, but for those around the local mean
	memory  int      // samples that a rebuild learns from again
	targets []target // of the experts
	source  *expert  // whose forecasts are inputs of others; nil without
	long    bool     // there are others that take them
	directs *directs // nil for a horizon of one
}

func (m *auto) has(i Ingredient) bool {
	return !slices.Contains(m.cfg.Without, i) && !slices.Contains(tiers[m.cfg.Tier].without, i)
}

// recent is the number of increments that a series keeps.
func (m *auto) recent() int { return walkDepth(m.depth) }

func (m *auto) rebuilds() bool { return !m.cfg.Shared && m.has(Rebuilding) }

func (m *auto) State(c *snapshot.Codec) {
	c.Section("auto")
	for _, e := range m.experts {
		e.State(c)
	}
	if m.directs != nil {
		m.directs.State(c)
	}
}

func (m *auto) NewSeries() eval.Forecaster {
	d, k := m.cfg.Dim, len(m.experts)
	depth := m.recent() + 1
	if m.rebuilds() {
		depth += m.memory
	}
	depth = max(depth, m.cfg.Season+1)
	s := &autoSeries{
		m:      m,
		inputs: newInputs(m.cfg.Inputs, m.cfg.Horizon, depth),
		scaler: newScaler(d), local: newLocalMean(d), past: newHistory(d, depth),
		mixer:     newMixer(d, k+1, 1, -1, m.has(Stacking)),
		phi:       make([][]float64, k),
		out:       make([]float64, k*d),
		forecasts: vec.Aligned((k + 1) * vec.Stride(d)),
		next:      make([]float64, d),
		sample:    lanes.Rows(1, d), before: make([]float64, d), wanted: make([]float64, d),
		observed: make([]bool, d),
	}
	for i, e := range m.experts {
		s.phi[i] = make([]float64, e.features())
	}
	s.frame = newFrame(d, m.order, m.recent(), s.scaler, s.local, s.inputs)
	s.frame.past = *s.past
	if m.rebuilds() {
		s.rebuild = newRebuild(s)
	}
	s.mixer.novelty = m.has(Novelty)
	if m.has(Glitches) {
		s.glitch = newGlitch(d)
	}
	if m.directs != nil {
		s.outlook = newOutlook(m.directs, m.cfg.Horizon, m.recent())
		s.outlook.season = m.cfg.Season
		if m.rebuilds() && m.cfg.Season == 0 {
			s.season = newSeasonSearch(m.memory)
		}
	}
	if s.inputs != nil {
		return drivenAuto{s}
	}
	return s
}

// autoSeries is one series of the default model.
type autoSeries struct {
	m      *auto
	inputs *inputs // nil without
	scaler *scaler
	local  *localMean
	past   *history
	glitch *glitch // nil without

	targets *history // what is learnt in place of past, when observe was given it
	mixer   *mixer

	rebuild   *rebuild      // nil without rebuilding, or when series share the weights
	season    *seasonSearch // nil when it is given, or there are no samples to look at
	outlook   *outlook      // nil for a horizon of one
	total     int           // samples observed
	broken    bool          // the next sample follows a break
	pending   bool          // phi waits for its target
	frame     *frame        // of the last samples
	phi       [][]float64   // per expert
	out       []float64     // experts x dim, what the weights say of phi
	forecasts []float64     // experts+1 x vec.Stride(dim); persistence first
	next      []float64     // one-step forecast

	sample   []float64 // scratch
	before   []float64 // scratch: the sample before, NaN for coordinates without any
	wanted   []float64 // scratch
	observed []bool    // scratch
}

func (s *autoSeries) Observe(y []float64) error { return s.observe(y, y) }

// observe implements sensitive.
func (s *autoSeries) observe(y, target []float64) error {
	if err := checkSample(y, s.m.cfg.Dim, valueLimit); err != nil {
		return err
	}
	elsewhere := &target[0] != &y[0]
	if s.broken {
		s.resume(y)
	}
	before := s.past.lag(0)
	if s.past.unseen > 0 {
		copyWhere(s.before, before, s.past.seen)
		before = s.before
	}
	if s.glitch != nil {
		s.glitch.HoldTo(s.sample, y, before)
	} else {
		copy(s.sample, y)
	}
	y = s.sample
	if !elsewhere {
		target = y
	} else if s.targets == nil {
		s.targets = newHistory(s.m.cfg.Dim, s.m.memory+1)
	}
	if s.pending {
		for j, v := range y {
			s.observed[j] = v == v && s.past.seen[j]
		}
		wanted := target
		if elsewhere || s.past.unseen > 0 {
			wanted = s.wanted
			copyWhere(wanted, target, s.observed)
		}
		for _, t := range s.m.targets {
			s.frame.want(t, wanted)
		}
		for i, e := range s.m.experts {
			out := s.outOf(i)
			if s.m.cfg.Shared { // other series have changed the weights
				e.predictTo(out, s.phi[i], s.frame)
			}
			e.learn(out, s.phi[i], s.frame, s.observed)
		}
	}
	if s.past.any() {
		s.mixer.observe(target, before, s.pending)
		if s.outlook != nil {
			s.outlook.observe(y)
		}
	}
	if elsewhere {
		s.targets.push(target, s.next)
	}
	s.past.push(y, s.next)
	if s.inputs != nil {
		s.inputs.next(s.past.row(0))
	}
	s.frame.recent.push(s.past.lag(0), s.past.lag(1))
	s.total++
	s.local.Add(y) // first: the longest way to the next forecast begins with it
	s.scaler.Add(y)
	if s.season != nil {
		s.findSeason()
	}
	if s.rebuild != nil {
		s.rebuild.observe(s)
	}
	if s.past.any() {
		s.predict()
	}
	return nil
}

// copyWhere copies the values that exist and sets the others to NaN.
func copyWhere(dst, x []float64, exists []bool) {
	for j, v := range x {
		if !exists[j] {
			v = math.NaN()
		}
		dst[j] = v
	}
}

// findSeason looks for the season again now and then.
func (s *autoSeries) findSeason() {
	if due(s.total) && s.past.count >= min(s.total/2, s.m.memory) {
		s.season.begin(min(s.past.count, s.m.memory))
	}
	if s.season.samples == 0 {
		return
	}
	if season, done := s.season.proceed(s.past); done {
		s.outlook.season = season
	}
}

// drivenAuto is an autoSeries that has inputs.
type drivenAuto struct{ *autoSeries }

// SetInputs implements eval.InputTaker.
func (s drivenAuto) SetInputs(u []float64) { s.inputs.set(u) }

// ResetLags implements eval.LagResetter: what waits for its target has lost it,
// and the next sample begins a new run. The weights and the statistics stay.
func (s *autoSeries) ResetLags() {
	s.pending, s.broken = false, true
	s.past.reset()
	s.scaler.Break()
	if s.rebuild != nil {
		s.rebuild.stop(s)
	}
	if s.season != nil {
		s.season.samples = 0
	}
	if s.outlook != nil {
		s.outlook.count = 0
	}
}

// resume begins a new run at y: as at the first sample, nothing has moved yet.
func (s *autoSeries) resume(y []float64) {
	s.broken = false
	if source := s.m.source; source != nil {
		source.walker.add(s.frame.recent, 1)
	}
	for j, v := range y {
		if !math.IsNaN(v) {
			s.past.fill(j, v)
			s.frame.recent.clear(j)
			s.next[j] = v
		}
	}
	s.local.restart(s.past.lag(0))
}

// predict makes the features and the one-step forecasts of the experts and of
// the mixture.
func (s *autoSeries) predict() {
	f := s.frame
	f.past.follow(s.past)
	d := s.m.cfg.Dim
	stride := vec.Stride(d)
	last := s.past.lag(0)
	copy(s.forecasts, last)
	s.pending = s.past.count > 2
	if !s.pending {
		copy(s.next, last)
		return
	}
	f.prepare()
	for i, e := range s.m.experts {
		if s.rebuild == nil && e.random != nil {
			e.random.observe(e.levelsOf(f))
		}
		forecast := s.forecasts[(i+1)*stride:][:d]
		e.featuresTo(s.phi[i], f)
		e.forecastTo(forecast, s.outOf(i), s.phi[i], f)
		if e.source && s.m.long {
			longTo(f.long, forecast, f)
		}
	}
	s.mixer.forecastTo(s.next, last, s.forecasts)
	for j, v := range s.next {
		if v-v != 0 {
			s.next[j] = last[j] // it was not finite
		}
	}
	if s.outlook != nil {
		s.outlook.predict(f, s.m.source, s.mixer)
	}
}

func (s *autoSeries) outOf(expert int) []float64 {
	d := s.m.cfg.Dim
	return s.out[expert*d : (expert+1)*d]
}

// longTo turns the forecast of the source into inputs of the others.
func longTo(dst, forecast []float64, f *frame) {
	lanes.Standardise(dst, forecast, f.past.lag(0), f.scaler.perStep, math.Inf(1))
}

func (s *autoSeries) ForecastTo(dst []float64) bool {
	d := s.m.cfg.Dim
	if len(dst) != s.m.cfg.Horizon*d {
		panic("varmodel: ForecastTo: wrong length")
	}
	if !s.past.any() {
		return false
	}
	if s.outlook == nil || !s.pending {
		for h := range s.m.cfg.Horizon {
			copy(dst[h*d:], s.next)
		}
		return true
	}
	s.outlook.forecastTo(dst, s.next)
	return true
}

// Experts implements eval.Mixture.
func (s *autoSeries) Experts() []string { return s.m.names }

// WeightsTo implements eval.Mixture.
func (s *autoSeries) WeightsTo(dst []float64) { s.mixer.weightsTo(dst) }

func (s *autoSeries) State(c *snapshot.Codec) {
	c.Section("series")
	if s.inputs != nil {
		s.inputs.State(c)
	}
	s.scaler.State(c)
	s.local.State(c)
	s.past.State(c)
	if s.glitch != nil {
		s.glitch.State(c)
	}
	s.mixer.State(c)
	if s.outlook != nil {
		s.outlook.State(c)
	}
	c.Int(&s.total)
	c.Bool(&s.broken)
	c.Bool(&s.pending)
	for _, phi := range s.phi {
		c.Float64s(phi)
	}
	c.Float64s(s.out)
	c.Float64s(s.frame.long)
	if c.Decoding() {
		s.frame.recent.follow(s.past)
		s.frame.past = *s.past
		s.frame.prepare()
	}
	if s.rebuild != nil {
		s.rebuild.State(c, s)
	}
	if s.season != nil {
		s.season.State(c)
	}
	c.Float64s(s.next)
}
