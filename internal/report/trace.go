package report

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/orffvar/forecaster/internal/plural"
)

const (
	shownVariables = 6   // number of variables whose forecasts are drawn
	shownSamples   = 160 // number of last samples in a drawn forecast
	maxBins        = 240 // number of bins over the whole run
	shownExperts   = 64
)

// Config describes the model that a Trace follows.
type Config struct {
	Model     string
	Horizon   int       // horizon of the forecasts that are drawn and scored, in steps
	Variables []string  // names of the variables
	Series    string    // name of the first series, whose forecasts are drawn
	Levels    []float64 // levels of the intervals, in (0, 1); the first one is drawn
}

// Trace records one model on one or more series of the same variables. Its memory does not grow with the number of
// steps, except for a few numbers per series.
type Trace struct {
	c       Config
	series  []seriesTrace
	steps   int
	width   int // steps per bin
	bins    []bin
	experts []string
	cover   []coverage // one per level
	labels  bool       // labels were given
	last    []sample   // last samples of the first series
	future  []sample
}

// seriesTrace has the pending forecasts of one series.
type seriesTrace struct {
	pending []sample // ring of the last Horizon steps, with the forecasts issued at them
	steps   int
}

// sample is one step. yhat, lower and upper are the forecast for this step, of all variables or of the drawn ones.
type sample struct {
	time                  int64
	y, yhat, lower, upper []float64 // lower, upper: levels x dim
}

// bin has sums over consecutive steps.
type bin struct {
	time      int64 // time of the first step
	steps     int
	n         []float64 // number of scored steps per variable
	se, naive []float64 // squared errors of the model and of persistence
	weights   []float64 // sum of the weights of the experts
	weighted  float64   // number of steps with weights
	score     float64   // largest anomaly score; NaN: none
	labelled  int
}

type coverage struct{ hits, n float64 }

// FirstOfSeveral returns a sentence with the name of the drawn series; "" if t has one series.
func (t *Trace) FirstOfSeveral() string {
	if len(t.series) < 2 {
		return ""
	}
	return fmt.Sprintf("The forecasts of series %s, the first of %s, are drawn.", t.c.Series, plural.Thousands(len(t.series)))
}

// NewTrace returns a Trace without steps.
func NewTrace(c Config) *Trace {
	return &Trace{c: c, width: 1, cover: make([]coverage, len(c.Levels))}
}

// Step is one sample of a series, and the forecast issued at it.
type Step struct {
	Series       int   // index of the series; only the forecasts of series 0 are drawn
	Time         int64 // ns since 1970 UTC, or a row number in seconds
	Y            []float64
	Forecast     []float64 // forecast of the step Horizon ahead; nil: none
	Lower, Upper []float64 // levels x dim; nil: none
	Scored       bool      // the step counts in the coverage
	Anomaly      float64   // anomaly score of the sample; NaN: none
	Labelled     bool      // the sample is labelled as anomalous
}

// Step adds the next step. It keeps none of the slices.
func (t *Trace) Step(s Step) {
	for len(t.series) <= s.Series {
		t.series = append(t.series, seriesTrace{pending: make([]sample, t.c.Horizon)})
	}
	st := &t.series[s.Series]
	slot := &st.pending[st.steps%t.c.Horizon]
	b := t.bin(s.Time)
	if st.steps >= t.c.Horizon {
		b.add(s.Y, slot)
		if s.Scored {
			t.count(s.Y, slot)
		}
	}
	if !(s.Anomaly <= b.score) && !math.IsNaN(s.Anomaly) {
		b.score = s.Anomaly
	}
	if s.Labelled {
		b.labelled++
		t.labels = true
	}
	if s.Series == 0 {
		t.keep(s, slot, st.steps >= t.c.Horizon)
	}
	*slot = sample{
		time: s.Time, y: append(slot.y[:0], s.Y...), yhat: append(slot.yhat[:0], s.Forecast...),
		lower: append(slot.lower[:0], s.Lower...), upper: append(slot.upper[:0], s.Upper...),
	}
	st.steps++
}

// bin returns the bin of the next step. It merges neighbouring bins if there are too many.
func (t *Trace) bin(time int64) *bin {
	if t.steps == t.width*len(t.bins) {
		if len(t.bins) == maxBins {
			for i := range maxBins / 2 {
				t.bins[2*i].merge(&t.bins[2*i+1])
				t.bins[i] = t.bins[2*i]
			}
			t.bins = t.bins[:maxBins/2]
			t.width *= 2
		}
		d := len(t.c.Variables)
		sums := make([]float64, 3*d)
		t.bins = append(t.bins, bin{
			time: time, score: math.NaN(), n: sums[:d], se: sums[d : 2*d], naive: sums[2*d:],
		})
	}
	t.steps++
	b := &t.bins[len(t.bins)-1]
	b.steps++
	return b
}

// add adds the errors at y: of the forecast in s, and of the sample in s as the naive forecast.
func (b *bin) add(y []float64, s *sample) {
	if len(s.yhat) == 0 {
		return
	}
	for j, v := range y {
		e, naive := v-s.yhat[j], v-s.y[j]
		if math.IsNaN(e) || math.IsNaN(naive) {
			continue
		}
		b.n[j]++
		b.se[j] += e * e
		b.naive[j] += naive * naive
	}
}

func (b *bin) merge(o *bin) {
	b.steps += o.steps
	b.labelled += o.labelled
	b.weighted += o.weighted
	if !(o.score <= b.score) && !math.IsNaN(o.score) {
		b.score = o.score
	}
	b.grow(len(o.weights))
	floats.Add(b.n, o.n)
	floats.Add(b.se, o.se)
	floats.Add(b.naive, o.naive)
	floats.Add(b.weights[:len(o.weights)], o.weights)
}

// count counts the intervals that contain y, per level.
func (t *Trace) count(y []float64, s *sample) {
	if len(s.lower) == 0 {
		return
	}
	for l := range t.cover {
		c := &t.cover[l]
		for j, v := range y {
			lo, hi := s.lower[l*len(y)+j], s.upper[l*len(y)+j]
			if math.IsNaN(lo) || math.IsNaN(hi) || math.IsNaN(v) {
				continue
			}
			c.n++
			if lo <= v && v <= hi {
				c.hits++
			}
		}
	}
}

// keep stores a sample, and the forecast made for it.
func (t *Trace) keep(s Step, made *sample, known bool) {
	var k sample
	if len(t.last) == shownSamples {
		k = t.last[0]
		t.last = slices.Delete(t.last, 0, 1)
	}
	n := min(shownVariables, len(s.Y))
	k.time, k.y = s.Time, append(k.y[:0], s.Y[:n]...)
	k.yhat, k.lower, k.upper = k.yhat[:0], k.lower[:0], k.upper[:0]
	if known && len(made.yhat) > 0 {
		k.yhat = append(k.yhat, made.yhat[:n]...)
		if len(made.lower) > 0 {
			k.lower, k.upper = append(k.lower, made.lower[:n]...), append(k.upper, made.upper[:n]...)
		}
	}
	t.last = append(t.last, k)
}

// Weights adds the weights of the experts at the last step, dim x experts. The experts may change when a series gets more
// variables.
func (t *Trace) Weights(experts []string, w []float64) {
	if len(experts) == 0 || len(experts) > shownExperts || len(t.bins) == 0 {
		return
	}
	b := &t.bins[len(t.bins)-1]
	rows := len(w) / len(experts)
	for k, name := range experts {
		e := slices.Index(t.experts, name)
		if e < 0 {
			e = len(t.experts)
			t.experts = append(t.experts, name)
		}
		b.grow(e + 1)
		for j := range rows {
			b.weights[e] += w[j*len(experts)+k] / float64(rows)
		}
	}
	b.weighted++
}

// grow makes room for the weights of the experts.
func (b *bin) grow(experts int) {
	b.weights = append(b.weights, make([]float64, max(0, experts-len(b.weights)))...)
}

// Future adds the forecast after the last step of series 0 for one horizon: its time, values, and bounds of the first
// level or nil.
func (t *Trace) Future(time int64, yhat, lower, upper []float64) {
	n := min(shownVariables, len(yhat))
	f := sample{time: time, yhat: slices.Clone(yhat[:n])}
	if len(lower) > 0 {
		f.lower, f.upper = slices.Clone(lower[:n]), slices.Clone(upper[:n])
	}
	t.future = append(t.future, f)
}

// relativeErrors returns, per bin, MSE / MSE of persistence, where the errors of each variable are in units of its MSE of
// persistence over the run. NaN without an error of persistence.
func (t *Trace) relativeErrors() []float64 {
	d := len(t.c.Variables)
	unit, n := make([]float64, d), make([]float64, d)
	for i := range t.bins {
		for j := range unit {
			unit[j] += t.bins[i].naive[j]
			n[j] += t.bins[i].n[j]
		}
	}
	out := make([]float64, len(t.bins))
	for i, b := range t.bins {
		var se, naive float64
		for j := range unit {
			if unit[j] > 0 {
				se += b.se[j] * n[j] / unit[j]
				naive += b.naive[j] * n[j] / unit[j]
			}
		}
		out[i] = math.NaN()
		if naive > 0 {
			out[i] = se / naive
		}
	}
	return out
}
