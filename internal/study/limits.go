package study

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/plural"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/stream"
)

// LimitScore scores the forecast probabilities that a variable reaches its limit within the horizon.
type LimitScore struct {
	Model   string        `json:"model"`
	Target  string        `json:"target"` // variable
	Limit   string        `json:"limit"`
	Horizon int           `json:"horizon"`
	N       int64         `json:"n"`       // number of forecasts made while the variable was within the limit
	Reached report.Number `json:"reached"` // share of these forecasts after which the variable reached the limit
	Brier   report.Number `json:"brier"`   // mean of (probability - outcome)²

	SkillVsSeasonal report.Number `json:"brier_skill_vs_seasonal"` // 1 - Brier / Brier of the seasonal naive
}

// limitScorer scores the limit forecasts of a model.
type limitScorer struct {
	c      *config.Config
	scored func(row int) bool // reports whether the target row of a one-step forecast is scored
	series map[string]*limitSeries
	total  []limitSum
}

// limitSeries has the forecasts of a series whose outcome is not known yet.
type limitSeries struct {
	row     int
	waiting [][]waitingLimit // by variable
}

// waitingLimit is a forecast whose outcome is not known yet.
type waitingLimit struct {
	probability float64
	left        int64 // number of samples until its horizon is over
}

// limitSum has the sums over the scored forecasts of a variable.
type limitSum struct {
	target     string
	limit      scoring.Limit
	n, reached int64
	squares    float64
}

// newLimitScorer returns nil if no limits are configured.
func newLimitScorer(c *config.Config, o *Options) *limitScorer {
	if len(c.Model.Limits) == 0 {
		return nil
	}
	return &limitScorer{c: c, scored: func(row int) bool { return o.Scored(0, row) }, series: make(map[string]*limitSeries)}
}

// Add takes the observations of a batch.
func (l *limitScorer) Add(b *stream.Batch) {
	for i := range b.Observations {
		l.observe(&b.Observations[i])
	}
}

func (l *limitScorer) observe(o *stream.Observation) {
	s := l.series[o.Series.Name]
	if s == nil {
		s = &limitSeries{waiting: make([][]waitingLimit, len(o.Y))}
		l.series[o.Series.Name] = s
	}
	s.row++
	for j, y := range o.Y {
		sum := l.of(o.Series.Variables[j])
		if sum == nil {
			continue
		}
		reached := sum.limit.Reached(y)
		s.waiting[j] = slices.DeleteFunc(s.waiting[j], func(w waitingLimit) bool {
			return l.known(sum, w, reached && o.Missing < w.left, w.left <= o.Missing+1)
		})
		for k := range s.waiting[j] {
			s.waiting[j][k].left -= o.Missing + 1
		}
		if !reached && !math.IsNaN(y) && o.Reach != nil && !math.IsNaN(o.Reach[j]) && l.scored(s.row) {
			s.waiting[j] = append(s.waiting[j], waitingLimit{o.Reach[j], int64(l.c.Model.Horizon)})
		}
	}
}

// known adds w to sum and returns true if its outcome is known: the limit was reached, or the horizon is over.
func (l *limitScorer) known(sum *limitSum, w waitingLimit, reached, over bool) bool {
	if !reached && !over {
		return false
	}
	sum.n++
	outcome := 0.
	if reached {
		sum.reached++
		outcome = 1
	}
	sum.squares += (w.probability - outcome) * (w.probability - outcome)
	return true
}

// of returns the sums of a variable; nil: it has no limit.
func (l *limitScorer) of(variable string) *limitSum {
	for i := range l.total {
		if l.total[i].target == variable {
			return &l.total[i]
		}
	}
	list, err := l.c.Model.Thresholds()
	b := config.BoundOf(list, variable)
	if err != nil || math.IsInf(b.Low, -1) && math.IsInf(b.High, 1) {
		return nil // the configuration was validated
	}
	l.total = append(l.total, limitSum{target: variable, limit: scoring.Limit{Low: b.Low, High: b.High}})
	return &l.total[len(l.total)-1]
}

// scores returns the scores of all variables with a limit.
func (l *limitScorer) scores() (all []LimitScore) {
	for _, s := range l.total {
		n := float64(s.n)
		all = append(all, LimitScore{
			Model: l.c.Model.Type, Target: s.target, Limit: s.limit.String(), Horizon: l.c.Model.Horizon,
			N: s.n, Reached: report.Number(float64(s.reached) / n), Brier: report.Number(s.squares / n), SkillVsSeasonal: report.Number(math.NaN()),
		})
	}
	return all
}

// evaluateLimits adds the skills of the models. The baseline is the seasonal naive, or persistence if no season was found.
// Its probabilities come from its own intervals, like those of the models.
func (e *Evaluation) evaluateLimits(ctx context.Context, c *config.Config, records *Records, samples *Samples, o Options) error {
	naive := *c
	if naive.Model.Type = "persistence"; e.Season > 0 {
		naive.Model.Type, naive.Model.Season = "seasonal", e.Season
	}
	own := slices.ContainsFunc(e.Limits, func(s LimitScore) bool { return s.Model == naive.Model.Type })
	if !own || e.Season != c.Model.Season {
		out, err := EvaluateModel(ctx, &naive, records, samples, Options{Horizons: o.Horizons, From: o.From, To: o.To, Seeds: 1}, new(atomic.Int64))
		if err != nil {
			return fmt.Errorf("limits: %w", err)
		}
		e.Limits = slices.DeleteFunc(e.Limits, func(s LimitScore) bool { return s.Model == naive.Model.Type })
		e.Limits = append(e.Limits, out.Limits...)
	}
	for i := range e.Limits {
		s := &e.Limits[i]
		for _, b := range e.Limits {
			if b.Model == naive.Model.Type && b.Target == s.Target {
				s.SkillVsSeasonal = 1 - s.Brier/b.Brier
			}
		}
	}
	return nil
}

// limitTable returns the table of the limit scores.
func (e *Evaluation) limitTable() report.Table {
	t := report.Table{
		Title: "Limits", Numeric: 3,
		Header: []string{"model", "target", "limit", "n", "reached", "brier", "brier\nskill vs\nseasonal"},
		Caption: fmt.Sprintf("Does the variable reach its limit within %d steps? n: forecasts made while it was within; reached: share after which it did.\n", e.Limits[0].Horizon) +
			"brier: mean of (probability - outcome)². Skill = 1 - brier / brier of the seasonal naive (of persistence where no season was found). Above 0: better.",
	}
	for _, s := range e.Limits {
		t.Rows = append(t.Rows, []string{
			s.Model, s.Target, s.Limit, plural.Thousands(s.N), s.Reached.Fixed(3), s.Brier.Fixed(4), s.SkillVsSeasonal.Fixed(3),
		})
	}
	return t
}
