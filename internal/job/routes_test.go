package job

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"
)

// Each path has its answer, and with a token its own rule who may read it.
func TestRoutes(t *testing.T) {
	open := served(t)
	closed := served(t, "server.token=secret")
	for _, c := range []struct {
		path   string
		public bool
		code   int
		kind   string // beginning of the content type
		has    string
	}{
		{"/", false, 200, "text/html", "<title>"},
		{"/version", false, 200, "application/json", `"platform":`},
		{"/api/v1/config", false, 200, "text/plain; charset=utf-8", "type: persistence"},
		{"/api/v1/series", false, 200, "application/json", `"series":[`},
		{"/metrics", false, 200, "text/plain", "\nforecaster_build_info{"},
		{"/metrics", false, 200, "text/plain", "\ngo_goroutines "},
		{"/metrics", false, 200, "text/plain", "\nprocess_cpu_seconds_total "},
		{"/healthz", true, 200, "text/plain", "ok\n"},
		{"/readyz", true, 503, "text/plain", "not ready: no data: the input has not started yet"},
	} {
		ask := func(l *Live, authorise func(*http.Request)) *httptest.ResponseRecorder {
			r := httptest.NewRequest("GET", "http://localhost"+c.path, nil)
			authorise(r)
			w := httptest.NewRecorder()
			l.handler().ServeHTTP(w, r)
			return w
		}
		none := func(*http.Request) {}
		if w := ask(open, none); w.Code != c.code || !strings.HasPrefix(w.Header().Get("Content-Type"), c.kind) || !strings.Contains(w.Body.String(), c.has) {
			t.Errorf("%s: %d %v, want %d, %s and %q in\n%.300s", c.path, w.Code, w.Header(), c.code, c.kind, c.has, w.Body)
		}
		refused := http.StatusUnauthorized
		if c.public {
			refused = c.code
		}
		for what, a := range map[string]struct {
			authorise func(*http.Request)
			code      int
		}{
			"no token":        {none, refused},
			"another token":   {func(r *http.Request) { r.Header.Set("Authorization", "Bearer secre") }, refused},
			"bearer token":    {func(r *http.Request) { r.Header.Set("Authorization", "Bearer secret") }, c.code},
			"password":        {func(r *http.Request) { r.SetBasicAuth("anybody", "secret") }, c.code},
			"as the user":     {func(r *http.Request) { r.SetBasicAuth("secret", "") }, refused},
			"from other host": {func(r *http.Request) { r.Host = "plant.example"; r.SetBasicAuth("", "secret") }, c.code},
		} {
			w := ask(closed, a.authorise)
			if w.Code != a.code || (w.Code == http.StatusUnauthorized) != strings.HasPrefix(w.Header().Get("WWW-Authenticate"), "Basic ") {
				t.Errorf("%s with %s: %d, want %d", c.path, what, w.Code, a.code)
			}
			if strings.Contains(w.Body.String(), "token: secret") {
				t.Errorf("%s tells the token", c.path)
			}
		}
	}
}

// A connection too many takes the place of the oldest one that no request is answered on.
func TestCrowd(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &crowd{Listener: listener, limit: 2}
	release, answering := make(chan struct{}), make(chan struct{})
	server := &http.Server{ConnContext: c.inContext, ReadHeaderTimeout: time.Minute, Handler: c.keep(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/long" {
			answering <- struct{}{}
			<-release
		}
		fmt.Fprint(w, r.URL.Path)
	}))}
	go func() { _ = server.Serve(c) }()
	defer server.Close()
	dial := func() net.Conn {
		t.Helper()
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	request := func(conn net.Conn, path string) {
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: h\r\n\r\n", path)
	}
	answered := func(conn net.Conn) bool {
		_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
		line, err := bufio.NewReader(conn).ReadString('\n')
		return err == nil && strings.Contains(line, "200")
	}
	guests := func() int {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.guests)
	}
	busy := dial()
	request(busy, "/long")
	<-answering
	idle := dial()
	until(t, "two guests", func() bool { return guests() == 2 })
	third := dial()
	_ = idle.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := idle.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("the idle connection is open: %v", err)
	}
	request(third, "/short")
	if !answered(third) {
		t.Error("the last connection is not served")
	}
	close(release)
	if !answered(busy) {
		t.Error("the connection with a request was closed")
	}
	third.Close()
	until(t, "a guest that leaves is forgotten", func() bool { return guests() == 1 })
	dial()
	until(t, "there is room for another", func() bool { return guests() == 2 })
	request(busy, "/short")
	if !answered(busy) {
		t.Error("a guest had to leave although there was room")
	}
	dial() // all answers have been given, so the oldest leaves
	_ = busy.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := io.Copy(io.Discard, busy); err != nil {
		t.Errorf("a connection whose requests are answered stays: %v", err)
	}
}
