package auto

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/sgd/online"
	"github.com/orffvar/forecaster/varmodel/internal/regression"
	"github.com/orffvar/forecaster/varmodel/series"
)

// target is the quantity that an expert predicts. An untrained expert predicts 0.
type target int

const (
	incrementTarget target = iota // increment over the last value; 0: no change
	localTarget                   // deviation from the local mean; 0: return to the local mean
	valueTarget                   // deviation from the mean of the past; 0: return to the mean
	targetKinds
)

// expertSpec describes one regression of the pool.
type expertSpec struct {
	name        string
	block       int // block of the seed for the frequencies
	target      target
	own         int     // number of own lags, for one regression per coordinate; 0: see order
	source      bool    // true: forecasts of this expert are inputs of the experts with long
	order       int     // number of lags of all coordinates; 0 for experts with own
	linear      float64 // factor of the lags among the features; 0: no linear part
	long        bool    // the increments forecast by the source are features
	frequencies int     // number of frequencies; each has two random features, a cosine and a sine
	bandwidth   float64 // in median distances
	additive    bool    // true: each frequency uses one coordinate
	ridge       float64 // ridge of the weights, for features of size one
	forgetting  float64 // weight of a sample after one step
	every       int     // samples between two steps of the doubly stochastic descent; 0: online.HandOver
	most        int     // online.BlockDescent uses mini-batches of every to most samples; 0: no BlockDescent
	width       int     // largest number of features per step; 0: blockWidth
}

// pool lists the experts of TierFull, beside persistence. The experts differ in smoothness (bandwidths from 1/2 to 2,
// and linear), in the number of lags (1 to 96), in forgetting, and in the untrained forecast (no change, or return to
// a mean). The factor linear gives the linear part its own ridge: ridge / linear^2.
var pool = []expertSpec{
	{name: "ar96", own: 96, source: true, ridge: 100, forgetting: 0.9998, every: 256}, // first, because others use its forecasts
	{name: "ar6", own: 6, ridge: 10, forgetting: 0.998, every: 16},
	{name: "var1", order: 1, linear: 1, ridge: 1, forgetting: 1},
	{name: "orff1", order: 1, linear: 10, frequencies: 48, bandwidth: 0.7, ridge: 10, forgetting: 1},
	{name: "orff4", order: 4, linear: 10, long: true, frequencies: 36, bandwidth: 1, ridge: 100, forgetting: 0.998},
	{name: "orff3", order: 3, linear: 1, long: true, frequencies: 92, bandwidth: 0.5, ridge: 100, forgetting: 0.9998, every: 8},
	{name: "orff3-local", target: localTarget, order: 3, linear: 1, long: true, frequencies: 48, bandwidth: 1, ridge: 100, forgetting: 0.9995, every: 16},
	{name: "orff1-mean", target: valueTarget, order: 1, frequencies: 48, bandwidth: 2, ridge: 10, forgetting: 0.995, every: 8},
	{name: "orff1-additive", target: valueTarget, order: 1, linear: 3, frequencies: 50, bandwidth: 1.25, additive: true, ridge: 3, forgetting: 0.9998},
}

// blockWidth is the largest number of features that one step of doubly stochastic descent changes. The field width
// of an expertSpec replaces it.
const blockWidth = 48

// Constants of the hand-over from recursive least squares to block Newton.
const (
	handOverAfter = 32   // samples per feature before the hand-over
	handOverLeast = 3200 // smallest number of samples before the hand-over: the time of the last refit
	handOverEvery = 8    // samples between the steps after the hand-over
)

// expertSpecs returns the experts with the given names. Experts of the pool come first, in the order of the pool,
// because some of them use the forecasts of earlier experts.
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

// expertOfOrder returns the expert arN, varN or orffN. These are ar6, var1 and orff3 of the pool with N lags.
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

const returnLimit = 20 // limit of a forecast increment of experts with localTarget or valueTarget, in typical steps

// expert is a regression of the pool with its weights.
type expert struct {
	expertSpec
	dim           int
	inputs        int                   // exogenous inputs among the features
	inputFeatures *orff.Adaptive        // additive features of the exogenous inputs; nil unless additive
	yuleWalker    *yuleWalker           // learner of the source, which has no features; nil for other experts
	learner       regression.Resettable // nil for the source
	random        *orff.Adaptive        // random features of the lags; nil without frequencies
	work          *Workspace            // shared by all experts
}

func newExpert(spec expertSpec, dim, inputs int, seed uint64, work *Workspace) (*expert, error) {
	e := &expert{expertSpec: spec, dim: dim, work: work}
	if spec.linear > 0 {
		e.inputs = inputs
	}
	if spec.additive {
		e.frequencies = max(e.frequencies, dim) // at least one per coordinate
	}
	if spec.frequencies > 0 {
		var err error
		drawing := drawing{seed, spec.block, dim, spec.order, e.frequencies, spec.bandwidth, spec.additive}
		if e.random, err = work.Features(drawing); err != nil {
			return nil, err
		}
	}
	if spec.additive && inputs > 0 {
		var err error
		if e.inputFeatures, err = series.NewInputFeatures(inputs, seed, spec.block); err != nil {
			return nil, err
		}
	}
	if spec.source {
		e.yuleWalker = newYuleWalker(dim, spec.own, spec.every, spec.ridge, spec.forgetting, work)
		return e, nil
	}
	var err error
	if e.learner, err = e.newLearner(); err != nil {
		return nil, fmt.Errorf("varmodel: expert %s: %w", spec.name, err)
	}
	return e, nil
}

func (e *expert) newLearner() (regression.Resettable, error) {
	width := e.width
	if width == 0 {
		width = blockWidth
	}
	if e.most > 0 {
		return online.NewBlockDescent(online.BlockDescentConfig{
			Features: e.Features(), Outputs: e.dim,
			Block: width, Batch: e.every, MostBatch: e.most,
			Ridge: e.ridge, Forgetting: e.forgetting,
			Workspace: &e.work.newton,
		})
	}
	newton := online.BlockNewtonConfig{
		Features: e.Features(), Outputs: e.dim,
		Block: width, Every: e.every,
		Ridge: e.ridge, Forgetting: e.forgetting,
		Workspace: &e.work.newton,
	}
	switch {
	case e.own > 0:
		newton.Features, newton.Outputs = e.own+1, 1
		return regression.NewPerCoordinate(e.dim, func() (regression.CoordinateLearner, error) { return online.NewBlockNewton(newton) })
	case e.every > 0:
		return online.NewBlockNewton(newton)
	}
	newton.Every = handOverEvery
	return online.NewHandOver(online.HandOverConfig{
		RLS: online.RLSConfig{
			Features: newton.Features, Outputs: e.dim,
			Ridge: e.ridge, Forgetting: e.forgetting, MaxLeverage: 1,
		},
		Newton: newton,
		After:  max(handOverAfter*newton.Features, handOverLeast),
	})
}

// resetCopy returns an untrained copy of e. The copy shares the frequencies with e.
func (e *expert) resetCopy() *expert {
	n := *e
	if e.random != nil {
		n.random = e.random.Copy()
	}
	if n.learner = e.work.takeLearner(e); n.learner != nil {
		return &n
	}
	var err error
	if n.learner, err = e.newLearner(); err != nil {
		panic("varmodel: " + err.Error()) // newExpert made the same learner
	}
	return &n
}

// Features returns the number of features.
func (e *expert) Features() int {
	if e.yuleWalker != nil {
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
	if e.inputFeatures != nil {
		n += e.inputFeatures.Len()
	}
	return n + 2*e.inputs
}

// depth returns the number of lags that the expert uses.
func (e *expert) depth() int { return max(e.own, e.order) }

// FeaturesTo writes the features phi of f.
func (e *expert) FeaturesTo(phi []float64, f *frame) {
	switch {
	case e.yuleWalker != nil:
		return
	case e.own > 0:
		f.ownLagsTo(phi, e.own)
		return
	}
	lags := e.lagsOf(f)
	n := 0
	if e.linear > 0 {
		n = 1 + len(lags)
		size, part := e.linear, phi[1:n]
		phi[0] = size
		for i, z := range lags[:e.dim] {
			part[i] = size * z
		}
		// Differences between the lags are far less correlated than the lags.
		older := lags[e.dim:]
		newer, part := lags[:len(older)], part[e.dim:][:len(older)]
		for i, z := range older {
			part[i] = size * (z - newer[i])
		}
	}
	if e.long {
		for j, v := range f.long {
			phi[n+j] = e.linear * v
		}
		n += e.dim
	}
	if e.inputs > 0 {
		f.inputs.AfterTo(phi[n:n+2*e.inputs], &f.past, e.linear)
		n += 2 * e.inputs
	}
	if e.random != nil {
		e.random.FeaturesTo(phi[n:n+2*e.frequencies], lags)
		n += 2 * e.frequencies
	}
	if e.inputFeatures != nil {
		inputs := rows(&e.work.inputs, 1, f.inputs.Count)
		f.inputs.NextTo(inputs, &f.past)
		e.inputFeatures.FeaturesTo(phi[n:], inputs)
	}
}

// lagsOf returns the lags of f, order x dim, standardised for the target of e. The slice is a view, valid until the
// next call of lagsOf for any expert.
func (e *expert) lagsOf(f *frame) []float64 {
	if e.target != localTarget {
		return f.lags[:e.order*e.dim]
	}
	lags := rows(&e.work.lags, e.order, e.dim)
	f.local.lagsTo(lags, &f.past, e.order)
	return lags
}

// predictTo writes the prediction, in units of the target, from the features phi of f.
func (e *expert) predictTo(out, phi []float64, f *frame) {
	if e.yuleWalker != nil {
		e.yuleWalker.predictTo(out, f)
		return
	}
	e.learner.PredictTo(out, phi)
}

// forecastTo writes the forecast of the next sample to dst, and the prediction, in units of the target, to out. dst
// must be allocated by lanes.Rows.
func (e *expert) forecastTo(dst, out, phi []float64, f *frame) {
	e.predictTo(out, phi, f)
	limit := float64(regression.OutputLimit)
	if e.target != incrementTarget {
		limit = returnLimit
	}
	zero, unit, _ := f.scale(e.target)
	f.scaler.Bound(dst, out, zero, unit, f.past.Lag(0), limit, nil)
}

// learn updates the weights with the targets of the sample after f. out holds the predictions of predictTo.
// observed[j]: coordinate j was observed.
func (e *expert) learn(out, phi []float64, f *frame, observed []bool) {
	targets := f.targets[e.target]
	if e.yuleWalker != nil {
		e.yuleWalker.learn(targets, observed, f)
		return
	}
	if !slices.Contains(observed, true) {
		return
	}
	errors := rows(&e.work.errors, 1, e.dim)
	for j, v := range targets {
		if errors[j] = v - out[j]; !observed[j] {
			errors[j] = 0
		}
	}
	e.learner.Update(phi, errors)
}

// discount multiplies the weight of all samples learnt so far by factor, in (0, 1].
func (e *expert) discount(factor float64) {
	if e.yuleWalker != nil {
		e.yuleWalker.discount(factor)
		return
	}
	e.learner.Discount(factor)
}

func (e *expert) State(c *snapshot.Codec) {
	c.Section(e.name)
	if e.random != nil {
		e.random.State(c)
	}
	if e.yuleWalker != nil {
		e.yuleWalker.State(c)
		return
	}
	e.learner.State(c)
}

// finiteOr returns v if v is finite, else instead.
func finiteOr(v, instead float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return instead
	}
	return v
}
