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

// Classifier interprets the messages of a server.
type Classifier struct {
	// Lost matches messages about points that no later request can write, whatever the status.
	Lost *regexp.Regexp

	// Points matches messages about single points of a request, as opposed to the whole request.
	Points *regexp.Regexp

	// Dropped captures the number of dropped points in its first group. Nil: the server never reports it.
	Dropped *regexp.Regexp

	// Quota matches messages about an exceeded limit, which drop points that the server accepts in a request of
	// their own. Nil: there are none.
	Quota *regexp.Regexp
}

// PointError is the error of Attempt for a request that was not sent because one of its lines cannot be sent.
type PointError string

func (e PointError) Error() string { return string(e) }

// action is the reaction to a failed request.
type action int

const (
	retry   action = iota // repeat the request
	split                 // send its halves
	examine               // find out whether the points or the configuration are at fault
	block                 // repeat the request, and log that an operator has to act
)

// failure describes a failed request.
type failure struct {
	action  action
	reason  string        // the status, or "network"
	text    string        // message of the server
	after   time.Duration // pause that the server asks for; 0 = none
	dropped int           // number of points that the server reports as dropped; 0 = unknown
	slow    bool          // the request took too long
}

// Explain returns the reason for the failure of a request, and whether the failure may pass by itself.
func (c Classifier) Explain(err error) (text string, passing bool) {
	f := c.classify(err, time.Now())
	return f.text, f.action == retry
}

// classify turns an error of the client into a failure with its action.
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

// timeout matches messages of servers that gave up a request.
var timeout = regexp.MustCompile(`(?i)\btime(d )?-?out\b`)

// action returns the reaction to the answer e with the given message.
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

// timedOut reports whether a server could be reached but did not answer in time.
func timedOut(err error) bool {
	var e interface{ Timeout() bool }
	var op *net.OpError
	return errors.As(err, &e) && e.Timeout() && !(errors.As(err, &op) && op.Op == "dial")
}

// networkText returns the text of a network error without the parts that differ between errors of one kind.
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

// retryAfter parses a Retry-After header, seconds or a date. An invalid header means 0.
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

// Pauses between repeated requests begin with First and double up to Last, with jitter. The zero value means no
// pauses.
type Pauses struct{ First, Last time.Duration }

// pause waits between half and all of the current step. If the server asks for a longer pause, it waits for
// slightly longer than that.
func (p *Pauses) pause(ctx context.Context, atLeast time.Duration) error {
	step := p.First
	p.First = min(2*step, p.Last)
	wait := max(step/2, atLeast) + rand.N(step/2+1)
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
