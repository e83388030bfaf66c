package livepage

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/orffvar/forecaster/stream"
)

// The limits of a Page.
const (
	MaxSeries    = 1000 // kept; the first ones seen
	MaxVariables = 64   // of a series
	MaxClients   = 32   // of the stream at a time

	maxSamples  = 1000    // of a series
	seriesBytes = 1 << 20 // of each of the first manySeries, for its samples
	manySeries  = 50
	laterBytes  = 1 << 16 // of each later one, but room for
	laterLeast  = 60      // samples
	ranked      = 120     // newest samples whose highest anomaly score ranks a series
	maxEvents   = 200
	maxTracked  = 4   // horizons of which old forecasts are kept
	maxFan      = 256 // horizons of the present forecast
	maxLevels   = 3   // intervals of the present forecast
)

// Config says what a Page shows.
type Config struct {
	Model    string        // whose forecasts are shown; the scores of others are not
	Horizons []int         // that are emitted, ascending
	Levels   []float64     // nominal coverages of the intervals; the first one is scored
	Interval time.Duration // between two samples of a series; 0 = unknown
	Note     string        // remark about this run at the head of the page, or ""

	// Status returns the state of the job; nil means unknown. Any goroutine may call it.
	Status func() Status
}

// Status is the state of the job.
type Status struct {
	State  string // "" = at work, otherwise why not
	Lag    int64  // messages in the log that were not read yet; negative = unknown
	Series int64  // seen so far, kept by the page or not; 0 = unknown
}

// Page keeps what passes through it on the way to the outputs and serves it. Any goroutine
// may call its methods.
type Page struct {
	c       Config
	tracked []int
	handler http.Handler
	done    chan struct{}
	end     sync.Once
	clients chan struct{} // one element for each client of the stream

	mu       sync.RWMutex
	series   []*history // in order of appearance
	byName   map[string]*history
	version  int64 // changes whenever series does
	events   eventLog
	counters counters
}

var _ stream.Sink = (*Page)(nil)

// New returns a Page that has seen nothing.
func New(c Config) *Page {
	p := &Page{
		c: c, tracked: spread(c.Horizons, maxTracked),
		done: make(chan struct{}), clients: make(chan struct{}, MaxClients),
		byName: make(map[string]*history),
	}
	p.handler = p.routes()
	return p
}

// spread returns n of the values, evenly spaced from the first to the last, or all if there
// are at most n.
func spread(values []int, n int) []int {
	if len(values) <= n {
		return values
	}
	out := make([]int, n)
	for i := range out {
		out[i] = values[i*(len(values)-1)/(n-1)]
	}
	return out
}

// Write implements stream.Sink: it never fails and does not wait for clients.
func (p *Page) Write(_ context.Context, b *stream.Batch) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counters.add(b, time.Now())
	for i := range b.Observations {
		o := &b.Observations[i]
		if h := p.of(o.Series); h != nil {
			h.observe(o, p.c.Interval)
		}
	}
	for i := range b.Forecasts {
		f := &b.Forecasts[i]
		if h := p.of(f.Series); h != nil && f.Model == p.c.Model {
			h.forecast(f)
		}
	}
	for i := range b.Metrics {
		m := &b.Metrics[i]
		if m.Series.Variables == nil {
			continue
		}
		if h := p.of(m.Series); h != nil && m.Model == p.c.Model {
			h.scores.add(h, m)
		}
	}
	for i := range b.Insights {
		in := &b.Insights[i]
		if h := p.of(in.Series); h != nil && in.Model == p.c.Model {
			h.insight.add(h, in)
		}
	}
	for _, e := range b.Events {
		p.events.add(e)
	}
	return nil
}

// Close implements stream.Sink. The page continues to show what it has.
func (p *Page) Close() error { return nil }

// EndStreams ends the requests that would otherwise never end, now and in the
// future. It is for http.Server.RegisterOnShutdown.
func (p *Page) EndStreams() { p.end.Do(func() { close(p.done) }) }

// ServeHTTP implements http.Handler.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.handler.ServeHTTP(w, r) }

// of returns the history of a series, or nil when the page has no room for it.
func (p *Page) of(s *stream.Series) *history {
	h := p.byName[s.Name]
	if h != nil && (h.info == s || slices.Equal(h.info.Variables, s.Variables)) {
		h.info = s // of another engine, after the partition has moved
		return h
	}
	if h == nil {
		if len(p.series) == MaxSeries {
			return nil
		}
		h = &history{id: len(p.series), name: valid(s.Name)}
		p.byName[s.Name] = h
		p.series = append(p.series, h)
	}
	p.version++
	h.begin(s, p.tracked, min(len(p.c.Levels), maxLevels))
	return h
}

// find returns the series that a client calls name, or nil.
func (p *Page) find(name string) *history {
	for _, h := range p.series {
		if h.name == name {
			return h
		}
	}
	return nil
}

// status returns the state of the job.
func (p *Page) status() statusMessage {
	s := Status{Lag: -1}
	if p.c.Status != nil {
		s = p.c.Status()
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	m := statusMessage{
		Model: p.c.Model, State: s.State, Working: s.State == "",
		Records: p.counters.records, DeadLetters: p.counters.deadLetters,
		Rate: number(p.counters.rate(time.Now())), Series: max(s.Series, int64(len(p.series))),
	}
	if s.Lag >= 0 {
		m.Lag = &s.Lag
	}
	if p.counters.watermark != 0 {
		t := seconds(p.counters.watermark)
		m.Watermark = &t
	}
	return m
}
