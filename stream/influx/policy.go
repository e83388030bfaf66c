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

	influxhttp "github.com/influxdata/influxdb-client-go/v2/api/http"

	"github.com/orffvar/forecaster/stream"
)

// action is what to do about a failed request.
type action int

const (
	retry action = iota // again, as it is
	split               // in two halves
	block               // again, but somebody has to act
)

// failure is what is known of a failed request.
type failure struct {
	action  action
	reason  string        // the status, or "network"
	text    string        // what the server said
	after   time.Duration // what it asks to wait; 0 = nothing
	dropped int           // how many points it says it has dropped; 0 = unknown
}

// classify finds what to do about an error of the client.
func classify(err error, now time.Time) failure {
	var e *influxhttp.Error
	if !errors.As(err, &e) || e.StatusCode == 0 {
		return failure{action: retry, reason: "network", text: networkText(err)}
	}
	f := failure{
		reason: strconv.Itoa(e.StatusCode),
		text:   strconv.Itoa(e.StatusCode) + " " + http.StatusText(e.StatusCode),
		after:  retryAfter(e.Header.Get("Retry-After"), now),
	}
	// An answer whose body could not be parsed has the parser's error in Err.
	if e.Message == "" {
		e.Message = e.Header.Get("X-Influxdb-Error")
	}
	if e.Message != "" {
		f.text += ": " + e.Message[:min(len(e.Message), 1000)]
	}
	f.dropped = dropped(e.Message)
	switch code := e.StatusCode; {
	case strings.Contains(e.Message, "beyond retention policy"), strings.Contains(e.Message, "outside retention policy"):
		f.action = split // some versions say 500
	case code == http.StatusRequestTimeout, code == http.StatusTooManyRequests, code >= 500:
		f.action = retry
	case strings.HasPrefix(e.Header.Get("Content-Type"), "text/html"):
		f.action = block // this is not InfluxDB speaking of its points
	case code == http.StatusBadRequest, code == http.StatusUnprocessableEntity, code == http.StatusRequestEntityTooLarge:
		f.action = split
	default:
		f.action = block
	}
	return f
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
