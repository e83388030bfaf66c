package livepage

import (
	"math"
	"sort"
	"time"

	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/stream"
)

// history has the recent past of one series: rings of the samples. Samples are numbered from 0, in the order of their
// times.
type history struct {
	id        int
	name      string // name for clients
	info      *stream.Series
	epoch     int64 // unique number of this history
	bytes     int64
	variables []string

	capacity int64
	end      int64 // number of the next sample
	time     []int64
	y        []float64 // capacity x variables
	anomaly  []float64
	share    []float64 // share of each variable in the score; capacity x variables
	score    []float64 // score of the sample; capacity
	state    []float64 // score of the state; capacity
	tracks   []track
	now      fan
	scores   scores
	limits   []scoring.Limit // one per variable; nil: none
	toLimit  []float64       // seconds from the newest sample until each variable is expected to reach its limit; NaN: not expected
	insight  insight
}

// track has forecasts at one horizon. They are stored at the sample of their origin.
type track struct {
	horizon            int
	yhat, lower, upper []float64 // capacity x variables; bounds of the first level
}

// fan is the newest forecast, for all horizons from one origin.
type fan struct {
	origin       int64
	levels       int
	horizon      []int
	time         []int64
	yhat         []float64 // horizons x variables
	lower, upper []float64 // horizons x levels x variables

	jointLower, jointUpper []float64 // horizons x variables; nil without a joint region
	reach                  []float64 // horizons x variables; nil without limits
}

// begin resets h to the empty history of s.
func (h *history) begin(s *stream.Series, tracked []int, levels int) {
	n := min(len(s.Variables), MaxVariables)
	*h = history{id: h.id, name: h.name, info: s, epoch: h.epoch, bytes: h.bytes, now: fan{levels: levels}}
	for _, v := range s.Variables[:n] {
		h.variables = append(h.variables, valid(v))
	}
	h.capacity = capacityOf(h.id, n, len(tracked))
	size := int(h.capacity) * n
	h.time = make([]int64, h.capacity)
	h.y = make([]float64, size)
	h.anomaly = make([]float64, size)
	h.share = make([]float64, size)
	h.score = make([]float64, h.capacity)
	h.state = make([]float64, h.capacity)
	for _, horizon := range tracked {
		h.tracks = append(h.tracks, track{
			horizon: horizon, yhat: make([]float64, size), lower: make([]float64, size), upper: make([]float64, size),
		})
	}
	h.scores.begin(len(tracked))
}

// sampleBytes returns the memory of one sample in bytes.
func sampleBytes(variables, tracked int) int { return 8 * (3 + variables*(3+3*tracked)) }

// capacityOf returns the number of samples in the n-th history.
func capacityOf(n, variables, tracked int) int64 {
	sample := sampleBytes(variables, tracked)
	if n < manySeries {
		return int64(min(maxSamples, seriesBytes/sample))
	}
	return int64(min(maxSamples, max(laterBytes/sample, laterLeast)))
}

// first returns the number of the oldest kept sample.
func (h *history) first() int64 { return max(0, h.end-h.capacity) }

// at returns the elements of a ring for sample i.
func (h *history) at(ring []float64, i int64) []float64 {
	n := len(h.variables)
	k := int(i%h.capacity) * n
	return ring[k : k+n]
}

// push appends a sample without values, and returns its number.
func (h *history) push(t int64) int64 {
	i := h.end
	h.end++
	h.time[i%h.capacity] = t
	h.score[i%h.capacity], h.state[i%h.capacity] = math.NaN(), math.NaN()
	unknown(h.at(h.y, i))
	unknown(h.at(h.anomaly, i))
	unknown(h.at(h.share, i))
	for k := range h.tracks {
		unknown(h.at(h.tracks[k].yhat, i))
		unknown(h.at(h.tracks[k].lower, i))
		unknown(h.at(h.tracks[k].upper, i))
	}
	return i
}

// unknown sets all elements of v to NaN.
func unknown(v []float64) {
	for i := range v {
		v[i] = math.NaN()
	}
}

// observe appends a sample. If the interval is known, it first appends missing samples, as the engine does: horizons
// then count equal steps.
func (h *history) observe(o *stream.Observation, interval time.Duration) {
	if h.end > 0 {
		last := h.time[(h.end-1)%h.capacity]
		if o.Time <= last {
			return // a sample that is written again after a restart
		}
		if step := int64(interval); step > 0 {
			gap := o.Time - last
			missing := gap/step - 1
			if gap%step >= step-step/2 {
				missing++ // rounds to the nearest number of intervals
			}
			for k := max(1, missing-h.capacity); k <= missing; k++ {
				h.push(last + k*step)
			}
		}
	}
	i := h.push(o.Time)
	copy(h.at(h.y, i), o.Y)
	copy(h.at(h.anomaly, i), o.VariableScores)
	copy(h.at(h.share, i), o.Share)
	h.score[i%h.capacity], h.state[i%h.capacity] = o.AnomalyScore, o.StateScore
	h.toLimit = append(h.toLimit[:0], o.TimeToLimit...)
}

// forecast stores a forecast at its origin, and in the fan.
func (h *history) forecast(f *stream.Forecast) {
	n, d := len(h.variables), len(h.info.Variables)
	w := &h.now
	if f.Origin != w.origin {
		w.origin = f.Origin
		w.horizon, w.time, w.yhat, w.lower, w.upper = w.horizon[:0], w.time[:0], w.yhat[:0], w.lower[:0], w.upper[:0]
		w.jointLower, w.jointUpper, w.reach = w.jointLower[:0], w.jointUpper[:0], w.reach[:0]
	}
	if k := len(w.horizon); k < maxFan && (k == 0 || f.Horizon > w.horizon[k-1]) {
		w.horizon = append(w.horizon, f.Horizon)
		w.time = append(w.time, f.Time)
		w.yhat = append(w.yhat, f.Yhat[:n]...)
		for l := range w.levels {
			w.lower = append(w.lower, f.Lower[l*d:l*d+n]...)
			w.upper = append(w.upper, f.Upper[l*d:l*d+n]...)
		}
		if f.JointLower != nil {
			w.jointLower = append(w.jointLower, f.JointLower[:n]...)
			w.jointUpper = append(w.jointUpper, f.JointUpper[:n]...)
		}
		if f.Reach != nil {
			w.reach = append(w.reach, f.Reach[:n]...)
		}
	}
	for k := range h.tracks {
		t := &h.tracks[k]
		if t.horizon != f.Horizon {
			continue
		}
		if i, ok := h.number(f.Origin); ok {
			copy(h.at(t.yhat, i), f.Yhat)
			if len(f.Lower) >= n {
				copy(h.at(t.lower, i), f.Lower)
				copy(h.at(t.upper, i), f.Upper)
			}
		}
	}
}

// number returns the number of the sample at time t.
func (h *history) number(t int64) (i int64, ok bool) {
	first := h.first()
	n := int(h.end - first)
	k := sort.Search(n, func(k int) bool { return h.time[(first+int64(k))%h.capacity] >= t })
	i = first + int64(k)
	return i, k < n && h.time[i%h.capacity] == t
}

// view is the selection of a client: one series, variables and a horizon.
type view struct {
	variables []int
	track     int // index in history.tracks, or -1
}

// all returns the indices of all variables.
func (h *history) all() []int {
	list := make([]int, len(h.variables))
	for j := range list {
		list[j] = j
	}
	return list
}

// window copies the samples from number first on, and the current forecast.
func (h *history) window(v view, first int64) *windowMessage {
	first = max(first, h.first())
	m := &windowMessage{Series: h.name, End: h.end, Time: make(column, 0, h.end-first), Score: make(column, 0, h.end-first), State: make(column, 0, h.end-first), Variables: make([]variableMessage, len(v.variables))}
	for i := first; i < h.end; i++ {
		m.Time = append(m.Time, seconds(h.time[i%h.capacity]))
		m.Score = append(m.Score, h.score[i%h.capacity])
		m.State = append(m.State, h.state[i%h.capacity])
	}
	pick := func(ring []float64, j, back int) column {
		out := make(column, 0, h.end-first)
		for i := first; i < h.end; i++ {
			x := math.NaN()
			if from := i - int64(back); from >= h.first() {
				x = h.at(ring, from)[j]
			}
			out = append(out, x)
		}
		return out
	}
	for k, j := range v.variables {
		m.Variables[k] = variableMessage{Name: h.variables[j], Y: pick(h.y, j, 0), Anomaly: pick(h.anomaly, j, 0), Share: pick(h.share, j, 0)}
		if v.track >= 0 {
			t := &h.tracks[v.track]
			m.Horizon = t.horizon
			m.Variables[k].Yhat = pick(t.yhat, j, t.horizon)
			m.Variables[k].Lower = pick(t.lower, j, t.horizon)
			m.Variables[k].Upper = pick(t.upper, j, t.horizon)
		}
	}
	m.Forecast = h.now.message(h, v)
	return m
}

// message copies the forecast; nil if there is none.
func (w *fan) message(h *history, v view) *fanMessage {
	if len(w.horizon) == 0 {
		return nil
	}
	n := len(h.variables)
	m := &fanMessage{Origin: seconds(w.origin), Horizon: append([]int{}, w.horizon...), Variables: make([]fanVariable, len(v.variables))}
	for _, t := range w.time {
		m.Time = append(m.Time, seconds(t))
	}
	for k, j := range v.variables {
		f := &m.Variables[k]
		f.Name = h.variables[j]
		f.Lower, f.Upper = make([]column, w.levels), make([]column, w.levels)
		for i := range w.horizon {
			f.Yhat = append(f.Yhat, w.yhat[i*n+j])
			for l := range w.levels {
				f.Lower[l] = append(f.Lower[l], w.lower[(i*w.levels+l)*n+j])
				f.Upper[l] = append(f.Upper[l], w.upper[(i*w.levels+l)*n+j])
			}
			if len(w.jointLower) > 0 {
				f.JointLower = append(f.JointLower, w.jointLower[i*n+j])
				f.JointUpper = append(f.JointUpper, w.jointUpper[i*n+j])
			}
			if len(w.reach) > 0 {
				f.Reach = append(f.Reach, w.reach[i*n+j])
			}
		}
		if j < len(h.limits) && j < len(h.toLimit) && h.limits[j].Bounded() {
			f.Limit = column{h.limits[j].Low, h.limits[j].High}
			at := number(h.toLimit[j])
			f.TimeToLimit = &at
		}
	}
	return m
}
