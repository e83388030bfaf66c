package stream

import (
	"strings"

	"github.com/orffvar/forecaster/eval"
)

// measure appends the scores that are due at r.
func (sc *scorer) measure(dst *Batch, r *stepResult) {
	if r.insight > 0 {
		dst.Insights = append(dst.Insights, dst.insights[r.insight-1])
	}
	if r.due {
		sc.scores(dst, r.series)
	}
	if r.dueAll {
		sc.scoresOfAll(dst, r.time)
	}
}

// all appends the scores of all series as they are now, due or not. It changes
// nothing.
func (sc *scorer) all(dst *Batch) {
	var now int64
	for _, s := range sc.series {
		now = later(now, s.time)
	}
	sc.scoresOfAll(dst, now)
	for _, s := range sc.series {
		sc.scores(dst, s)
	}
}

// scoresOfAll appends the scores over all series, if there are several: of their
// variables together.
func (sc *scorer) scoresOfAll(dst *Batch, now int64) {
	if sc.pool == nil || len(sc.series) < 2 {
		return
	}
	for i := range 1 + len(sc.c.Baselines) {
		name := ""
		sc.scorers = sc.scorers[:0]
		for _, s := range sc.series {
			var scorer *eval.Scorer
			name, scorer = sc.scorerOf(s, i)
			sc.scorers = append(sc.scorers, scorer)
		}
		for k, h := range sc.c.Emit {
			if score := eval.Pool(sc.scorers, k); score.N > 0 {
				dst.Metrics = append(dst.Metrics, Metric{Series: sc.pool, Target: AllTargets, Horizon: h, Model: name, Time: now, Score: score})
			}
		}
	}
	clear(sc.scorers)
}

// scores appends the scores of s.
func (sc *scorer) scores(dst *Batch, s *scoredSeries) {
	for i := range 1 + len(s.baselines) {
		name, scorer := sc.scorerOf(s, i)
		for k, h := range sc.c.Emit {
			for v := eval.All; v < len(s.info.Variables); v++ {
				target := AllTargets
				if v != eval.All {
					target = s.info.Variables[v]
				}
				if score := scorer.Windowed(v, k); score.N > 0 {
					dst.Metrics = append(dst.Metrics, Metric{
						Series: s.info, Target: target, Horizon: h, Model: name, Time: s.time, Score: score,
					})
				}
			}
		}
	}
}

// scorerOf returns the name and the scorer of the model for i = 0, then of the baselines.
func (sc *scorer) scorerOf(s *scoredSeries, i int) (string, *eval.Scorer) {
	if i == 0 {
		return sc.c.Model, s.scorer
	}
	return s.baselines[i-1].name, s.baselines[i-1].scorer
}

// isPool reports whether a name is one of a series over all series.
func isPool(name string) bool { return name == AllSeries || strings.HasPrefix(name, AllSeries+" ") }
