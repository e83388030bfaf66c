package stream

import (
	"fmt"
	"math"
	"slices"

	"github.com/orffvar/forecaster/eval"
)

// series is all that the engine knows of one series.
type series struct {
	info    *Series
	vars    *variables
	weights *weights // of the model; own or shared
	models  []*rival // the model, then the baselines in their order

	samples int64 // learnt from since the model was new, without those filled in
	started bool  // time is that of a sample
	time    int64 // of the last sample
	spacing spacing
	issued  issued // while the spacing is estimated

	yhat     []float64 // the one-step forecast issued last, dim; NaN = none
	surprise *eval.Surprise

	candidate []string // other variables that the last records agreed on
	agreed    int      // how many did

	good []byte // copy of the state of models[0].f, see rescue

	changed bool // since Engine.Saved
}

func (s *series) hasChanged() bool { return s.changed }

// rival is one of the forecasters of a series with its score.
type rival struct {
	name   string
	own    eval.Model // that f belongs to, unless that is in series.weights
	f      eval.Forecaster
	scorer *eval.Scorer
}

// weights are the part of a model that its series share.
type weights struct {
	dim     int
	model   eval.Model
	samples int64
	good    []byte // copy of the state of model, see rescue
}

// addSeries makes a new series.
func (e *Engine) addSeries(name string, vars *variables) (*series, error) {
	s, err := e.newSeries(name, vars)
	if err != nil {
		return nil, err
	}
	e.series = append(e.series, s)
	e.byName[name] = s
	return s, nil
}

func (e *Engine) newSeries(name string, vars *variables) (*series, error) {
	s := &series{info: &Series{Name: name}, changed: true}
	return s, e.setVariables(s, vars)
}

// setVariables gives s new models for vars.
func (e *Engine) setVariables(s *series, vars *variables) error {
	w, err := e.weightsFor(len(vars.names))
	if err != nil {
		return err
	}
	return e.setWeights(s, vars, w)
}

// setWeights gives s new models for vars, of which the first has the weights w.
func (e *Engine) setWeights(s *series, vars *variables, w *weights) error {
	dim := len(vars.names)
	s.info = &Series{Name: s.info.Name, Variables: vars.names}
	s.vars, s.weights = vars, w
	s.samples, s.good = 0, nil
	s.models = []*rival{{name: e.c.Model, f: w.model.NewSeries(), scorer: e.newScorer(dim)}}
	for _, b := range e.c.Baselines {
		m, err := b.New(dim, e.c.Horizon)
		if err != nil {
			return fmt.Errorf("stream: baseline %s of %d variables: %w", b.Name, dim, err)
		}
		s.models = append(s.models, &rival{name: b.Name, own: m, f: m.NewSeries(), scorer: e.newScorer(dim)})
	}
	s.yhat = make([]float64, dim)
	s.surprise = eval.NewSurprise(dim)
	s.forget()
	return nil
}

// weightsFor returns the weights of a model that a series of dim variables may
// use.
func (e *Engine) weightsFor(dim int) (*weights, error) {
	if e.c.Scope == Shared {
		for _, w := range e.shared {
			if w.dim == dim {
				return w, nil
			}
		}
	}
	w, err := e.newWeights(dim)
	if err == nil && e.c.Scope == Shared {
		e.shared = append(e.shared, w)
	}
	return w, err
}

func (e *Engine) newWeights(dim int) (*weights, error) {
	m, err := e.c.NewModel(dim)
	if err != nil {
		return nil, fmt.Errorf("stream: model %s of %d variables: %w", e.c.Model, dim, err)
	}
	return &weights{dim: dim, model: m}, nil
}

func (e *Engine) newScorer(dim int) *eval.Scorer {
	c := eval.ScorerConfig{Dim: dim, Horizons: e.c.Emit, Window: e.c.MetricsWindow}
	if len(e.c.Levels) > 0 {
		c.Level = e.c.Levels[0]
		c.Joint = e.c.Joint
	}
	return eval.NewScorer(c)
}

// shape gives the scratch memory the sizes for dim variables.
func (e *Engine) shape(dim int) {
	if len(e.y) == dim {
		return
	}
	resize := func(v *[]float64, n int) { *v = slices.Grow((*v)[:0], n)[:n] }
	resize(&e.y, dim)
	resize(&e.missing, dim)
	resize(&e.yhat, e.c.Horizon*dim)
	resize(&e.ref, e.c.Horizon*dim)
	if e.c.Joint {
		resize(&e.jointLower, e.c.Horizon*dim)
		resize(&e.jointUpper, e.c.Horizon*dim)
	}
	resize(&e.lower, len(e.c.Levels)*e.c.Horizon*dim)
	resize(&e.upper, len(e.c.Levels)*e.c.Horizon*dim)
	for i := range e.missing {
		e.missing[i] = math.NaN()
	}
}

// advance moves s to the time t of its next sample.
func (s *series) advance(t int64) {
	if s.started {
		s.spacing.add(s.time, t)
	}
	s.started, s.time = true, t
	s.samples++
	s.weights.samples++
}

// forget drops the one-step forecast.
func (s *series) forget() {
	for i := range s.yhat {
		s.yhat[i] = math.NaN()
	}
}

// event appends an event of s.
func (s *series) event(dst *Batch, time int64, kind, format string, args ...any) {
	dst.Events = append(dst.Events, Event{Series: s.info.Name, Time: time, Kind: kind, Text: fmt.Sprintf(format, args...)})
}
