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

// Limits of a Page.
const (
	MaxVariables = 64 // largest number of variables per series
	MaxClients   = 32 // largest number of clients of the stream at a time

	maxSamples  = 1000    // largest number of samples per series
	seriesBytes = 1 << 20 // bytes for the samples of each of the first manySeries histories
	manySeries  = 50
	laterBytes  = 1 << 16 // bytes for the samples of each later history, …
	laterLeast  = 60      // … but with at least this number of samples
	maxEvents   = 200
	maxTracked  = 4   // number of horizons with old forecasts
	maxFan      = 256 // number of horizons of the current forecast
	maxLevels   = 3   // number of intervals of the current forecast
)

// Config describes the content of a Page.
type Config struct {
	Model    string        // name of the model whose forecasts are shown; the scores of other models are ignored
	Horizons []int         // emitted horizons, ascending
	Levels   []float64     // nominal coverages of the intervals; the first one is scored
	Interval time.Duration // time between two samples of a series; 0: unknown
	Note     string        // remark about this run at the head of the page; "": none
	Limits   Limits        // limits of the variables of a series; nil: none
	Memory   int64         // bytes for the histories of all series; 0: 256 MiB

	// ScoreEvery returns the number of samples of a series between two scores; 0: there are no scores. Any goroutine may
	// call it.
	ScoreEvery func() int

	// Status returns the state of the job; nil: unknown. Any goroutine may call it.
	Status func() Status
}

// Limits returns the limits of the given variables: values that they should not reach. nil: no limits.
type Limits func(variables []string) []scoring.Limit

// Status is the state of the job.
type Status struct {
	State  string // reason why the job does not work; "": it works
	Lag    int64  // number of unread messages in the log; negative: unknown
	Series int64  // number of series so far, kept by the page or not; 0: unknown
}

// Page stores the batches that it gets as a sink, and serves them. Any goroutine may call its methods.
type Page struct {
	c       Config
	tracked []int
	handler http.Handler
	done    chan struct{}
	end     sync.Once
	clients chan struct{} // one element per client of the stream

	mu       sync.RWMutex
	series   []*member // in order of first appearance
	byName   map[string]*member
	kept     []*member // series with a history
	bytes    int64     // memory of the histories
	epochs   int64     // number of histories so far
	asks     int64     // number of requests for a series so far
	version  int64     // changes with the first MaxSeries series, and with the kept ones
	events   eventLog
	counters counters
}

var _ stream.Sink = (*Page)(nil)

// New returns a Page without data.
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

// spread returns n of the values, evenly spaced from the first to the last. It returns all if there are at most n.
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

// Write implements stream.Sink. It never fails, and does not wait for clients.
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

// Close implements stream.Sink. The page continues to serve its data.
func (p *Page) Close() error { return nil }

// EndStreams ends the current and all future requests of streams, which have no other end. It is for
// http.Server.RegisterOnShutdown.
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

// status returns the content of the head of the page. The caller holds mu, at least for reading.
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
