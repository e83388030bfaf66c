package delivery

import (
	"bytes"
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptrace"
	"slices"
	"sync/atomic"
	"time"
)

// Link holds observations of a Client about the server and its connection.
type Link struct {
	fresh atomic.Bool  // the last request needed a new connection
	keeps atomic.Int64 // time until the server has stored accepted points, ns; 0 = at once
}

// victoriaMetrics is the time until VictoriaMetrics has stored accepted points: it gathers them for up to 2 s and
// writes to disk every 5 s.
const victoriaMetrics = 10 * time.Second

// watch sets fresh if r needs a new connection.
func (l *Link) watch(r *http.Request) *http.Request {
	return r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
		GotConn: func(c httptrace.GotConnInfo) {
			if !c.Reused {
				l.Connected()
			}
		},
	}))
}

// Connected sets fresh.
func (l *Link) Connected() { l.fresh.Store(true) }

// answered recognises the product by its answer: only VictoriaMetrics sends its host name.
func (l *Link) answered(r *http.Response) {
	keeps := time.Duration(0)
	if r.Header.Get("X-Server-Hostname") != "" {
		keeps = victoriaMetrics
	}
	l.keeps.Store(int64(keeps))
}

// settling holds accepted lines that the server may not have stored yet. A connection ends when the server ends.
// Lines are therefore settled once a request on the same connection is accepted Config.Settle later. Otherwise they
// are sent again over a new connection, where equal points overwrite each other.
type settling struct {
	kept  []accepted // in the order of acceptance
	bytes int
	again int // index in kept of the first lines to be sent again
	idle  *time.Timer
}

// accepted holds lines and the time at which the server accepted them.
type accepted struct {
	lines []byte
	at    time.Time
}

// mostUnsettled is the largest size of unsettled lines in bytes. A request beyond it waits until some are settled.
const mostUnsettled = 64 << 20

// settleTime returns the time until the server has stored accepted lines.
func (s *Sink) settleTime() time.Duration {
	if s.config.Settle > 0 || s.config.Link == nil {
		return s.config.Settle
	}
	return time.Duration(s.config.Link.keeps.Load())
}

// takeFresh reports whether there was a new connection since the last call.
func (s *Sink) takeFresh() bool { return s.config.Link != nil && s.config.Link.fresh.Swap(false) }

// settle adds accepted lines to the unsettled ones. It sends all lines again that an earlier server process may
// have lost. This includes the new lines, because the server may end meanwhile.
func (r *request) settle(ctx context.Context, lines []byte) (*failure, error) {
	s := &r.settling
	d := r.settleTime()
	if d == 0 && s.again == 0 {
		s.kept, s.bytes = nil, 0
		r.takeFresh()
		return nil, nil
	}
	if len(s.kept) == 0 {
		r.takeFresh() // no line was sent over an earlier connection
	}
	if len(lines) > 0 {
		s.kept, s.bytes = append(s.kept, accepted{bytes.Clone(lines), time.Now()}), s.bytes+len(lines)
		if s.again > 0 {
			s.again++
		}
	}
	if f, err := r.sendAgain(ctx); f != nil || err != nil {
		if len(lines) > 0 { // the new lines are sent again, too
			last := len(s.kept) - 1
			s.kept, s.bytes, s.again = s.kept[:last], s.bytes-len(lines), s.again-1
		}
		return f, err
	}
	now, settled := time.Now(), 0
	for settled < len(s.kept) && now.Sub(s.kept[settled].at) >= d {
		s.bytes -= len(s.kept[settled].lines)
		settled++
	}
	s.kept = append(s.kept[:0], s.kept[settled:]...)
	return nil, nil
}

// sendAgain sends the lines that may be lost, until all of them are accepted over one connection.
func (r *request) sendAgain(ctx context.Context) (*failure, error) {
	s := &r.settling
	if r.takeFresh() {
		s.again = len(s.kept)
	}
	if s.again > 1 {
		r.config.Log.Warn("the connection was lost; "+r.config.Server+" gets again what it may not have kept", append(slices.Clone(r.config.Attrs), "requests", s.again)...)
	}
	for s.again > 0 {
		k := &s.kept[len(s.kept)-s.again]
		if f, err := r.again(ctx, k.lines); f != nil || err != nil {
			return f, err
		}
		k.at = time.Now()
		if s.again--; r.takeFresh() {
			s.again = len(s.kept)
		}
	}
	return nil, nil
}

// again sends accepted lines again, in halves if the server refuses some. The server already has a point that it
// refuses alone, in this or a newer form.
func (r *request) again(ctx context.Context, lines []byte) (*failure, error) {
	f, err := r.once(ctx, lines)
	if f == nil || err != nil || f.action != split {
		return f, err
	}
	n := bytes.Count(lines, newline)
	if n <= 1 {
		r.config.Log.Warn(r.config.Server+" does not take again what it had accepted", "first", firstLine(lines), "error", f.text)
		return nil, nil
	}
	first, second := cut(lines, (n+1)/2)
	if f, err := r.again(ctx, first); f != nil || err != nil {
		return f, err
	}
	return r.again(ctx, second)
}

// room waits until the unsettled lines leave room for lines.
func (r *request) room(ctx context.Context, lines []byte) error {
	s := &r.settling
	if len(s.kept) == 0 || s.bytes+len(lines) <= mostUnsettled {
		return nil
	}
	wait := Pauses{First: 2, Last: 2}
	return wait.pause(ctx, time.Until(s.kept[0].at.Add(r.settleTime())))
}

// whenIdle starts a timer that settles the last lines if no request follows.
func (s *Sink) whenIdle() {
	d := s.settleTime()
	if s.settling.again > 0 {
		d = cmp.Or(d, time.Second) // lines from Resume still have to be sent
	}
	if len(s.settling.kept) == 0 || d == 0 || s.life.Err() != nil {
		return
	}
	s.settling.idle = time.AfterFunc(d, s.Confirm)
}

// Confirm checks that the server still has the unsettled lines, and sends them again if not. A timer calls it if no
// request follows.
func (s *Sink) Confirm() {
	s.busy.Lock()
	defer s.busy.Unlock()
	if s.settling.idle != nil {
		s.settling.idle.Stop()
	}
	kept := s.settling.kept
	if len(kept) == 0 || s.life.Err() != nil {
		return
	}
	ctx, cancel := context.WithTimeout(s.life, time.Minute)
	defer cancel()
	r := request{Sink: s}
	// The last lines are sent once more: a new connection would show that the server was restarted.
	f, err := r.once(ctx, kept[len(kept)-1].lines)
	if f != nil && f.action == split { // again deals with refused points
		f = nil
	}
	if f == nil && err == nil {
		f, err = r.settle(ctx, nil)
	}
	switch {
	case f != nil:
		r.failed(f, slog.LevelWarn, "asking "+s.config.Server+" whether it keeps what it accepted failed and is repeated")
	case err == nil:
		r.accepted(nil)
	}
	s.count()
	s.whenIdle()
}

// End stops the timer of a Sink. Close of the sink calls it.
func (s *Sink) End() {
	s.end()
	s.busy.Lock()
	defer s.busy.Unlock()
	if s.settling.idle != nil {
		s.settling.idle.Stop()
	}
}

// count sets Stats.Unsettled.
func (s *Sink) count() {
	n := int64(0)
	for _, k := range s.settling.kept {
		n += int64(bytes.Count(k.lines, newline))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.Unsettled = n
}
