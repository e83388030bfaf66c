package auto

import (
	"math"
	"slices"

	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/varmodel/internal/regression"
	"github.com/orffvar/forecaster/varmodel/series"
)

// sharePaths sets the weights of the paths at anchor k for coordinate j, in proportion to the weights of their experts.
// Direct regressions have no path. Their weight is divided among source, mixture and lag regression in proportion to
// the weights of these three; if all three are 0, the source gets all of it.
func (o *multihorizon) sharePaths(k, j int, awake bool) {
	d, a := o.direct.dim, o.anchors[k].mixture.aggregate
	source, mixture, own := a.weight(iterated, j), a.weight(iteratedAll, j), a.weight(ownPast, j)
	if !awake {
		source, mixture = source+mixture, 0
	}
	followers := a.weight(direct, j) + a.weight(directLocal, j)
	season := 0.
	if o.season > 0 { // without a season, these experts repeat the last value
		season = a.weight(lastSeason, j) + a.weight(seasonStep, j)
	}
	leaders := source + mixture + own
	led := leaders + followers
	if leaders == 0 {
		source, leaders = 1, 1
	}
	sum := max(led+season, math.SmallestNonzeroFloat64)
	share := led / leaders / sum
	path := o.pathWeights[k*paths*d+j:]
	path[sourcePath*d], path[mixturePath*d], path[ownPath*d] = share*source, share*mixture, share*own
	path[seasonPath*d] = season / sum
}

// wake sets origin.awake at the anchors where the iterated mixture makes a forecast. It returns the longest of their
// horizons, 0 for none. To save time, the iterated mixture is awake only at anchors where it has weight, at the next
// anchor after each of these, and in trials at short horizons, but not beyond iterationFarthest. A young series is
// always on trial, an older series in some blocks of samples.
func (o *multihorizon) wake(total int) (last int) {
	if !o.iterates {
		return 0
	}
	trial := total < iterationYoung || total/iterationBlock%iterationTrial == 0
	useful := false
	for k := range o.anchors {
		a := &o.anchors[k]
		weights, before := a.mixture.aggregate.Weights[iteratedAll*a.mixture.aggregate.stride:][:o.direct.dim], useful
		useful = slices.ContainsFunc(weights, func(w float64) bool { return w > iterationWeight })
		p := a.origin(o.made)
		if p.awake = a.horizon <= iterationFarthest && (useful || before || trial && a.horizon <= iterationSteps); p.awake {
			last = a.horizon
		}
	}
	return last
}

// iterate sets iteratedPath to the forecasts of the source, where each forecast becomes the last sample of the next
// step. Without a source, iteratedPath repeats the last value.
func (o *multihorizon) iterate(f *frame, source *expert) {
	d := o.direct.dim
	if source == nil {
		for h := range o.horizon {
			copy(o.iteratedPath[h*d:(h+1)*d], f.past.Lag(0))
		}
		return
	}
	model, stride := source.yuleWalker, f.recent.stride
	copy(o.recent[o.horizon*stride:], f.recent.rows(0)[:len(model.theta)])
	last := f.past.Lag(0)
	for h := range o.horizon {
		lanes.Standardise(o.values, last, f.scaler.Mean, f.scaler.Inverse, series.InputLimit)
		model.forecastTo(o.out, o.values, o.recent[(o.horizon-h)*stride:], f.scaler.PerStep)
		path, step := o.iteratedPath[h*d:(h+1)*d], o.recent[(o.horizon-h-1)*stride:]
		f.scaler.Bound(path, o.out, last, f.scaler.Steps, last, regression.OutputLimit, o.trends.ahead(h+1))
		for j, v := range path {
			step[j] = v - last[j]
		}
		last = path
	}
}

// repeats reports whether a season is known and whole.past holds at least one season.
func (o *multihorizon) repeats(whole *frame) bool {
	return o.season > 0 && whole.past.Count >= o.season
}

// repeatSeason sets seasonPath to the last observed value a whole number of seasons before each target, minus the
// season at the target. Without a season, seasonPath repeats last.
func (o *multihorizon) repeatSeason(whole *frame, last []float64) {
	d := len(last)
	for h := range o.horizon {
		path := o.seasonPath[h*d : (h+1)*d]
		if copy(path, last); o.repeats(whole) {
			for j, v := range whole.past.Lag(o.season - 1 - h%o.season) {
				path[j] = v - o.ahead[h*d+j]
			}
		}
	}
}

// forecastTo writes the forecasts to to, H x dim with H at most the last anchor. oneStep is the one-step forecast of
// the series, and mean is the mean of its remainder, dim each.
func (o *multihorizon) forecastTo(to, oneStep, mean []float64) {
	d, dst := o.direct.dim, o.all
	for j, v := range oneStep {
		dst[j] = v - o.ahead[j]
	}
	left := 1
	for k, h := range o.direct.steps {
		from, to := dst[(left-1)*d:left*d], dst[(h-1)*d:h*d]
		copy(to, o.atAnchors[k*d:])
		for i := left + 1; i < h; i++ { // empty for k = 0, because the first anchor is 2
			t := float64(i-left) / float64(h-left)
			row := dst[(i-1)*d:][:len(from)]
			for j, v := range from {
				row[j] = (1-t)*v + t*to[j]
			}
		}
		mixture := o.mixture.path
		if !o.anchors[k].origin(o.made + h - 1).awake { // the path of the mixture may end before this anchor
			mixture = o.iteratedPath
		}
		for n, path := range [paths][]float64{o.iteratedPath, mixture, o.lags.path, o.seasonPath} {
			if left < h-1 {
				o.follow(dst, path, mean, n, k, left, h)
			}
		}
		left = h
	}
	for i, v := range o.ahead {
		dst[i] += v
	}
	copy(to[copy(to, oneStep):], dst[d:])
}

// follow computes, for path n between the anchors k-1 (horizon left) and k (horizon h),
//
//	dst += weight * scale * (path - linear interpolation of the path).
//
// Paths of noisy series swing more than the forecasts. Therefore scale, in [0, 1], is the regression coefficient of the
// forecasts at both anchors on the path, around the mean.
func (o *multihorizon) follow(dst, path, mean []float64, n, k, left, h int) {
	d := o.direct.dim
	before, after := o.pathWeights[(k-1)*paths*d+n*d:][:d], o.pathWeights[k*paths*d+n*d:][:d]
	if !slices.ContainsFunc(before, positive) && !slices.ContainsFunc(after, positive) {
		return
	}
	from, to, scales := path[(left-1)*d:][:d], path[(h-1)*d:][:d], o.out
	for j := range scales {
		p, q := from[j]-mean[j], to[j]-mean[j]
		scales[j] = series.ClipTo((p*(dst[(left-1)*d+j]-mean[j])+q*(dst[(h-1)*d+j]-mean[j]))/(p*p+q*q), 0, 1)
	}
	from, to, before, after = from[:len(scales)], to[:len(scales)], before[:len(scales)], after[:len(scales)]
	for i := left + 1; i < h; i++ {
		t := float64(i-left) / float64(h-left)
		u, row, at := 1-t, dst[(i-1)*d:][:len(scales)], path[(i-1)*d:][:len(scales)]
		for j, scale := range scales {
			if scale > 0 { // false for NaN
				row[j] += scale * (u*before[j] + t*after[j]) * (at[j] - (u*from[j] + t*to[j]))
			}
		}
	}
}
