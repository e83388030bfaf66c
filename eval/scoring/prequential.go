package scoring

import (
	"fmt"
	"slices"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/calendar"
	"github.com/orffvar/forecaster/internal/vec"
)

// Options configures Prequential. The zero value scores all one-step forecasts in units of the data.
type Options struct {
	// Horizon is the horizon of the models. Zero means 1.
	Horizon int

	// Horizons are the scored horizons, ascending. Nil means 1 to Horizon.
	Horizons []int

	// Levels are the interval levels of the model; the first is scored. Nil: no intervals.
	Levels []float64

	// Joint scores the joint region of a JointBounder. It needs Levels.
	Joint bool

	// Reference is the model for SkillVsVAR, VAR(1), with the same horizon. Nil: no comparison.
	Reference eval.Model

	// From and To restrict the scored targets of each series to the rows [From, To). To = 0: no end. The rows
	// before From are the warm-up, forecast and learnt like all others.
	From, To int

	// ScaleRows, unless zero, expresses errors in standard deviations of the first ScaleRows rows, see Scale.
	ScaleRows int

	// Calendar adds calendar inputs to those of the data set. With KnownInputs, the model knows the inputs of the
	// data set up to the horizon; otherwise only the present ones.
	Calendar    calendar.Calendar
	KnownInputs bool

	// Window is ScorerConfig.Window.
	Window int

	// Losses keeps the loss of every sample, see Result.Losses.
	Losses bool

	// OnStep, unless nil, is called after every sample. An error ends the run
	// and is returned.
	OnStep func(Step) error
}

// Step is one sample and the forecasts after it. The next step overwrites the slices.
type Step struct {
	Series, Row  int
	Y            []float64
	Forecast     []float64 // Horizon x dim, row-major; nil = none
	Lower, Upper []float64 // levels x Horizon x dim; nil = none
}

// Result is the outcome of Prequential.
type Result struct {
	// Horizons are the scored horizons.
	Horizons []int

	// Refused is the number of samples that the model refused.
	Refused int

	// Losses holds per scored horizon the squared error of each row, averaged over its coordinates, in the order of
	// the rows; NaN = not scored. Nil unless Options.Losses. Entries of two models on one data set belong to the
	// same rows, see Compare.
	Losses [][]float64

	scorers []*Scorer // one per series
}

// Score returns the score of a variable, or All, at the k-th scored horizon,
// over all scored rows of all series.
func (r *Result) Score(variable, k int) Score {
	return summary(r.scorers[0].c, variable, k, func(k, variable int) tally {
		var t tally
		for _, s := range r.scorers {
			t.merge(s.running(k, variable))
		}
		return t
	})
}

// Prequential runs a model once over a data set. Each row is first the target of earlier forecasts, then a sample
// to learn. Rows of several series are ordered by time, as in a stream.
//
// The result is a function of the model, the data and the options. It does not depend on other models run on the
// same data.
func Prequential(m eval.Model, data *Dataset, o Options) (*Result, error) {
	if err := data.Check(); err != nil {
		return nil, err
	}
	if len(data.Series) == 0 {
		return nil, fmt.Errorf("data set %q has no series", data.Name)
	}
	if o.Horizon == 0 {
		o.Horizon = 1
	}
	if o.Horizons == nil {
		for h := range o.Horizon {
			o.Horizons = append(o.Horizons, h+1)
		}
	}
	if slices.Max(o.Horizons) > o.Horizon {
		panic("scoring: a scored horizon is beyond that of the model")
	}
	d, size := data.Dim(), o.Horizon*data.Dim()
	config := ScorerConfig{Dim: d, Horizons: o.Horizons, Window: o.Window, Joint: o.Joint}
	if len(o.Levels) > 0 {
		config.Level = o.Levels[0]
	}
	runs := make([]run, len(data.Series))
	res := &Result{Horizons: slices.Clone(o.Horizons)}
	for i := range runs {
		r := &runs[i]
		if o.ScaleRows > 0 {
			config.Scale = Scale(data.Series[i].Rows, o.ScaleRows, o.From, o.To)
		}
		*r = run{f: m.NewSeries(), scorer: NewScorer(config)}
		if o.Reference != nil {
			r.ref = o.Reference.NewSeries()
		}
		res.scorers = append(res.scorers, r.scorer)
	}
	if o.Losses {
		res.Losses = make([][]float64, len(o.Horizons))
		for k := range res.Losses {
			res.Losses[k] = make([]float64, 0, data.Len())
		}
	}
	b := newBuffers(size, len(o.Levels))
	b.inputs = make([]float64, (o.Horizon+1)*(len(data.Inputs)+o.Calendar.Len()))
	for _, p := range data.order() {
		rows := data.Series[p.series].Rows
		to := o.To
		if to == 0 {
			to = len(rows)
		}
		r, y := &runs[p.series], rows[p.row]
		if p.row >= o.From && p.row < to {
			r.scorer.Observe(y)
		} else {
			r.scorer.Skip(y)
		}
		for k := range res.Losses {
			res.Losses[k] = append(res.Losses[k], r.scorer.Loss(k))
		}
		step := Step{Series: p.series, Row: p.row, Y: y}
		if taker, is := eval.As[eval.InputTaker](r.f); is && len(b.inputs) > 0 {
			data.Series[p.series].inputsTo(b.inputs, p.row, len(data.Inputs), o.Horizon, o.KnownInputs, o.Calendar)
			taker.SetInputs(b.inputs)
		}
		if times := data.Series[p.series].Times; times != nil {
			r.setTime(times[p.row])
		}
		if r.observe(y) {
			res.Refused++
		}
		if r.f.ForecastTo(b.forecast) {
			step.Forecast = b.forecast
			if !vec.AllFinite(b.forecast) {
				return nil, fmt.Errorf("data set %q, series %q: the forecast after row %d is not finite", data.Name, data.Series[p.series].Name, p.row)
			}
			if bounder, is := eval.As[eval.Bounder](r.f); is && len(o.Levels) > 0 && bounder.BoundsTo(b.lower, b.upper) {
				step.Lower, step.Upper = b.lower, b.upper
			}
			var ref []float64
			if r.ref != nil && r.ref.ForecastTo(b.ref) {
				ref = b.ref
			}
			r.scorer.Push(step.Forecast, step.Lower, step.Upper, ref)
			if joint, is := eval.As[eval.JointBounder](r.f); is && o.Joint && joint.JointTo(b.jointLower, b.jointUpper) {
				r.scorer.PushJoint(b.jointLower, b.jointUpper)
			}
		}
		if o.OnStep != nil {
			if err := o.OnStep(step); err != nil {
				return nil, err
			}
		}
	}
	return res, nil
}

// run is the state of one series in Prequential.
type run struct {
	f, ref eval.Forecaster
	scorer *Scorer
}

// setTime passes the time of the next sample to the models.
func (r *run) setTime(ns int64) {
	for _, f := range []eval.Forecaster{r.f, r.ref} {
		if f == nil {
			continue
		}
		if c, is := eval.As[eval.Clocked](f); is {
			c.SetTime(ns)
		}
	}
}

// observe lets the models learn y, and reports whether the first model refused it.
func (r *run) observe(y []float64) (refused bool) {
	if r.ref != nil {
		// A sample that the reference refuses is not used for comparison.
		_ = r.ref.Observe(y)
	}
	return r.f.Observe(y) != nil
}

// buffers holds slices shared by all series.
type buffers struct {
	forecast, ref, lower, upper []float64
	inputs                      []float64 // Horizon+1 x inputs
	jointLower, jointUpper      []float64
}

func newBuffers(size, levels int) *buffers {
	return &buffers{
		forecast: make([]float64, size), ref: make([]float64, size),
		jointLower: make([]float64, size), jointUpper: make([]float64, size),
		lower: make([]float64, levels*size), upper: make([]float64, levels*size),
	}
}

// Spread computes ScorerConfig.Scale: 1 / population standard deviation per variable over the first rows. For a
// variable that is constant there (below 1e-9) it uses the scored rows [From, To), To = 0: no end. If the variable
// is constant there, too, its scale is NaN. No model sees the scale.
type Spread struct {
	First, From, To int

	row           int
	first, scored []tally
}

// Scale returns the scale of a Spread to which all rows were added.
func Scale(rows [][]float64, first, from, to int) []float64 {
	s := Spread{First: first, From: from, To: to}
	for _, y := range rows {
		s.Add(y)
	}
	return s.Scale()
}

// Add adds a row.
func (s *Spread) Add(y []float64) {
	if s.row == 0 {
		s.first, s.scored = make([]tally, len(y)), make([]tally, len(y))
	}
	for j, v := range y {
		if !vec.Finite(v) {
			continue
		}
		if s.row < s.First {
			s.first[j].add(v, 0, 0)
		}
		if s.row >= s.From && (s.To <= 0 || s.row < s.To) {
			s.scored[j].add(v, 0, 0)
		}
	}
	s.row++
}

// Scale returns the scale from the rows so far.
func (s *Spread) Scale() []float64 {
	scale := filled(len(s.first))
	for j := range scale {
		const constant = 1e-9
		sd := s.first[j].sd()
		if !(sd >= constant) {
			sd = s.scored[j].sd()
		}
		if sd >= constant {
			scale[j] = 1 / sd
		}
	}
	return scale
}
