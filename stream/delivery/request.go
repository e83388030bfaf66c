package delivery

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/refuse"
)

// request holds the lines of one request until each is accepted or becomes a dead letter.
type request struct {
	*Sink

	// witness is an accepted line of this request; nil = none yet. It tells whether points or the configuration are
	// at fault when a refusal names no point. As long as the server accepts the witness, points are at fault.
	witness []byte
}

// slowAnswers is the number of consecutive timeouts after which lines are sent in halves.
const slowAnswers = 2

// send writes lines. It sends parts of them if there are too many or if some are at fault.
func (r *request) send(ctx context.Context, lines []byte) error {
	n := bytes.Count(lines, newline)
	pauses := r.pauses
	slow := 0
	for {
		if n > r.size { // r.size has shrunk, because a part of the request was too slow
			return r.halve(ctx, lines, n)
		}
		f, err := r.attempt(ctx, lines)
		switch {
		case err != nil:
			return err
		case f == nil:
			r.accepted(lines)
			return nil
		case f.action == examine:
			if f, err = r.findFault(ctx, lines, n, f); f == nil {
				return err
			}
		}
		if slow++; !f.slow {
			slow = 0
		}
		if slow == slowAnswers {
			r.shrink((n + 1) / 2)
		}
		switch f.action {
		case split:
			if n > 1 && f.dropped < n {
				return r.halve(ctx, lines, n)
			}
			return r.reject(ctx, lines, n, f)
		case retry:
			r.failed(f, slog.LevelWarn, "writing to "+r.config.Server+" failed and is repeated")
		default:
			r.failed(f, slog.LevelError, r.config.Server+" accepts no points: check "+r.config.Repair+"; nothing is dropped, and writing is repeated")
		}
		if err := pauses.pause(ctx, f.after); err != nil {
			return err
		}
	}
}

// attempt sends lines once, and unsettled lines again if needed. It returns the failure if the server did not
// accept them, the cause of ctx if ctx ended, and otherwise nil, nil.
func (r *request) attempt(ctx context.Context, lines []byte) (*failure, error) {
	if err := r.room(ctx, lines); err != nil {
		return nil, err
	}
	f, err := r.once(ctx, lines)
	if f != nil || err != nil {
		return f, err
	}
	return r.settle(ctx, lines)
}

// once sends one request.
func (r *request) once(ctx context.Context, lines []byte) (*failure, error) {
	stream.Heartbeat(ctx)
	err := r.config.Attempt(ctx, lines)
	switch {
	case err == nil:
		return nil, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	f := r.config.Classify.classify(err, time.Now())
	return &f, nil
}

// probes is the number of lines that are sent alone to find a witness.
const probes = 16

// findFault finds the fault behind a refusal that names no point. It returns f with the action split if points are
// at fault, and with the action block if the configuration is. If another failure comes in between, it returns that
// one. It returns nil if a single line was accepted in the end.
func (r *request) findFault(ctx context.Context, lines []byte, n int, f *failure) (*failure, error) {
	switch {
	case n > 1 && r.witness == nil:
		if g, err := r.findWitness(ctx, lines, n); g != nil || err != nil {
			return g, err
		}
	case n == 1 && r.witness != nil:
		return r.confront(ctx, lines)
	}
	f.action = block
	if r.witness != nil {
		f.action = split
	}
	return f, nil
}

// confront sends the witness, then the refused line again. The line is at fault if it is refused after the witness
// was accepted.
func (r *request) confront(ctx context.Context, line []byte) (*failure, error) {
	f, err := r.attempt(ctx, r.witness)
	if err != nil {
		return nil, err
	}
	verdict := block
	if f == nil || f.action == split { // split: the server reads points, and has the witness already
		verdict = split
		if f, err = r.attempt(ctx, line); err != nil {
			return nil, err
		}
	}
	switch {
	case f == nil:
		r.accepted(line)
	case f.action == examine:
		f.action = verdict
	}
	return f, nil
}

// findWitness sends single lines, spread over all n, until the server accepts one. The refusal is then about other
// lines. It returns a failure that does not depend on the content of the line.
func (r *request) findWitness(ctx context.Context, lines []byte, n int) (*failure, error) {
	k := min(n, probes)
	rest, at := lines, 0
	for i := range k {
		next := i * (n - 1) / (k - 1)
		_, rest = cut(rest, next-at)
		at = next
		line, _ := cut(rest, 1)
		f, err := r.attempt(ctx, line)
		switch {
		case err != nil:
			return nil, err
		case f == nil:
			r.witness = bytes.Clone(line)
			return nil, nil
		case f.action != examine:
			return f, nil
		}
	}
	return nil, nil
}

// halve sends n lines in two halves.
func (r *request) halve(ctx context.Context, lines []byte, n int) error {
	first, second := cut(lines, (n+1)/2)
	if err := r.send(ctx, first); err != nil {
		return err
	}
	return r.send(ctx, second)
}

// reject turns n lines into dead letters.
func (r *request) reject(ctx context.Context, lines []byte, n int, f *failure) error {
	r.config.Log.Error(r.config.Server+" refuses points permanently", "count", n, "first", firstLine(lines), "error", f.text)
	if r.config.DeadLetters != nil {
		letters := make([]stream.DeadLetter, 0, n)
		for line := range bytes.Lines(lines) {
			letters = append(letters, stream.DeadLetter{
				Message: stream.Message{Topic: r.config.Topic, Partition: -1, Value: bytes.TrimSuffix(line, newline)},
				Error:   refuse.Error{Reason: refuse.Rejected, Detail: f.text},
			})
		}
		if err := r.config.DeadLetters.WriteDeadLetters(ctx, letters); err != nil {
			return fmt.Errorf("write dead letters: %w", err)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stats.Rejected += int64(n)
	return nil
}
