package auto

import (
	"slices"

	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/varmodel/internal/regression"
	"github.com/orffvar/forecaster/varmodel/series"
)

const (
	iterationMembers  = 2   // largest number of members
	iterationLeast    = .1  // smallest weight of a member, averaged over the variables
	iterationWeight   = .1  // the iterated mixture is awake at anchors where its weight is larger
	iterationYoung    = 512 // samples during which the iterated mixture is always on trial
	iterationTrial    = 8   // later, one block of samples out of iterationTrial is a trial
	iterationBlock    = 64  // samples per block
	iterationSteps    = 16  // longest horizon on trial
	iterationFarthest = 24  // longest horizon of the iterated mixture: farther ahead the iterated source is as good
)

// iteration iterates the one-step mixture with the present weights: each forecast becomes the last sample of the
// next step. It extends the nonlinear autoregression to more than one step. Experts with little weight are left
// out, because the iteration would feed back their errors.
type iteration struct {
	frame   *frame // frame of the series at the end of the path
	past    *series.History
	rest    *increments // increments of the remainder at the end of the path
	members []int       // indices of the iterated experts, by descending weight
	total   []float64   // scratch, experts: sum of the weights over the variables
	weights []float64   // scratch, dim: sum of the weights in one step
	phi     []float64   // scratch: features of an expert
	out     []float64   // scratch: prediction of an expert
	z       []float64   // scratch: forecast of an expert
	values  []float64   // scratch: standardised remainder
	source  []float64   // scratch: forecast of the source
	now     []float64   // remainder at the end of the path
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

// choose sets the members to the experts with the largest weights. Experts on own lags are not candidates.
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

// forecast computes the given number of steps of the path. Later steps are copied from beyond, the path of the
// iterated source. ahead holds the seasons of the steps, horizon x dim.
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

// begin moves the end of the path to the last sample.
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

// advance moves the end of the path to the forecast z of the remainder h steps ahead.
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

// step writes the forecast of the remainder one step beyond the end of the path.
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

// sourceTo sets t.source to the forecast of the source one step beyond the end of the path, an input of other
// experts. Without a source, t.source is the last value.
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
