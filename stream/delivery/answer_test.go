package delivery

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestClient: a client returns accepted answers with their body, every other one as an error with the first bytes of its
// body, and follows no redirect.
func TestClient(t *testing.T) {
	followed := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/write":
			_, _ = io.WriteString(w, "body")
		case "/long":
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, strings.Repeat("x", 2*maxAnswer))
		case "/elsewhere":
			http.Redirect(w, r, "/target", http.StatusTemporaryRedirect)
		case "/target":
			followed = true
		case "/victoria":
			w.Header().Set("X-Server-Hostname", "v")
		}
	}))
	defer server.Close()
	link := new(Link)
	c := NewClient(time.Minute, link)
	c.Accepts, c.Expects = func(r *http.Response) bool { return r.StatusCode == http.StatusOK }, "S answers 200"
	get := func(path string) (string, error) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := c.Do(r)
		if err != nil {
			return "", err
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		return string(body), err
	}
	sink := New(Config{Link: link})
	if body, err := get("/write"); body != "body" || err != nil || !sink.takeFresh() || sink.settleTime() != 0 {
		t.Errorf("%q, %v, settled in %v", body, err, sink.settleTime())
	}
	if _, err := get("/write"); err != nil || sink.takeFresh() {
		t.Errorf("%v, or the connection was not used again", err)
	}
	var refused *AnswerError
	if _, err := get("/long"); !errors.As(err, &refused) || refused.status != http.StatusBadRequest || len(refused.body) != maxAnswer || refused.expect != c.Expects {
		t.Errorf("%.99v", err)
	}
	const want = "307 Temporary Redirect: redirects are not followed; set the URL to the server that writes the points"
	if _, err := get("/elsewhere"); err == nil || err.Error() != want || followed {
		t.Errorf("%v, followed: %v", err, followed)
	}
	if _, err := get("/victoria"); err != nil || sink.settleTime() != victoriaMetrics {
		t.Errorf("%v, settled in %v", err, sink.settleTime())
	}
	if own := New(Config{Link: link, Settle: time.Hour}); own.settleTime() != time.Hour {
		t.Errorf("settled in %v with a time of its own", own.settleTime())
	}
	if none := New(Config{}); none.settleTime() != 0 || none.takeFresh() {
		t.Error("a sink without a link has a connection")
	}
	server.Close()
	if _, err := get("/write"); err == nil || errors.As(err, &refused) {
		t.Errorf("a server that has ended: %v", err)
	}
}

// TestSettling: lines are kept until a request over the same connection is accepted after Settle. After a new
// connection all of them are sent again, and after a restart those of the checkpoint.
func TestSettling(t *testing.T) {
	var asked []string
	var log bytes.Buffer
	link := new(Link)
	var answer func(values string) error
	made := func() *Sink {
		return New(Config{
			Name: "out", BatchSize: 8, Settle: time.Hour, Link: link, Log: slog.New(slog.NewTextHandler(&log, nil)),
			Classify: Classifier{Lost: regexp.MustCompile("outside retention"), Points: regexp.MustCompile("^unable to parse")},
			Attempt: func(_ context.Context, lines []byte) error {
				asked = append(asked, valuesOf(lines))
				return answer(valuesOf(lines))
			},
		})
	}
	sink := made()
	sink.SetPauses(Pauses{})
	write := func(n int, want string, unsettled int64) {
		t.Helper()
		asked = nil
		if err := sink.Write(t.Context(), points(n)); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(asked, "|"); got != want || sink.Stats().Unsettled != unsettled {
			t.Errorf("asked %s, want %s; %d lines are not settled, want %d", got, want, sink.Stats().Unsettled, unsettled)
		}
	}
	answer = func(string) error { return nil }
	link.Connected()
	write(1, "0", 1)
	if at := sink.Positions(); len(at) != 1 || log.Len() > 0 {
		t.Errorf("positions %v, logged %s", at, &log)
	}
	link.Connected()
	write(1, "0|0|0", 2)
	if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, `level=WARN msg="the connection was lost;  gets again what it may not have kept" requests=2`) {
		t.Errorf("logged %s", text)
	}
	sink.End()
	sink = made()
	sink.SetPauses(Pauses{})
	link.Connected()
	write(1, "0", 1)
	write(2, "0 1", 3)
	link.Connected()
	write(3, "0 1 2|0|0 1|0 1 2", 6)
	failed := false
	link.Connected()
	answer = func(values string) error { // once, within the lines that are sent again
		if values == "0 1" && !failed {
			failed = true
			return Answer(http.StatusServiceUnavailable, "")
		}
		return nil
	}
	write(4, "0 1 2 3|0|0 1|0 1 2 3|0 1|0 1 2|0 1 2 3", 10)
	at := sink.Positions()
	sink.End()
	sink = made()
	defer sink.End()
	if err := sink.Resume(at); err != nil || sink.Stats().Unsettled != 10 {
		t.Fatal(err, sink.Stats())
	}
	answer = func(values string) error { // a point that was accepted before, and is refused now
		if strings.Contains(values, "2") {
			return Answer(http.StatusRequestEntityTooLarge, "")
		}
		return nil
	}
	write(1, "0|0 0 1 0 1 2 0 1|0 0 1 0|1 2 0 1|1 2|1|2|0 1|2 3|2|3|0", 11)
	if len(at) != 1 || at[0].Output != "out" || sink.Resume(nil) != nil {
		t.Errorf("%v", at)
	}
	at[0].Unsettled = at[0].Unsettled[:4]
	if err := sink.Resume(at); err == nil || err.Error() != "the checkpoint's points of out: unexpected EOF" {
		t.Error(err)
	}
}

// TestSettlingWhenIdle: without a further request, the last lines are sent once more after Settle. They are settled then,
// or sent again, all of them over a new connection, until the server takes them.
func TestSettlingWhenIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var (
			mu    sync.Mutex
			asked []string
			down  bool
		)
		link := new(Link)
		sink := New(Config{
			BatchSize: 1, Settle: 10 * time.Second, Link: link, Log: slog.New(slog.DiscardHandler),
			Attempt: func(_ context.Context, lines []byte) error {
				mu.Lock()
				defer mu.Unlock()
				asked = append(asked, valuesOf(lines))
				if down {
					return errors.New("gone")
				}
				return nil
			},
		})
		defer sink.End()
		wait := func(d time.Duration, want string, unsettled int64, problem string) {
			t.Helper()
			time.Sleep(d)
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			kept := 0
			for _, k := range sink.settling.kept {
				kept += len(k.lines)
			}
			if sink.settling.bytes != kept {
				t.Errorf("%d bytes are not settled, counted %d", kept, sink.settling.bytes)
			}
			if got := strings.Join(asked, "|"); got != want || sink.Stats().Unsettled != unsettled || sink.Stats().Problem != problem {
				t.Errorf("asked %s, want %s; %+v", got, want, sink.Stats())
			}
			asked = nil
		}
		link.Connected()
		if err := sink.Write(t.Context(), points(2)); err != nil {
			t.Fatal(err)
		}
		wait(9*time.Second, "0|1", 2, "")
		wait(2*time.Second, "1", 0, "")
		wait(time.Hour, "", 0, "")
		if err := sink.Write(t.Context(), points(1)); err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		asked, down = nil, true
		mu.Unlock()
		wait(25*time.Second, "0|0", 1, "gone")
		mu.Lock()
		down = false
		mu.Unlock()
		link.Connected() // to a new process of the server
		wait(10*time.Second, "0|0", 1, "")
		wait(10*time.Second, "0", 0, "")
		sink.End()
		wait(time.Hour, "", 0, "")
	})
}
