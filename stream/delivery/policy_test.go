package delivery

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestFault45_RetryAfterForms(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": 0, "0": 0, "7": 7 * time.Second, " 7 ": 7 * time.Second, "-1": 0, "1.5": 0, "soon": 0, "7 seconds": 0,
		"601": 10 * time.Minute, "9223372036854775807": 10 * time.Minute, "9223372036854775808": 0,
		"Thu, 01 Jan 2026 00:00:30 GMT": 30 * time.Second, "Wed, 31 Dec 2025 23:59:30 GMT": 0,
		"Thursday, 01-Jan-26 00:00:30 GMT": 30 * time.Second, "Thu, 01 Jan 2099 00:00:30 GMT": 10 * time.Minute,
	} {
		if got := retryAfter(header, now); got != want {
			t.Errorf("Retry-After %q is %v, want %v", header, got, want)
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{"7", "-1", "Thu, 01 Jan 2026 00:00:30 GMT", "99999999999999999999", "\x00"} {
		f.Add(s)
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, s string) {
		if d := retryAfter(s, now); d < 0 || d > longestWait {
			t.Errorf("%q is %v", s, d)
		}
	})
}

// TestAnswers: the text and the action of each kind of answer.
func TestAnswers(t *testing.T) {
	c := Classifier{
		Lost: regexp.MustCompile("outside retention"), Points: regexp.MustCompile("^unable to parse"),
		Dropped: regexp.MustCompile(`dropped=(\d+)`), Quota: regexp.MustCompile("max-values"),
	}
	answer := func(status int, body string, header ...string) *AnswerError {
		e := &AnswerError{status: status, header: http.Header{}, body: []byte(body), expect: "S answers 204"}
		for i := 0; i < len(header); i += 2 {
			e.header.Set(header[i], header[i+1])
		}
		return e
	}
	const redirects = ": redirects are not followed; set the URL to the server that writes the points"
	wrong := &net.OpError{Op: "read", Net: "tcp", Err: timeoutError{}}
	for _, k := range []struct {
		err     error
		action  action
		reason  string
		text    string
		dropped int
		slow    bool
	}{
		{errors.New("gone"), retry, "network", "gone", 0, false},
		{wrong, retry, "network", "read: i/o timeout", 0, true},
		{fmt.Errorf("x: %w", &net.OpError{Op: "dial", Err: timeoutError{}}), retry, "network", "dial: i/o timeout", 0, false},
		{context.DeadlineExceeded, retry, "network", "context deadline exceeded", 0, true},
		{fmt.Errorf("x: %w", PointError("long")), split, "points", "long", 0, false},
		{answer(200, ""), block, "200", "200 OK: S answers 204; does the URL name another server, or a proxy?", 0, false},
		{answer(299, "x"), block, "299", "299 : S answers 204; does the URL name another server, or a proxy?", 0, false},
		{answer(300, ""), block, "300", "300 Multiple Choices" + redirects, 0, false},
		{answer(302, "x", "Location", "https://user:secret@other:8086/write?token=secret#x"), block, "302", "302 Found to https://other:8086/write" + redirects, 0, false},
		{answer(302, "", "Location", "/login"), block, "302", "302 Found" + redirects, 0, false},
		{answer(399, "", "Location", "::"), block, "399", "399 " + redirects, 0, false},
		{answer(400, ""), examine, "400", "400 Bad Request", 0, false},
		{answer(400, `{"message": "no"}`), examine, "400", "400 Bad Request: no", 0, false},
		{answer(400, "", "X-Influxdb-Error", "no"), examine, "400", "400 Bad Request: no", 0, false},
		{answer(400, " no \n"), examine, "400", "400 Bad Request: no", 0, false},
		{answer(400, strings.Repeat("x", 1001)), examine, "400", "400 Bad Request: " + strings.Repeat("x", 1000), 0, false},
		{answer(400, `{"message": "unable to parse 'x'"}`), split, "400", "400 Bad Request: unable to parse 'x'", 0, false},
		{answer(400, "unable to parse 'x'", "X-Influxdb-Error", "y"), split, "400", "400 Bad Request: y", 0, false},
		{answer(400, "<html>", "Content-Type", "text/html; charset=utf-8"), block, "400", "400 Bad Request: <html>", 0, false},
		{answer(400, "outside retention; dropped=7"), split, "400", "400 Bad Request: outside retention; dropped=7", 7, false},
		{answer(400, "max-values: dropped=7"), examine, "400", "400 Bad Request: max-values: dropped=7", 0, false},
		{answer(400, "dropped=99999999999999999999"), examine, "400", "400 Bad Request: dropped=99999999999999999999", 0, false},
		{answer(401, "unable to parse"), block, "401", "401 Unauthorized: unable to parse", 0, false},
		{answer(404, ""), block, "404", "404 Not Found", 0, false},
		{answer(404, "outside retention"), split, "404", "404 Not Found: outside retention", 0, false},
		{answer(408, ""), retry, "408", "408 Request Timeout", 0, true},
		{answer(413, ""), split, "413", "413 Request Entity Too Large", 0, false},
		{answer(413, "", "Content-Type", "text/html"), block, "413", "413 Request Entity Too Large", 0, false},
		{answer(422, ""), examine, "422", "422 Unprocessable Entity", 0, false},
		{answer(429, "timeout"), retry, "429", "429 Too Many Requests: timeout", 0, false},
		{answer(500, ""), retry, "500", "500 Internal Server Error", 0, false},
		{answer(500, "engine: Timed out"), retry, "500", "500 Internal Server Error: engine: Timed out", 0, true},
		{answer(503, "timeouts"), retry, "503", "503 Service Unavailable: timeouts", 0, false},
		{answer(503, "<html>", "Content-Type", "text/html"), retry, "503", "503 Service Unavailable: <html>", 0, false},
		{answer(504, ""), retry, "504", "504 Gateway Timeout", 0, true},
	} {
		want := failure{k.action, k.reason, k.text, 0, k.dropped, k.slow}
		if got := c.classify(k.err, time.Time{}); got != want {
			t.Errorf("%.80v:\ngot  %+v\nwant %+v", k.err, got, want)
		}
		if text, passing := c.Explain(k.err); text != k.text || passing != (k.action == retry) {
			t.Errorf("%.80v: explained as %q, may pass: %v", k.err, text, passing)
		}
	}
	if got := c.classify(answer(503, "", "Retry-After", "7"), time.Now()); got.after != 7*time.Second {
		t.Errorf("Retry-After 7 is %v", got.after)
	}
	c.Dropped, c.Quota = nil, nil
	if got := c.classify(answer(400, "dropped=7"), time.Now()); got.dropped != 0 {
		t.Errorf("%d dropped points of a server that does not count them", got.dropped)
	}
}

// TestPauses: a pause lasts between half and all of a step that doubles up to the last one, and at least as long as the
// server asks for. The end of the context ends it.
func TestPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := Pauses{time.Second, 3 * time.Second}
		for i, step := range []time.Duration{1, 2, 3, 3} {
			step *= time.Second
			begun := time.Now()
			if err := p.pause(t.Context(), 0); err != nil {
				t.Fatal(err)
			}
			if d := time.Since(begun); d < step/2 || d > step {
				t.Errorf("pause %d lasts %v, want %v to %v", i, d, step/2, step)
			}
		}
		begun := time.Now()
		if err := p.pause(t.Context(), time.Minute); err != nil {
			t.Fatal(err)
		}
		if d := time.Since(begun); d < time.Minute || d > time.Minute+1500*time.Millisecond {
			t.Errorf("a pause of a minute lasts %v", d)
		}
		begun = time.Now()
		var none Pauses
		if err := none.pause(t.Context(), 0); err != nil || time.Since(begun) != 0 {
			t.Errorf("no pause lasts %v, %v", time.Since(begun), err)
		}
		stop := errors.New("stop")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(40*time.Second, func() { cancel(stop) })
		if err := p.pause(ctx, time.Minute); !errors.Is(err, stop) || time.Since(begun) != 40*time.Second {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
	})
}
