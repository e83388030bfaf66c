package livepage

import (
	"encoding/json"
	"errors"
	"net/http"
	"time"
)

const (
	framePeriod  = 250 * time.Millisecond // between two frames
	statusEvery  = 4                      // frames between two status messages
	rankingEvery = 12                     // frames between two rankings
	writeTimeout = 10 * time.Second       // time without progress after which a client is disconnected
)

// stream serves one client until it disconnects, is too slow, or EndStreams is called.
//
// The events are: status (statusMessage), series (seriesMessage), ranking (rankingMessage), data
// (windowMessage), metrics (metricsMessage), insight (insightMessage) and events
// (eventsMessage, oldest first).
func (p *Page) stream(w http.ResponseWriter, r *http.Request) {
	q, err := newQuery(r)
	if err != nil {
		fail(w, http.StatusBadRequest, err)
		return
	}
	c := &client{page: p, query: q, w: w, control: http.NewResponseController(w)}
	if q.values.Has("series") {
		p.ask(q.values.Get("series"))
		p.mu.RLock()
		_, _, code, err := p.view(q)
		p.mu.RUnlock()
		if err != nil {
			fail(w, code, err)
			return
		}
	}
	select {
	case p.clients <- struct{}{}:
		defer func() { <-p.clients }()
	default:
		w.Header().Set("Retry-After", "10")
		fail(w, http.StatusServiceUnavailable, errors.New("too many pages are open"))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no")  // proxies must not buffer
	_ = c.control.SetReadDeadline(time.Time{}) // the stream reads nothing more; the ReadTimeout of a server would end the request
	ticker := time.NewTicker(framePeriod)
	defer ticker.Stop()
	for {
		if c.frame() != nil {
			return
		}
		select {
		case <-ticker.C:
		case <-r.Context().Done():
			return
		case <-p.done:
			return
		}
	}
}

// client is the position of a client in the data of the page.
type client struct {
	page    *Page
	query   *query
	w       http.ResponseWriter
	control *http.ResponseController
	buf     []byte

	frames  int
	version int64 // version of the list of series
	epoch   int64 // epoch of the history
	end     int64 // number of the next sample
	origin  int64 // origin of the last forecast
	scores  int64 // version of the scores
	insight int64 // version of the insight
	events  int64 // number of the next event
}

// frame sends all new data.
func (c *client) frame() error {
	p := c.page
	c.buf = c.buf[:0]
	p.mu.RLock()
	listed := c.version == p.version && c.frames > 0
	c.version = p.version
	p.mu.RUnlock()
	if !listed {
		c.add("series", p.list("", ""))
	}
	n := c.news(p.job())
	if n.status != nil {
		c.add("status", n.status)
	}
	if !listed || c.frames%rankingEvery == 0 {
		c.add("ranking", p.ranking())
	}
	if n.window != nil {
		c.add("data", n.window)
	}
	if n.metrics != nil {
		c.add("metrics", n.metrics)
	}
	if n.insight != nil {
		c.add("insight", n.insight)
	}
	p.mu.RLock()
	events := p.events.since(c.events, maxEvents)
	c.events = p.events.end
	p.mu.RUnlock()
	if len(events) > 0 {
		c.add("events", eventsMessage{events})
	}
	c.frames++
	return c.send()
}

// news has the messages of one frame; nil: nothing new.
type news struct {
	status  *statusMessage
	window  *windowMessage
	metrics *metricsMessage
	insight *insightMessage
}

// news copies the new samples of the series. The status comes with them: then the number of samples in the head of the
// page agrees with the charts. Without new samples, the status comes once per second, like scores and insight.
func (c *client) news(s Status) (n news) {
	p := c.page
	chosen := c.query.values.Has("series")
	if chosen {
		p.ask(c.query.values.Get("series"))
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	due := c.frames%statusEvery == 0
	if due {
		head := p.status(s)
		n.status = &head
	}
	if !chosen {
		return n
	}
	h, v, _, err := p.view(c.query)
	if err != nil {
		return n // the variables have changed: the client must select again
	}
	reset := c.epoch != h.epoch || c.end < h.first()
	if reset {
		c.epoch, c.end = h.epoch, h.first()
	}
	if reset || c.end != h.end || c.origin != h.now.origin {
		n.window = h.window(v, c.end)
		n.window.Reset = reset
		c.end, c.origin = h.end, h.now.origin
		head := p.status(s)
		n.status = &head
	}
	if reset || due && c.scores != h.scores.version {
		n.metrics = h.scores.message(h, v, h.all(), &p.c)
		c.scores = h.scores.version
	}
	if reset || due && c.insight != h.insight.version {
		n.insight = &insightMessage{Experts: h.insight.expertsMessage(h), Influence: h.insight.influenceMessage(h)}
		c.insight = h.insight.version
	}
	return n
}

// add appends an event.
func (c *client) add(event string, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		panic("livepage: " + err.Error()) // messages can always be encoded
	}
	c.buf = append(c.buf, "event: "...)
	c.buf = append(c.buf, event...)
	c.buf = append(c.buf, "\ndata: "...)
	c.buf = append(c.buf, data...) // JSON has no line breaks
	c.buf = append(c.buf, "\n\n"...)
}

// send writes the buffered frame, and sets a deadline for it.
func (c *client) send() error {
	if len(c.buf) == 0 {
		return nil
	}
	if err := c.control.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err := c.w.Write(c.buf); err != nil {
		return err
	}
	return c.control.Flush()
}
