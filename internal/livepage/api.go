package livepage

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

// Limits of a request.
const (
	maxQuery  = 8 << 10 // bytes
	maxShown  = 12      // variables
	maxParams = 32
)

// routes returns the handler for all paths.
func (p *Page) routes() http.Handler {
	mux := http.NewServeMux()
	for _, a := range assets() {
		mux.Handle("GET "+a.path, a)
	}
	mux.HandleFunc("GET /api/v1/series", p.getSeries)
	mux.HandleFunc("GET /api/v1/ranking", func(w http.ResponseWriter, _ *http.Request) { answer(w, p.ranking()) })
	mux.HandleFunc("GET /api/v1/forecast", p.getForecast)
	mux.HandleFunc("GET /api/v1/metrics", p.getMetrics)
	mux.HandleFunc("GET /api/v1/experts", p.getExperts)
	mux.HandleFunc("GET /api/v1/influence", p.getInfluence)
	mux.HandleFunc("GET /api/v1/events", p.getEvents)
	mux.HandleFunc("GET /api/v1/status", p.getStatus)
	mux.HandleFunc("GET /api/v1/stream", p.stream)
	mux.HandleFunc("GET /api/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, http.StatusNotFound, errors.New("there is no such path"))
	})
	return secure(mux)
}

// secure sets headers that restrict a browser to showing the answers: names of series are not trusted. It
// returns an error for a query longer than maxQuery.
func secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "+
			"base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		if len(r.URL.RawQuery) > maxQuery {
			fail(w, http.StatusRequestURITooLong, fmt.Errorf("the query is longer than %d bytes", maxQuery))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (p *Page) getSeries(w http.ResponseWriter, r *http.Request) {
	q, err := newQuery(r)
	order := q.values.Get("sort")
	if _, ok := orders[order]; !ok && err == nil {
		err = fmt.Errorf("sort must be name, anomaly or skill, got %q", order)
	}
	if err != nil {
		fail(w, http.StatusBadRequest, err)
		return
	}
	answer(w, p.list(q.values.Get("search"), order))
}

func (p *Page) getForecast(w http.ResponseWriter, r *http.Request) {
	getView(p, w, r, func(q *query, h *history, v view) *windowMessage {
		return h.window(v, h.end-int64(q.number("samples", maxSamples, 0, maxSamples)))
	}, "")
}

func (p *Page) getMetrics(w http.ResponseWriter, r *http.Request) {
	getView(p, w, r, func(q *query, h *history, v view) *metricsMessage {
		variables := v.variables
		if !q.values.Has("variable") {
			variables = h.all()
		}
		return h.scores.message(h, v, variables, &p.c)
	}, "")
}

func (p *Page) getExperts(w http.ResponseWriter, r *http.Request) {
	getView(p, w, r, func(_ *query, h *history, _ view) *expertsMessage { return h.insight.expertsMessage(h) },
		"the model %s mixes no experts, or says nothing of them yet")
}

func (p *Page) getInfluence(w http.ResponseWriter, r *http.Request) {
	getView(p, w, r, func(_ *query, h *history, _ view) *influenceMessage { return h.insight.influenceMessage(h) },
		"which variable influences which is not known: model %s with model.influence does not run, or not for long enough")
}

// getView answers with the message of the requested view. If message returns nil, it answers with the error none.
func getView[T any](p *Page, w http.ResponseWriter, r *http.Request, message func(q *query, h *history, v view) *T, none string) {
	q, err := newQuery(r)
	if err != nil {
		fail(w, http.StatusBadRequest, err)
		return
	}
	p.ask(q.values.Get("series"))
	p.mu.RLock()
	h, v, code, err := p.view(q)
	var m *T
	if err == nil {
		m = message(q, h, v)
	}
	p.mu.RUnlock()
	switch {
	case q.err != nil:
		code, err = http.StatusBadRequest, q.err
	case err == nil && m == nil:
		code, err = http.StatusNotFound, fmt.Errorf(none, valid(p.c.Model))
	}
	reply(w, m, code, err)
}

func (p *Page) getEvents(w http.ResponseWriter, r *http.Request) {
	q, err := newQuery(r)
	limit := q.number("limit", maxEvents, 1, maxEvents)
	if err = errors.Join(err, q.err); err != nil {
		fail(w, http.StatusBadRequest, err)
		return
	}
	p.mu.RLock()
	m := eventsMessage{Events: p.events.since(0, limit)}
	p.mu.RUnlock()
	slices.Reverse(m.Events)
	answer(w, m)
}

func (p *Page) getStatus(w http.ResponseWriter, _ *http.Request) { answer(w, p.head()) }

// list returns the first series that match, with the values that clients can sort by.
func (p *Page) list(search, order string) seriesMessage {
	seen := p.head().Series
	p.mu.RLock()
	defer p.mu.RUnlock()
	list, n := p.matching(search, order)
	m := seriesMessage{
		Series: make([]seriesInfo, 0, len(list)), Seen: seen, Matches: n, Known: len(p.series),
		Horizons: append([]int{}, p.tracked...), Levels: append(column{}, p.c.Levels...), Note: p.c.Note,
		Limits: limits{Series: MaxSeries, Variables: MaxVariables, Samples: maxSamples, Shown: maxShown, Listed: MaxListed},
	}
	for _, s := range list {
		info := seriesInfo{Name: s.name, Dim: len(s.info.Variables)}
		for _, v := range s.info.Variables[:min(info.Dim, MaxVariables)] {
			info.Variables = append(info.Variables, valid(v))
		}
		info.Samples = capacityOf(manySeries, len(info.Variables), len(p.tracked)) // the series may not have a history yet
		if s.history != nil {
			info.Samples = s.history.capacity
		}
		m.Series = append(m.Series, info)
	}
	ranking := rankingOf(list)
	m.Ranking = &ranking
	return m
}

// ranking returns the values by which a list without a search can be sorted.
func (p *Page) ranking() rankingMessage {
	p.mu.RLock()
	defer p.mu.RUnlock()
	list, _ := p.matching("", "")
	return rankingOf(list)
}

func rankingOf(list []*member) rankingMessage {
	m := rankingMessage{Anomaly: make(column, len(list)), Skill: make(column, len(list))}
	for k, s := range list {
		m.Anomaly[k], m.Skill[k] = s.anomaly(), s.skill
	}
	return m
}

// query has the parameters of a request.
type query struct {
	values url.Values
	err    error // first error of the numbers read so far
}

func newQuery(r *http.Request) (*query, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	q := &query{values: values}
	n := 0
	for _, v := range values {
		n += len(v)
	}
	switch {
	case err != nil:
		return q, errors.New("the query is not well-formed")
	case n > maxParams:
		return q, fmt.Errorf("a query has at most %d parameters", maxParams)
	}
	return q, nil
}

// number returns a parameter within [low, high], or absent if the request does not have it.
func (q *query) number(name string, absent, low, high int) int {
	if !q.values.Has(name) {
		return absent
	}
	n, err := strconv.Atoi(q.values.Get(name))
	if err != nil || n < low || n > high {
		q.err = errors.Join(q.err, fmt.Errorf("%s must be a whole number from %d to %d", name, low, high))
		return absent
	}
	return n
}

// view returns the requested selection. Without variables it selects the first maxShown, and without a horizon the
// shortest.
func (p *Page) view(q *query) (h *history, v view, code int, err error) {
	m := p.find(q.values.Get("series"))
	if m == nil {
		return nil, v, http.StatusNotFound, fmt.Errorf("there is no series %q; /api/v1/series lists them", q.values.Get("series"))
	}
	if h = m.history; h == nil {
		return nil, v, http.StatusServiceUnavailable, fmt.Errorf("the history of series %q was given up for others; ask again", m.name)
	}
	names := q.values["variable"]
	if len(names) > maxShown {
		return nil, v, http.StatusBadRequest, fmt.Errorf("at most %d variables can be asked for at once", maxShown)
	}
	for _, name := range names {
		j := slices.Index(h.variables, name)
		if j < 0 {
			return nil, v, http.StatusNotFound, fmt.Errorf("series %q has no variable %q", h.name, name)
		}
		v.variables = append(v.variables, j)
	}
	if names == nil {
		for j := range min(maxShown, len(h.variables)) {
			v.variables = append(v.variables, j)
		}
	}
	v.track = min(0, len(p.tracked)-1)
	if q.values.Has("horizon") {
		n, err := strconv.Atoi(q.values.Get("horizon"))
		v.track = slices.Index(p.tracked, n)
		if err != nil || v.track < 0 {
			return nil, v, http.StatusBadRequest, fmt.Errorf("horizon must be one of %v", p.tracked)
		}
	}
	return h, v, http.StatusOK, nil
}

// reply answers with v, or with err if it is not nil.
func reply(w http.ResponseWriter, v any, code int, err error) {
	if err != nil {
		fail(w, code, err)
		return
	}
	answer(w, v)
}

func answer(w http.ResponseWriter, v any) { write(w, http.StatusOK, v) }

func fail(w http.ResponseWriter, code int, err error) { write(w, code, errorMessage{err.Error()}) }

func write(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v) // an error means that the client has disconnected
}
