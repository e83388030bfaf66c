package delivery

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

// Classifier knows what the messages of a server mean.
type Classifier struct {
	// Lost matches messages about points that no later request can bring in, whatever the status.
	Lost *regexp.Regexp

	// Points matches messages that are about certain points of a request, not about the request.
	Points *regexp.Regexp

	// Dropped has the number of points that the server says it has dropped as its first
	// group; nil = it never says.
	Dropped *regexp.Regexp

	// Quota matches messages about more than a server takes, which drop points together with others
	// that it takes alone; nil = there are none.
	Quota *regexp.Regexp
}

// PointError is the error of Attempt for a request that it does not send because one of its lines
// cannot be sent.
type PointError string

func (e PointError) Error() string { return string(e) }

// action is the reaction to a failed request.
type action int

const (
	retry   action = iota // send it again
	split                 // send its halves
	examine               // find out whether the points or the configuration are at fault
	block                 // send it again, and say that somebody has to act
)

// failure describes a failed request.
type failure struct {
	action  action
	reason  string        // the status, or "network"
	text    string        // what the server said
	after   time.Duration // what it asks to wait; 0 = nothing
	dropped int           // how many points it says it has dropped; 0 = unknown
	slow    bool          // the request took too long
}

// Explain returns why a request failed, and whether the reason may pass.
func (c Classifier) Explain(err error) (text string, passing bool) {
	f := c.classify(err, time.Now())
	return f.text, f.action == retry
}

// classify finds what to do about an error of the client.
func (c Classifier) classify(err error, now time.Time) failure {
	var e *AnswerError
	var p PointError
	switch {
	case errors.As(err, &p):
		return failure{action: split, reason: "points", text: p.Error()}
	case !errors.As(err, &e):
		return failure{action: retry, reason: "network", text: networkText(err), slow: timedOut(err)}
	}
	message := e.message()
	return failure{
		action:  c.action(e, message),
		reason:  strconv.Itoa(e.status),
		text:    e.Error(),
		after:   retryAfter(e.header.Get("Retry-After"), now),
		dropped: c.dropped(message),
		slow: e.status == http.StatusRequestTimeout || e.status == http.StatusGatewayTimeout ||
			e.status >= http.StatusInternalServerError && timeout.MatchString(message),
	}
}

// timeout matches what servers say that gave up.
var timeout = regexp.MustCompile(`(?i)\btime(d )?-?out\b`)

// action returns the reaction to an answer with the given message.
func (c Classifier) action(e *AnswerError, message string) action {
	switch {
	case c.Lost.MatchString(message):
		return split
	case e.status == http.StatusRequestTimeout, e.status == http.StatusTooManyRequests, e.status >= 500:
		return retry
	case e.page():
		return block
	case e.status == http.StatusRequestEntityTooLarge:
		return split
	case e.status != http.StatusBadRequest && e.status != http.StatusUnprocessableEntity:
		return block
	case c.Points.MatchString(message), c.Points.Match(e.body):
		return split
	default:
		return examine
	}
}

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

func (c Classifier) dropped(message string) int {
	if c.Dropped == nil || c.Quota != nil && c.Quota.MatchString(message) {
		return 0
	}
	m := c.Dropped.FindStringSubmatch(message)
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

// Pauses between repeated requests begin with First and double up to Last, with jitter; the zero value has none.
type Pauses struct{ First, Last time.Duration }

// pause waits between half and all of the current step or, if that is longer,
// what the server has asked for and a little more.
func (p *Pauses) pause(ctx context.Context, atLeast time.Duration) error {
	step := p.First
	p.First = min(2*step, p.Last)
	wait := max(step/2, atLeast)
	if step > 1 {
		wait += rand.N(step / 2)
	}
	for ; wait > 0; wait -= signOfLife {
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
