package auto

import (
	"slices"

	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/varmodel/internal/regression"
	"github.com/orffvar/forecaster/varmodel/series"
)

const (
	iterationMembers = 2   // largest number of experts that are iterated
	iterationLeast   = .1  // smallest weight of such an expert, in the mean over the variables
	iterationWeight  = .1  // weight at an anchor above which the iterated mixture is awake
	iterationYoung   = 512 // samples during which it is on trial; after them
	iterationTrial   = 8   // one block in iterationTrial
	iterationBlock   = 64  // of iterationBlock samples is a trial
	iterationSteps   = 16  // longest horizon on trial
)

// iteration iterates the one-step mixture: each forecast is treated as if it had been observed, and the
// next forecast is made from it with the present weights. It is the nonlinear autoregression beyond one
// step. Experts with little weight are left out, because their errors would be fed back.
type iteration struct {
	frame   *frame // the series at the end of the path
	past    *series.History
	rest    *increments // increments of the remainder at the end of the path
	members []int       // indices of the experts that are iterated
	total   []float64   // scratch: of each expert, the sum of its weights
	weights []float64   // scratch: of each variable, the sum over the members
	phi     []float64   // scratch: features of an expert
	out     []float64   // scratch: its prediction
	z       []float64   // scratch: its forecast
	values  []float64   // scratch: standardised remainder
	source  []float64   // scratch: forecast of the source
	now     []float64   // scratch: the remainder at the end of the path
	path    []float64   // horizon x dim: forecasts of the remainder
}

func newIteration(m *auto, horizon int) *iteration {
	d := m.cfg.Dim
	widest, order := 0, m.order
	for _, e := range m.experts {
		widest, order = max(widest, e.Features()), max(order, e.order)
	}
	return &iteration{
		past: series.NewHistory(d, order+1), rest: newIncrements(d, m.recent()),
		total: make([]float64, len(m.experts)), weights: make([]float64, d),
		phi: make([]float64, widest), out: make([]float64, d), z: lanes.Rows(1, d),
		values: lanes.Rows(1, d), source: lanes.Rows(1, d), now: make([]float64, d),
		path: make([]float64, horizon*d),
	}
}

// choose sets the members: the experts with the largest weights among those that read all variables.
func (t *iteration) choose(s *autoSeries) {
	a, d := s.panel.mixture.aggregate, s.m.cfg.Dim
	t.members = t.members[:0]
	for k, e := range s.m.experts {
		t.total[k] = 0
		if e.order == 0 {
			continue
		}
		for _, w := range a.Weights[(k+1)*a.stride:][:d] {
			t.total[k] += w
		}
		if t.total[k] < iterationLeast*float64(d) {
			continue
		}
		at := len(t.members)
		for at > 0 && t.total[t.members[at-1]] < t.total[k] {
			at--
		}
		if at < iterationMembers {
			t.members = slices.Insert(t.members, at, k)
			t.members = t.members[:min(len(t.members), iterationMembers)]
		}
	}
}

// forecast computes the path for the given number of steps. Its rest is copied from beyond, the path of the
// iterated source. ahead has the seasons of the steps.
func (t *iteration) forecast(s *autoSeries, steps int, ahead, beyond []float64) {
	copy(t.path, beyond)
	if t.choose(s); steps == 0 || len(t.members) == 0 {
		return
	}
	t.begin(s)
	d := s.m.cfg.Dim
	for j, v := range s.next {
		t.path[j] = v - ahead[j]
	}
	for h := 1; h < steps; h++ {
		t.advance(s, h, t.path[(h-1)*d:h*d], ahead[(h-1)*d:h*d])
		t.step(s, t.path[h*d:(h+1)*d], ahead[h*d:(h+1)*d])
	}
}

// begin sets the end of the path to the last sample.
func (t *iteration) begin(s *autoSeries) {
	if t.frame == nil {
		t.frame = newFrame(s.m.cfg.Dim, s.m.order, 1, s.scaler, s.local, s.frame.inputs)
		t.past.KeepBeside(2 * s.m.cfg.Exogenous)
	}
	for l := t.past.Size() - 1; l >= 0; l-- {
		t.past.Extend(s.past.Lag(l))
	}
	rest := s.rest()
	t.rest.copyFrom(rest.recent)
	copy(t.now, rest.past.Lag(0))
}

// advance appends z, the forecast of the remainder h steps ahead, to the path, as if it had been observed.
func (t *iteration) advance(s *autoSeries, h int, z, season []float64) {
	t.rest.Push(z, t.now)
	copy(t.now, z)
	for j, v := range z {
		t.out[j] = v + season[j]
	}
	t.past.Extend(t.out)
	if s.frame.inputs != nil {
		s.frame.inputs.RememberAhead(t.past, h)
	}
	t.frame.past = *t.past
	t.frame.prepare()
}

// step writes the next forecast of the remainder.
func (t *iteration) step(s *autoSeries, to, season []float64) {
	f, a, last := t.frame, s.panel.mixture.aggregate, t.past.Lag(0)
	clear(t.weights)
	add := func(forecast []float64, expert int) { // forecast of the series, not of the remainder
		for j, w := range a.Weights[expert*a.stride:][:len(to)] {
			to[j] += w * forecast[j]
			t.weights[j] += w
		}
	}
	clear(to)
	t.sourceTo(s, season)
	add(last, 0)
	for k, e := range s.m.experts {
		if e.source {
			add(t.source, k+1)
		}
	}
	for _, k := range t.members {
		e := s.m.experts[k]
		phi := t.phi[:e.Features()]
		e.FeaturesTo(phi, f)
		e.forecastTo(t.z, t.out, phi, f)
		add(t.z, k+1)
	}
	for j, w := range t.weights {
		v := t.source[j]
		if w > 0 {
			v = to[j] / w
		}
		to[j] = finiteOr(v, last[j]) - season[j]
	}
}

// sourceTo sets t.source to the next forecast of the source, an input of other experts; without a source to
// the last value.
func (t *iteration) sourceTo(s *autoSeries, season []float64) {
	last := t.past.Lag(0)
	if s.m.source == nil {
		copy(t.source, last)
		return
	}
	q := s.rest().scaler
	lanes.Standardise(t.values, t.now, q.Mean, q.Inverse, series.InputLimit)
	s.m.source.yuleWalker.forecastTo(t.out, t.values, t.rest.rows(0), q.PerStep)
	q.Bound(t.source, t.out, t.now, q.Steps, t.now, regression.OutputLimit, nil)
	for j, v := range season {
		t.source[j] += v
	}
	longTo(t.frame.long, t.source, t.frame)
}
