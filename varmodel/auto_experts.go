package varmodel

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/internal/snapshot"
	"github.com/orffvar/forecaster/sgd"
)

// target is what an expert regresses on, and what it forecasts before it has
// learnt anything.
type target int

const (
	increment target = iota // the step from the last value: no change
	local                   // the deviation from the local mean: return to it
	level                   // the deviation from the mean of the past: return to it
	targetKinds
)

// expertSpec describes one regression of the pool.
type expertSpec struct {
	name        string
	block       int // of the seed, for its frequencies
	target      target
	own         int     // own lags of each coordinate alone; 0: the last lags of all
	source      bool    // its forecasts are the long inputs of the others
	order       int     // lags of all coordinates
	linear      float64 // size of the lags among the features; 0: no linear part
	long        bool    // the increments that the source forecasts are inputs too
	frequencies int     // random features: a cosine and a sine each
	bandwidth   float64 // in median distances
	additive    bool    // each frequency looks at one coordinate
	ridge       float64 // of features of size one
	forgetting  float64
	every       int // samples between the steps of doubly stochastic descent; 0: learnt by recursive least squares as long as samples are few
}

// pool is the default pool, beside persistence. It spans what series differ in:
// how smooth the dependence is (bandwidths 1/2, 1, 2 and none), how far it
// reaches (1 to 96 lags), how long it lasts (forgetting), and what holds when
// nothing is known (no change, or return to a mean). The size of the linear
// part sets its ridge apart from that of the random features.
var pool = []expertSpec{
	{name: "ar96", own: 96, source: true, ridge: 100, forgetting: 0.9998, every: 256}, // before those that use it
	{name: "ar6", own: 6, ridge: 10, forgetting: 0.998, every: 16},
	{name: "var1", order: 1, linear: 1, ridge: 1, forgetting: 1},
	{name: "orff1", order: 1, linear: 10, frequencies: 48, bandwidth: 0.7, ridge: 10, forgetting: 1},
	{name: "orff4", order: 4, linear: 10, long: true, frequencies: 36, bandwidth: 1, ridge: 100, forgetting: 0.998},
	{name: "orff3", order: 3, linear: 1, long: true, frequencies: 92, bandwidth: 0.5, ridge: 100, forgetting: 0.9998, every: 8},
	{name: "orff3-local", target: local, order: 3, linear: 1, long: true, frequencies: 48, bandwidth: 1, ridge: 100, forgetting: 0.9995, every: 16},
	{name: "orff1-level", target: level, order: 1, frequencies: 48, bandwidth: 2, ridge: 10, forgetting: 0.995, every: 8},
	{name: "orff1-additive", target: level, order: 1, linear: 3, frequencies: 50, bandwidth: 1.25, additive: true, ridge: 3, forgetting: 0.9998},
}

// blockWidth is the number of features that a step of doubly stochastic descent
// changes at most. The mini-batch is so long that each block sees every sample
// once.
const blockWidth = 48

const (
	relayAfter = 32   // samples a feature that exact least squares learns before blocks take over,
	relayLeast = 3200 // at least: no rebuild comes later
	relayEvery = 8    // samples between the steps from then on
)

// expertSpecs returns the experts of the given names: first those of a pool, in
// its order, because some use what others forecast.
func expertSpecs(names []string, pool []expertSpec) ([]expertSpec, error) {
	var specs []expertSpec
	for i, spec := range pool {
		if slices.Contains(names, spec.name) {
			spec.block = i + 1
			specs = append(specs, spec)
		}
	}
	for i, name := range names {
		known := func(e expertSpec) bool { return e.name == name }
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("varmodel: Experts has %q twice", name)
		}
		if slices.ContainsFunc(specs, known) {
			continue
		}
		spec, ok := expertOfOrder(name)
		if !ok {
			return nil, fmt.Errorf("varmodel: Experts must be names of %v, arN, varN or orffN (N = number of lags, at most %d), got %q", ExpertNames(), maxExpertLags, name)
		}
		specs = append(specs, spec)
	}
	return specs, nil
}

const maxExpertLags = 999

// expertOfOrder returns the expert arN, varN or orffN: like ar6, var1 and orff3,
// with N lags.
func expertOfOrder(name string) (expertSpec, bool) {
	for _, like := range []struct{ prefix, name string }{{"ar", "ar6"}, {"var", "var1"}, {"orff", "orff3"}} {
		digits, ok := strings.CutPrefix(name, like.prefix)
		if n, err := strconv.Atoi(digits); ok && err == nil && n >= 1 && n <= maxExpertLags && strconv.Itoa(n) == digits {
			spec := pool[slices.IndexFunc(pool, func(e expertSpec) bool { return e.name == like.name })]
			if spec.own > 0 {
				spec.own = n
			} else {
				spec.order = n
			}
			spec.name, spec.block = name, len(pool)+n
			return spec, true
		}
	}
	return expertSpec{}, false
}

const (
	targetLimit = 10 // limit of a target, in its scale
	returnLimit = 20 // limit of the step of an expert that returns to a mean, in typical steps
)

// resettable is a learner that can start again, or forget a part.
type resettable interface {
	learner
	Reset()
	Discount(keep float64)
}

// expert has the weights of one regression.
type expert struct {
	expertSpec
	dim     int
	inputs  int         // variables that drive the series, as this expert sees it
	shape   *fourier    // of the inputs, one coordinate a frequency; nil unless additive
	walker  *yuleWalker // learner of the source, which looks at the frame itself; else nil
	learner resettable  // nil for the source
	random  *fourier
	usual   *usualError    // nil: errors count in full
	levels  []float64      // scratch, order x dim
	errors  []float64      // scratch
	work    *sgd.Workspace // shared by all experts
}

func newExpert(spec expertSpec, dim, inputs int, seed uint64, work *sgd.Workspace) (*expert, error) {
	e := &expert{expertSpec: spec, dim: dim, work: work, levels: lanes.Rows(spec.order, dim), errors: lanes.Rows(1, dim)}
	if !spec.source { // whose learner is not about errors, but about the series itself
		e.usual = newUsualError(dim)
	}
	if spec.linear > 0 {
		e.inputs = inputs
	}
	if spec.additive {
		e.frequencies = max(e.frequencies, dim) // each coordinate has one at least
	}
	if spec.frequencies > 0 {
		e.random = newFourier(spec.order*dim, e.frequencies, spec.bandwidth, seed, spec.block)
		if spec.additive {
			e.random.alignAxes()
		}
	}
	if spec.additive && inputs > 0 {
		e.shape = newShape(inputs, seed, spec.block)
	}
	if spec.source {
		e.walker = newYuleWalker(dim, spec.own, spec.every, spec.ridge, spec.forgetting)
		return e, nil
	}
	var err error
	if e.learner, err = e.newLearner(); err != nil {
		return nil, fmt.Errorf("varmodel: expert %s: %w", spec.name, err)
	}
	return e, nil
}

func (e *expert) newLearner() (resettable, error) {
	newton := sgd.BlockNewtonConfig{
		Features: e.features(), Outputs: e.dim,
		Block: blockWidth, Every: e.every,
		Ridge: e.ridge, Forgetting: e.forgetting,
		Workspace: e.work,
	}
	switch {
	case e.own > 0:
		newton.Features, newton.Outputs = e.own+1, 1
		return newPerCoordinate(e.dim, func() (coordinateLearner, error) { return sgd.NewBlockNewton(newton) })
	case e.every > 0:
		return sgd.NewBlockNewton(newton)
	}
	newton.Every = relayEvery
	return sgd.NewRelay(sgd.RelayConfig{
		RLS: sgd.RLSConfig{
			Features: newton.Features, Outputs: e.dim,
			Ridge: e.ridge, Forgetting: e.forgetting, MaxLeverage: 1,
		},
		Newton: newton,
		After:  max(relayAfter*newton.Features, relayLeast),
	})
}

// renewed returns the expert as if it had learnt nothing. Its frequencies, and what
// errors are usual, are shared.
func (e *expert) renewed() *expert {
	n := *e
	n.levels = lanes.Rows(e.order, e.dim)
	if e.random != nil {
		random := *e.random
		n.random = &random
	}
	if e.shape != nil {
		n.shape = newShape(e.inputs, 0, 0)
		n.shape.w = e.shape.w
	}
	var err error
	if n.learner, err = e.newLearner(); err != nil {
		panic("varmodel: " + err.Error()) // it was possible before
	}
	return &n
}

// features is the length of phi.
func (e *expert) features() int {
	if e.walker != nil {
		return 0
	}
	if e.own > 0 {
		return e.dim * (e.own + 1)
	}
	n := 2 * e.frequencies
	if e.linear > 0 {
		n += 1 + e.order*e.dim
	}
	if e.long {
		n += e.dim
	}
	if e.shape != nil {
		n += 2 * e.shape.frequencies
	}
	return n + 2*e.inputs
}

// depth is the number of lags that the expert looks at.
func (e *expert) depth() int { return max(e.own, e.order) }

// featuresTo writes the features of the last samples of f.
func (e *expert) featuresTo(phi []float64, f *frame) {
	switch {
	case e.walker != nil:
		return
	case e.own > 0:
		f.ownLagsTo(phi, e.own)
		return
	}
	levels := e.levelsOf(f)
	n := 0
	if e.linear > 0 {
		n = 1 + len(levels)
		size, lags := e.linear, phi[1:n]
		phi[0] = size
		for i, z := range levels[:e.dim] {
			lags[i] = size * z
		}
		// Differences between the lags are far less correlated than the lags.
		older := levels[e.dim:]
		newer, lags := levels[:len(older)], lags[e.dim:][:len(older)]
		for i, z := range older {
			lags[i] = size * (z - newer[i])
		}
	}
	if e.long {
		for j, v := range f.long {
			phi[n+j] = e.linear * v
		}
		n += e.dim
	}
	if e.inputs > 0 {
		f.inputs.toRow(phi[n:n+2*e.inputs], f.past.row(0), e.linear)
		n += 2 * e.inputs
	}
	if e.random != nil {
		e.random.featuresTo(phi[n:n+2*e.frequencies], levels)
		n += 2 * e.frequencies
	}
	if e.shape != nil {
		f.inputs.nextTo(e.shape.scaled, f.past.row(0))
		e.shape.featuresTo(phi[n:], e.shape.scaled)
	}
}

// levelsOf returns the standardised lags of f: a view.
func (e *expert) levelsOf(f *frame) []float64 {
	if e.target != local {
		return f.levels[:e.order*e.dim]
	}
	f.local.levelsTo(e.levels, &f.past, e.order)
	return e.levels
}

// predictTo writes what the weights say of the features of f, in units of the
// target.
func (e *expert) predictTo(out, phi []float64, f *frame) {
	if e.walker != nil {
		e.walker.predictTo(out, f)
		return
	}
	e.learner.PredictTo(out, phi)
}

// forecastTo writes the forecast of the next sample, and what the weights say of
// it to out. dst needs room behind it: see lanes.Rows.
func (e *expert) forecastTo(dst, out, phi []float64, f *frame) {
	e.predictTo(out, phi, f)
	limit := float64(outputLimit)
	if e.target != increment {
		limit = returnLimit
	}
	origin, unit, _ := f.scale(e.target)
	f.scaler.Bound(dst, out, origin, unit, f.past.lag(0), limit)
}

// learn updates the weights with the wanted values of the sample after f, given
// what they say of it (see predictTo) and which coordinates were observed.
func (e *expert) learn(out, phi []float64, f *frame, observed []bool) {
	wanted := f.wanted[e.target]
	if e.walker != nil {
		e.walker.learn(wanted, observed, f)
		return
	}
	if !slices.Contains(observed, true) {
		return
	}
	if e.usual != nil {
		e.usual.ErrorsTo(e.errors, wanted, out)
	} else {
		for j, v := range wanted {
			if e.errors[j] = v - out[j]; !observed[j] {
				e.errors[j] = 0
			}
		}
	}
	e.learner.Update(phi, e.errors)
}

// discount gives all that was learnt so far the weight keep in (0, 1].
func (e *expert) discount(keep float64) {
	if e.walker != nil {
		e.walker.discount(keep)
		return
	}
	e.learner.Discount(keep)
}

func (e *expert) State(c *snapshot.Codec) {
	c.Section(e.name)
	if e.random != nil {
		e.random.State(c)
	}
	if e.walker != nil {
		e.walker.State(c)
		return
	}
	e.learner.State(c)
	if e.usual != nil {
		e.usual.State(c)
	}
}

// Reset makes all coordinates start again.
func (l perCoordinate) Reset() {
	for _, r := range l {
		r.Reset()
	}
}

// finiteOr returns v, or instead when v is not finite.
func finiteOr(v, instead float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return instead
	}
	return v
}
