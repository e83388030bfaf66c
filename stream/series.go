package stream

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/eval"
)

// series is what the engine knows of one series, but for what the judge does.
type series struct {
	info    *Series
	vars    *variables
	weights *weights // of the model; own or shared
	model   eval.Forecaster
	judged  *judged // only to be handed on

	samples int64 // learnt from since the model was new, without those filled in
	started bool  // time is that of a sample
	time    int64 // of the last sample
	spacing spacing

	candidate []string // other variables that the last records agreed on
	agreed    int      // how many did

	good []byte // copy of the state of model, see rescue

	changed bool // since Engine.Saved
}

func (s *series) hasChanged() bool { return s.changed }

// weights are the part of a model that its series share.
type weights struct {
	dim     int
	model   eval.Model
	samples int64
	good    []byte // copy of the state of model, see rescue
}

// addSeries makes a new series.
func (e *Engine) addSeries(name string, vars *variables) (*series, error) {
	s, err := e.newSeries(len(e.series), name, vars)
	if err != nil {
		return nil, err
	}
	e.series = append(e.series, s)
	e.byName[name] = s
	return s, nil
}

// newSeries makes a series for a place in the order of appearance.
func (e *Engine) newSeries(place int, name string, vars *variables) (*series, error) {
	s := &series{info: &Series{Name: name}, changed: true}
	return s, e.setVariables(s, place, vars)
}

// setVariables gives s a new model for vars.
func (e *Engine) setVariables(s *series, place int, vars *variables) error {
	w, err := e.weightsFor(len(vars.names))
	if err != nil {
		return err
	}
	s.info = &Series{Name: s.info.Name, Variables: vars.names}
	s.vars, s.weights, s.model = vars, w, w.model.NewSeries()
	s.samples, s.good = 0, nil
	s.judged, err = newJudged(&e.c, s.info, place)
	return err
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

// shape gives the scratch memory the sizes for dim variables.
func (e *Engine) shape(dim int) {
	if len(e.y) == dim {
		return
	}
	resize(&e.y, dim)
	resize(&e.missing, dim)
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

// event tells the judge of an event of s.
func (s *series) event(dst *Batch, time int64, kind, format string, args ...any) {
	s.tell(dst, Event{Series: s.info.Name, Time: time, Kind: kind, Text: fmt.Sprintf(format, args...)})
}

func (s *series) tell(dst *Batch, e Event) {
	dst.take(turn{kind: turnEvent, of: s.judged, event: e}, 1)
}
