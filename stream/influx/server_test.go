package influx

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/orffvar/forecaster/stream"
)

// server is an HTTP server that follows a script: one answer a request, then
// what refuse says of the lines.
type server struct {
	*httptest.Server
	mu       sync.Mutex
	script   []answer
	refuse   func(lines []string) *answer // nil = accept everything
	accepted []string                     // lines, with those sent again
	requests int
	sent     int // bytes of endless answers
	auth     string
}

type answer struct {
	status int
	header string // "Name: value"
	body   string
	then   string // "hang", "cut", "apply": write the lines and cut the connection
}

func newServer(t testing.TB, script ...answer) *server {
	s := &server{script: script}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/ping") {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	lines := strings.Split(strings.TrimSuffix(string(body), "\n"), "\n")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	s.auth = r.Header.Get("Authorization")
	if got := r.URL.Query().Get("precision"); got != "ns" {
		panic("precision " + got)
	}
	var a *answer
	if len(s.script) > 0 {
		a = &s.script[0]
		s.script = s.script[1:]
	} else if s.refuse != nil {
		a = s.refuse(lines)
	}
	if a == nil || a.then == "apply" {
		s.accepted = append(s.accepted, lines...)
	}
	if a == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if name, value, ok := strings.Cut(a.header, ": "); ok {
		w.Header().Set(name, value)
	}
	switch a.then {
	case "hang":
		s.mu.Unlock()
		<-r.Context().Done()
		s.mu.Lock()
		return
	case "endless":
		w.WriteHeader(a.status)
		for n, err := 0, error(nil); err == nil; s.sent += n {
			n, err = io.WriteString(w, strings.Repeat("x", 1000))
		}
		return
	case "cut", "apply":
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(a.status)
	io.WriteString(w, a.body)
}

// letters is a stream.DeadLetters in memory.
type letters struct {
	mu   sync.Mutex
	kept []stream.DeadLetter
	err  error
}

func (l *letters) WriteDeadLetters(_ context.Context, d []stream.DeadLetter) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, x := range d {
		x.Message.Value = bytes.Clone(x.Message.Value)
		l.kept = append(l.kept, x)
	}
	return l.err
}

func (l *letters) Close() error { return nil }

// distinct returns how many different lines were accepted.
func (s *server) distinct() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := make(map[string]bool)
	for _, l := range s.accepted {
		seen[l] = true
	}
	return len(seen)
}

// refusing answers as a server does that does not like some lines.
func refusing(status int, body string, bad func(line string) bool) func([]string) *answer {
	return func(lines []string) *answer {
		for _, l := range lines {
			if bad(l) {
				return &answer{status: status, header: "Content-Type: application/json", body: body}
			}
		}
		return nil
	}
}
