package influx

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/orffvar/forecaster/stream"
)

// action is what to do about a failed request.
type action int

const (
	retry  action = iota // send it again
	split                // send its halves
	refuse               // find out whether the points or the configuration are at fault
	block                // send it again, and say that somebody has to act
)

// failure is what is known of a failed request.
type failure struct {
	action  action
	reason  string        // the status, or "network"
	text    string        // what the server said
	after   time.Duration // what it asks to wait; 0 = nothing
	dropped int           // how many points it says it has dropped; 0 = unknown
	slow    bool          // the request took too long
}

// classify finds what to do about an error of the client.
func classify(err error, now time.Time) failure {
	var e *answerError
	if !errors.As(err, &e) {
		return failure{action: retry, reason: "network", text: networkText(err), slow: timedOut(err)}
	}
	message := e.message()
	return failure{
		action:  e.action(message),
		reason:  strconv.Itoa(e.status),
		text:    e.Error(),
		after:   retryAfter(e.header.Get("Retry-After"), now),
		dropped: dropped(message),
		slow:    e.status == http.StatusRequestTimeout || e.status == http.StatusGatewayTimeout,
	}
}

// action is what to do about an answer with the given message.
func (e *answerError) action(message string) action {
	switch {
	case strings.Contains(message, "beyond retention policy"), strings.Contains(message, "outside retention policy"):
		return split // some versions say 500
	case e.status == http.StatusRequestTimeout, e.status == http.StatusTooManyRequests, e.status >= 500:
		return retry
	case e.page():
		return block
	case e.status == http.StatusRequestEntityTooLarge:
		return split
	case e.status != http.StatusBadRequest && e.status != http.StatusUnprocessableEntity:
		return block
	case namesPoints.MatchString(message), namesPoints.Match(e.body):
		return split
	default:
		return refuse
	}
}

// namesPoints matches the messages of InfluxDB 1, 2 and 3 that are about certain points
// of a request, not about the request.
var namesPoints = regexp.MustCompile(`unable to parse '|partial write|\bdropped[= ]\d|line_number|"line":`)

// timedOut reports whether a server that could be reached did not answer in time.
func timedOut(err error) bool {
	var e interface{ Timeout() bool }
	var op *net.OpError
	return errors.As(err, &e) && e.Timeout() && !(errors.As(err, &op) && op.Op == "dial")
}

// networkText leaves out what differs between two errors of a kind.
func networkText(err error) string {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Op + ": " + op.Err.Error()
	}
	return err.Error()
}

// droppedCount matches "partial write: ... dropped=12".
var droppedCount = regexp.MustCompile(`\bdropped[= ](\d+)`)

func dropped(message string) int {
	m := droppedCount.FindStringSubmatch(message)
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return 0
	}
	return n
}

// longestWait is the longest pause that a server can ask for.
const longestWait = 10 * time.Minute

// retryAfter reads a Retry-After header: seconds, or a date. What cannot be
// read counts as nothing.
func retryAfter(header string, now time.Time) time.Duration {
	header = strings.TrimSpace(header)
	if seconds, err := strconv.ParseInt(header, 10, 64); err == nil {
		if seconds > int64(longestWait/time.Second) {
			return longestWait
		}
		return time.Duration(max(0, seconds)) * time.Second
	}
	if date, err := http.ParseTime(header); err == nil {
		return min(max(0, date.Sub(now)), longestWait)
	}
	return 0
}

// firstPause and lastPause bound the pauses that nobody has asked for.
const (
	firstPause = 250 * time.Millisecond
	lastPause  = 30 * time.Second
)

// backoff is a pause that doubles with every failure, with jitter.
type backoff struct{ next, last time.Duration }

// pause waits between half and all of the current step or, if that is longer,
// what the server has asked for and a little more.
func (b *backoff) pause(ctx context.Context, atLeast time.Duration) error {
	step := b.next
	b.next = min(2*step, b.last)
	for wait := max(step/2, atLeast) + rand.N(step/2); wait > 0; wait -= signOfLife {
		stream.Heartbeat(ctx)
		t := time.NewTimer(min(wait, signOfLife))
		select {
		case <-ctx.Done():
			t.Stop()
			return context.Cause(ctx)
		case <-t.C:
		}
	}
	return nil
}

// signOfLife is the time between two calls of stream.Heartbeat.
const signOfLife = 30 * time.Second
