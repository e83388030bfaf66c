package livepage

import (
	"cmp"
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/stream"
)

// The limits of a Page.
const (
	MaxVariables = 64 // of a series
	MaxClients   = 32 // of the stream at a time

	maxSamples  = 1000    // of a series
	seriesBytes = 1 << 20 // of each of the first manySeries, for its samples
	manySeries  = 50
	laterBytes  = 1 << 16 // of each later one, but room for
	laterLeast  = 60      // samples
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
	Limits   Limits        // of the variables of a series; nil = none
	Memory   int64         // bytes that the histories of all series may take; 0 = 256 MiB

	// ScoreEvery returns the number of samples of a series between two of its scores; 0 = there
	// are no scores. Any goroutine may call it.
	ScoreEvery func() int

	// Status returns the state of the job; nil means unknown. Any goroutine may call it.
	Status func() Status
}

// Limits returns what variables should not reach; nil for nothing.
type Limits func(variables []string) []scoring.Limit

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
	series   []*member // in order of appearance
	byName   map[string]*member
	kept     []*member // that have a history
	bytes    int64     // of the histories
	epochs   int64     // histories so far
	asks     int64     // requests for a series so far
	version  int64     // changes whenever the first MaxSeries series do, or one that is kept
	events   eventLog
	counters counters
}

var _ stream.Sink = (*Page)(nil)

// New returns a Page that has seen nothing.
func New(c Config) *Page {
	c.Memory = cmp.Or(c.Memory, defaultMemory)
	p := &Page{
		c: c, tracked: spread(c.Horizons, maxTracked),
		done: make(chan struct{}), clients: make(chan struct{}, MaxClients),
		byName: make(map[string]*member),
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
	promoted := 0
	for i := range b.Observations {
		o := &b.Observations[i]
		m := p.of(o.Series)
		if m == nil {
			continue
		}
		score := o.AnomalyScore
		if o.StateScore > score {
			score = o.StateScore
		}
		m.rank(score)
		if m.history == nil && score > alarm && promoted < mostPromoted {
			promoted++
			p.promote(m)
		}
		if m.history != nil {
			m.history.observe(o, p.c.Interval)
		}
	}
	for i := range b.Forecasts {
		f := &b.Forecasts[i]
		if m := p.of(f.Series); m != nil && m.history != nil && f.Model == p.c.Model {
			m.history.forecast(f)
		}
	}
	for i := range b.Metrics {
		k := &b.Metrics[i]
		if k.Series.Variables == nil || k.Model != p.c.Model {
			continue
		}
		m := p.of(k.Series)
		if m == nil {
			continue
		}
		if k.Target == stream.AllTargets && len(p.tracked) > 0 && k.Horizon == p.tracked[0] {
			m.skill = k.Score.SkillVsNaive
		}
		if m.history != nil {
			m.history.scores.add(m.history, k)
		}
	}
	for i := range b.Insights {
		in := &b.Insights[i]
		if m := p.of(in.Series); m != nil && m.history != nil && in.Model == p.c.Model {
			m.history.insight.add(m.history, in)
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

// job returns the state of the job.
func (p *Page) job() Status {
	if p.c.Status == nil {
		return Status{Lag: -1}
	}
	return p.c.Status()
}

// head is status for callers without mu.
func (p *Page) head() statusMessage {
	s := p.job()
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.status(s)
}

// status returns what the head of the page shows. The caller holds mu, at least for reading.
func (p *Page) status(s Status) statusMessage {
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
