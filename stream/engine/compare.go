package engine

import (
	"fmt"
	"slices"

	"github.com/orffvar/forecaster/eval/scoring"
)

// compare is the stage of the scores: it compares the forecasts of the model and of the baselines with their targets,
// and takes their next forecasts.
func (sc *scorer) compare(dst *Results, r *stepResult) error {
	s := r.series
	switch r.kind {
	case resultSample:
		s.time = r.time
		if err := sc.score(s, r); err != nil {
			return err
		}
		sc.report(s, r.y)
		sc.push(s, r)
		sc.measure(dst, r)
	case resultFill:
		if err := sc.score(s, r); err != nil {
			return err
		}
		s.follow(r.yhat, nil, nil)
	case resultBreak:
		sc.interrupt(s, r)
	}
	return nil
}

// score passes the sample of r to the scorers, the baselines and the follower.
func (sc *scorer) score(s *scoredSeries, r *stepResult) error {
	observe := (*scoring.Scorer).Observe
	if r.warmUp {
		observe = (*scoring.Scorer).Skip
	}
	for _, m := range s.scorers {
		observe(m.Scorer, r.y)
	}
	for _, m := range s.baselines {
		if err := m.f.show(r.time, r.y, r.inputs); err != nil {
			return rejected(s.info.Name, m.name, err)
		}
	}
	if s.follower != nil {
		s.follower.Observe(r.y, !r.warmUp)
	}
	return nil
}

// report calls the functions Inside, Errors and Losses of Evaluation for the last sample y.
func (sc *scorer) report(s *scoredSeries, y []float64) {
	if inside := sc.c.Evaluation.Inside; inside != nil {
		sc.losses = slices.Grow(sc.losses[:0], len(y))[:len(y)]
		for i, k := range sc.c.Evaluation.Watched {
			s.scorers[0].InsideTo(sc.losses, k, y)
			inside(s.info, i, sc.losses)
		}
	}
	if errors := sc.c.Evaluation.Errors; errors != nil {
		for i, k := range sc.c.Evaluation.Watched {
			errors(s.info, i, s.scorers[0].Errors(k))
		}
	}
	if sc.c.Evaluation.Losses == nil {
		return
	}
	for _, m := range s.scorers {
		sc.losses = sc.losses[:0]
		for _, k := range sc.c.Evaluation.Watched {
			sc.losses = append(sc.losses, m.Loss(k))
		}
		sc.c.Evaluation.Losses(s.info, m.model, sc.losses)
	}
}

// rejected returns the error for a model that refuses a sample within the limits.
func rejected(series, model string, err error) error {
	return fmt.Errorf("stream: series %q: %s did not take a sample that is within the limits: %w", series, model, err)
}

// push passes the forecasts of r and of the baselines to the scorers.
func (sc *scorer) push(s *scoredSeries, r *stepResult) {
	n := sc.c.Horizon * len(r.y)
	resize(&sc.yhat, n)
	resize(&sc.ref, n)
	ref := sc.referenceForecast(s)
	for i, m := range s.baselines {
		switch {
		case m.scorer == nil:
		case i == sc.reference:
			if ref != nil {
				m.scorer.Push(ref, nil, nil, ref)
			}
		case m.f.ForecastTo(sc.yhat):
			m.scorer.Push(sc.yhat, nil, nil, ref)
		}
	}
	lower, upper := halves(r.bounds)
	s.follow(r.yhat, lower, upper)
	if r.yhat == nil {
		return
	}
	s.scorers[0].Push(r.yhat, lower, upper, ref)
	if sc.c.Joint {
		s.scorers[0].PushJoint(halves(r.region))
	}
}

// referenceForecast returns the forecast of the reference baseline, or nil.
func (sc *scorer) referenceForecast(s *scoredSeries) []float64 {
	if sc.reference < 0 || !s.baselines[sc.reference].f.ForecastTo(sc.ref) {
		return nil
	}
	return sc.ref
}

// interrupt passes min(r.missing, Horizon) missing targets to the scorers, so that their pending forecasts are not
// scored. It resets the lags of the baselines and of the follower.
func (sc *scorer) interrupt(s *scoredSeries, r *stepResult) {
	for range min(r.missing, int64(sc.c.Horizon)) {
		for _, m := range s.scorers {
			m.Observe(r.y)
		}
	}
	for _, m := range s.baselines {
		m.f.resetLags()
	}
	s.follow(nil, nil, nil)
}
