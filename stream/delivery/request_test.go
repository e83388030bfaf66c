package delivery

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/stream"
)

// letters stores the values of dead letters; err is the answer of the store.
type letters struct {
	values []string
	err    error
}

func (l *letters) WriteDeadLetters(_ context.Context, all []stream.DeadLetter) error {
	for _, d := range all {
		l.values = append(l.values, valuesOf(d.Message.Value)+" "+string(d.Error.Reason)+" "+d.Message.Topic+" "+d.Error.Detail)
	}
	return l.err
}

func (*letters) Close() error { return nil }

var lineValue = regexp.MustCompile(`yhat=(\d+)`)

// valuesOf returns the values in the lines of points: 0 1 2.
func valuesOf(lines []byte) string {
	var values []string
	for _, m := range lineValue.FindAllSubmatch(lines, -1) {
		values = append(values, string(m[1]))
	}
	return strings.Join(values, " ")
}

// TestRequestsOfABatch: the requests that a server gets for a batch, by its answers, and what becomes of the points.
func TestRequestsOfABatch(t *testing.T) {
	has := func(values, value string) bool { return slices.Contains(strings.Fields(values), value) }
	slow := &net.OpError{Op: "read", Err: timeoutError{}}
	const most = 99 // more requests than any batch needs
	// Each answers request number i with its values; nil accepts it.
	for _, c := range []struct {
		name   string
		points int
		answer func(i int, values string) error
		want   string // requests, then dead letters and retries
		logged string // levels and messages
	}{
		{"accepted", 3, func(int, string) error { return nil }, "0 1 2", ""},
		{"in two requests", 9, func(int, string) error { return nil }, "0 1 2 3 4 5 6 7|8", ""},
		{"too large", 5, func(_ int, v string) error {
			if len(v) > len("0 1") {
				return Answer(http.StatusRequestEntityTooLarge, "")
			}
			return nil
		}, "0 1 2 3 4|0 1 2|0 1|2|3 4", ""},
		{"too large alone", 1, func(int, string) error { return Answer(http.StatusRequestEntityTooLarge, "long") }, "0; 0 rejected topic 413 Request Entity Too Large: long", "ERROR S refuses points permanently"},
		{"a named point", 4, func(_ int, v string) error {
			if has(v, "2") {
				return Answer(http.StatusBadRequest, "unable to parse '2'")
			}
			return nil
		}, "0 1 2 3|0 1|2 3|2|3; 2 rejected topic 400 Bad Request: unable to parse '2'", "ERROR S refuses points permanently"},
		{"all points named as dropped", 4, func(int, string) error { return Answer(http.StatusUnprocessableEntity, "outside retention; dropped=4") },
			"0 1 2 3; 0 rejected topic 422 Unprocessable Entity: outside retention; dropped=4; 1 rejected topic 422 Unprocessable Entity: outside retention; dropped=4; " +
				"2 rejected topic 422 Unprocessable Entity: outside retention; dropped=4; 3 rejected topic 422 Unprocessable Entity: outside retention; dropped=4", "ERROR S refuses points permanently"},
		{"some points named as dropped", 4, func(_ int, v string) error {
			if n := strings.Count(v, " ") + 1; n > 2 {
				return Answer(http.StatusServiceUnavailable, "outside retention; dropped=3")
			} else if has(v, "2") {
				return Answer(http.StatusServiceUnavailable, fmt.Sprintf("outside retention; dropped=%d", n))
			}
			return nil
		}, "0 1 2 3|0 1|2 3; 2 rejected topic 503 Service Unavailable: outside retention; dropped=2; 3 rejected topic 503 Service Unavailable: outside retention; dropped=2", "ERROR S refuses points permanently"},
		{"a point that is not named", 4, func(_ int, v string) error {
			if has(v, "2") {
				return Answer(http.StatusBadRequest, "bad")
			}
			return nil
		}, "0 1 2 3|0|0 1|2 3|2|0|2|3; 2 rejected topic 400 Bad Request: bad", "ERROR S refuses points permanently"},
		{"the first point is not named", 3, func(_ int, v string) error {
			if has(v, "0") {
				return Answer(http.StatusBadRequest, "bad")
			}
			return nil
		}, "0 1 2|0|1|0 1|0|1|0|1|2; 0 rejected topic 400 Bad Request: bad", "ERROR S refuses points permanently"},
		{"no point is accepted", 2, func(i int, _ string) error {
			if i < 3 {
				return Answer(http.StatusBadRequest, "bad")
			}
			return nil
		}, "0 1|0|1|0 1; 400 repeated 1 times", "ERROR S accepts no points: check R; nothing is dropped, and writing is repeated"},
		{"one point is not accepted", 1, func(i int, _ string) error {
			if i < 2 {
				return Answer(http.StatusBadRequest, "bad")
			}
			return nil
		}, "0|0|0; 400 repeated 2 times", "ERROR S accepts no points: check R; nothing is dropped, and writing is repeated"},
		{"the witness is refused later", 2, func(i int, v string) error {
			if i == 0 || i == 2 || i == 3 || i == 4 {
				return Answer(http.StatusBadRequest, "bad")
			}
			return nil
		}, "0 1|0|0|0|0|0|0|1; 400 repeated 1 times", "ERROR S accepts no points: check R; nothing is dropped, and writing is repeated"},
		{"a server that restarts among the witnesses", 2, func(i int, _ string) error {
			return []error{Answer(http.StatusBadRequest, "bad"), Answer(http.StatusServiceUnavailable, ""), nil}[min(i, 2)]
		}, "0 1|0|0 1; 503 repeated 1 times", "WARN writing to S failed and is repeated"},
		{"unavailable", 2, func(i int, _ string) error {
			if i < 2 {
				return Answer(http.StatusServiceUnavailable, "")
			}
			return nil
		}, "0 1|0 1|0 1; 503 repeated 2 times", "WARN writing to S failed and is repeated"},
		{"different failures", 1, func(i int, _ string) error {
			return []error{Answer(http.StatusTooManyRequests, ""), errors.New("gone"), Answer(http.StatusUnauthorized, "who"), Answer(http.StatusNotFound, ""), nil}[i]
		}, "0|0|0|0|0; 401 repeated 1 times; 404 repeated 1 times; 429 repeated 1 times; network repeated 1 times",
			"WARN writing to S failed and is repeated; WARN writing to S failed and is repeated; ERROR S accepts no points: check R; nothing is dropped, and writing is repeated; ERROR S accepts no points: check R; nothing is dropped, and writing is repeated"},
		{"slow", 5, func(i int, _ string) error {
			if i < 2 {
				return slow
			}
			return nil
		}, "0 1 2 3 4|0 1 2 3 4|0 1 2|3 4; network repeated 2 times", "WARN writing to S failed and is repeated"},
		{"slow, but not in a row", 3, func(i int, _ string) error {
			return []error{slow, Answer(http.StatusServiceUnavailable, ""), slow, nil}[i]
		}, "0 1 2|0 1 2|0 1 2|0 1 2; 503 repeated 1 times; network repeated 2 times", "WARN writing to S failed and is repeated; WARN writing to S failed and is repeated; WARN writing to S failed and is repeated"},
		{"slow with one point", 1, func(i int, _ string) error {
			if i < 3 {
				return Answer(http.StatusGatewayTimeout, "")
			}
			return nil
		}, "0|0|0|0; 504 repeated 3 times", "WARN writing to S failed and is repeated"},
		{"a line that cannot be sent", 2, func(_ int, v string) error {
			if has(v, "1") {
				return PointError("too long")
			}
			return nil
		}, "0 1|0|1; 1 rejected topic too long", "ERROR S refuses points permanently"},
	} {
		var log bytes.Buffer
		dead := new(letters)
		var asked []string
		ctx, cancel := context.WithCancelCause(t.Context())
		sink := New(Config{
			BatchSize: 8, Server: "S", Repair: "R", Topic: "topic", DeadLetters: dead, Log: slog.New(slog.NewTextHandler(&log, nil)),
			Classify: Classifier{Lost: regexp.MustCompile("outside retention"), Points: regexp.MustCompile("^unable to parse"), Dropped: regexp.MustCompile(`dropped=(\d+)`)},
			Attempt: func(_ context.Context, lines []byte) error {
				asked = append(asked, valuesOf(lines))
				if len(asked) > most {
					cancel(errors.New("endless requests"))
				}
				return c.answer(min(len(asked)-1, most), valuesOf(lines))
			},
		})
		sink.SetPauses(Pauses{})
		if err := sink.Write(ctx, points(c.points)); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		got := append([]string{strings.Join(asked, "|")}, dead.values...)
		stats := sink.Stats()
		for _, reason := range []string{"400", "401", "404", "429", "503", "504", "network"} {
			if n := stats.Retries[reason]; n > 0 {
				got = append(got, fmt.Sprintf("%s repeated %d times", reason, n))
			}
		}
		cancel(nil)
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, text, c.want)
		}
		var logged []string
		for line := range strings.Lines(log.String()) {
			m := regexp.MustCompile(`level=(\w+) msg="([^"]*)"`).FindStringSubmatch(line)
			logged = append(logged, m[1]+" "+m[2])
		}
		if text := strings.Join(logged, "; "); text != c.logged {
			t.Errorf("%s: logged\ngot  %s\nwant %s", c.name, text, c.logged)
		}
		if stats.Written != int64(c.points-len(dead.values)) || stats.Rejected != int64(len(dead.values)) || stats.Problem != "" || sink.Problem() != "" {
			t.Errorf("%s: %+v", c.name, stats)
		}
	}
}

type timeoutError struct{}

func (timeoutError) Error() string { return "i/o timeout" }
func (timeoutError) Timeout() bool { return true }

// TestWriteEnds: the end of the context and an error of the dead letters end a batch, and the last failure is the
// problem of the output.
func TestWriteEnds(t *testing.T) {
	stop := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	sink := New(Config{BatchSize: 8, Server: "S", Log: slog.New(slog.DiscardHandler), Attempt: func(context.Context, []byte) error {
		return errors.New("gone")
	}})
	sink.SetPauses(Pauses{time.Hour, time.Hour})
	time.AfterFunc(10*time.Millisecond, func() { cancel(stop) })
	if err := sink.Write(ctx, points(1)); !errors.Is(err, stop) || sink.Problem() != "S: gone" {
		t.Errorf("%v, problem %q", err, sink.Problem())
	}
	if err := sink.Write(ctx, points(1)); !errors.Is(err, stop) {
		t.Error(err)
	}
	full := errors.New("full")
	sink = New(Config{BatchSize: 8, Log: slog.New(slog.DiscardHandler), DeadLetters: &letters{err: full}, Attempt: func(context.Context, []byte) error { return PointError("x") }})
	if err := sink.Write(t.Context(), points(1)); !errors.Is(err, full) || err.Error() != "write dead letters: full" {
		t.Error(err)
	}
	sink = New(Config{BatchSize: 8, Log: slog.New(slog.DiscardHandler), Attempt: func(context.Context, []byte) error { return PointError("x") }})
	if err := sink.Write(t.Context(), points(2)); err != nil || sink.Stats().Rejected != 2 || sink.Stats().Written != 0 {
		t.Errorf("without dead letters: %v, %+v", err, sink.Stats())
	}
}
