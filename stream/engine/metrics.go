package engine

import (
	"math"

	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/stream"
)

// measure appends the insight and the scores that are due at r.
func (sc *scorer) measure(dst *Results, r *stepResult) {
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

// all implements Engine.AppendScores.
func (sc *scorer) all(dst *Results) {
	var now int64
	for _, s := range sc.series {
		now = later(now, s.time)
	}
	sc.scoresOfAll(dst, now)
	for _, s := range sc.series {
		sc.scores(dst, s)
	}
}

// scoresOfAll appends the scores over all variables of all series, if there are several series.
func (sc *scorer) scoresOfAll(dst *Results, now int64) {
	if sc.pool == nil || len(sc.series) < 2 {
		return
	}
	for i, m := range sc.series[0].scorers {
		sc.gather(i)
		for k, h := range sc.c.Emit {
			if score := scoring.Pool(sc.scorers, k); score.N > 0 {
				dst.Metrics = append(dst.Metrics, stream.Metric{Series: sc.pool, Target: stream.AllTargets, Horizon: h, Model: m.model, Time: now, Score: score})
			}
		}
	}
	clear(sc.scorers)
}

// gather sets sc.scorers to the i-th scorer of each series.
func (sc *scorer) gather(i int) {
	sc.scorers = sc.scorers[:0]
	for _, s := range sc.series {
		sc.scorers = append(sc.scorers, s.scorers[i].Scorer)
	}
}

// meanErrors implements Engine.MeanErrors.
func (sc *scorer) meanErrors(name string) (mse, nmse float64) {
	mse, nmse = math.NaN(), math.NaN()
	if len(sc.series) == 0 {
		return mse, nmse
	}
	for i, m := range sc.series[0].scorers {
		if m.model == name {
			sc.gather(i)
			mse, nmse = scoring.MeanErrors(sc.scorers)
		}
	}
	clear(sc.scorers)
	return mse, nmse
}

// scores appends the scores of s.
func (sc *scorer) scores(dst *Results, s *scoredSeries) {
	for _, m := range s.scorers {
		for k, h := range sc.c.Emit {
			for v := scoring.All; v < len(s.info.Variables); v++ {
				target := stream.AllTargets
				if v != scoring.All {
					target = s.info.Variables[v]
				}
				if score := m.Windowed(v, k); score.N > 0 {
					dst.Metrics = append(dst.Metrics, stream.Metric{
						Series: s.info, Target: target, Horizon: h, Model: m.model, Time: s.time, Score: score,
					})
				}
			}
		}
	}
}
