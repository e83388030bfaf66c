package faultsim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/delivery"
	"github.com/orffvar/forecaster/stream/influx"
)

// database is the server behind the real delivery.Sink of every worker. The seed draws its properties.
type database struct {
	quota   bool // true: it refuses some series permanently, and for a while requests with too many points
	forgets bool // true: it keeps points only after a while; a kill loses newer points
	batch   int  // lines in a request

	outage  int // step at which an outage ends
	refusal int // step at which a refusal ends

	delayed [][]byte        // delayed writes that have not arrived
	recent  map[string]bool // points that a kill would lose
	lives   int             // number of kills
}

// drawDatabase draws the properties of the database.
func (s *sim) drawDatabase() {
	s.db = database{batch: 10 + s.rng.IntN(200), quota: s.rng.IntN(5) == 0, forgets: s.rng.IntN(4) == 0, recent: make(map[string]bool)}
	if s.quiet() || s.o.Only != "" && s.o.Only != Quotas && s.o.Only != Forgetting { // fewer effects
		s.db.quota, s.db.forgets = false, false
	}
}

// databaseEvents draws the events of the database in one step.
func (s *sim) databaseEvents() {
	if s.chance(Outages, 400) {
		s.db.outage = s.step + s.rng.IntN(600)
	}
	if s.chance(Refusals, 400) {
		s.db.refusal = s.step + s.rng.IntN(600)
	}
	if !s.db.forgets {
		return
	}
	if s.rng.IntN(100) == 0 {
		clear(s.db.recent) // it has kept all of it
	}
	if s.chance(Forgetting, 300) {
		s.trace("the database is killed and forgets %d points", len(s.db.recent))
		for key := range s.db.recent {
			delete(s.have.points, key)
		}
		clear(s.db.recent)
		s.db.lives++
		s.result.Forgotten++
	}
}

// excluded reports whether the database refuses the series of a point permanently.
func (s *sim) excluded(key string) bool {
	if !s.db.quota {
		return false
	}
	h := fnv.New32a()
	_, _ = io.WriteString(h, key[:strings.LastIndexByte(key, ' ')]) // a hash takes everything
	return h.Sum32()%5 == 0
}

// accept applies the lines that the quota allows, and returns the number of dropped lines.
func (s *sim) accept(lines []byte) (dropped int) {
	n := bytes.Count(lines, []byte("\n"))
	most := n
	if s.db.quota && n > 1 && s.chance(Quotas, 12) {
		most = s.rng.IntN(n) // the others come too soon
	}
	var admitted []byte
	for line := range bytes.Lines(lines) {
		if key, _ := splitLine(line); s.excluded(key) || most == 0 {
			dropped++
			continue
		}
		most--
		admitted = append(admitted, line...)
	}
	s.apply(admitted)
	return dropped
}

var errLost = errors.New("faultsim: the answer is lost")

// serve answers a request. It returns nil if all lines are accepted.
func (s *sim) serve(lines []byte) error {
	db := &s.db
	switch {
	case db.outage > s.step, s.chance(Requests, 10): // lost on the way
		return errLost
	case db.refusal > s.step:
		return delivery.Answer(400, "not now")
	case s.chance(Requests, 20):
		return delivery.Answer(503, "busy")
	case s.chance(Requests, 20):
		return delivery.Answer(500, `{"error":"timeout"}`)
	case s.chance(Requests, 20) && bytes.Count(lines, []byte("\n")) > 1:
		return delivery.Answer(413, "")
	case s.chance(Replies, 10): // applied, and the answer lost
		s.accept(lines)
		return errLost
	case s.chance(Requests, 12): // applied in part
		n := s.rng.IntN(len(lines))
		s.accept(lines[:bytes.LastIndexByte(lines[:n+1], '\n')+1])
		return errLost
	case s.chance(Delays, 12): // will arrive much later
		db.delayed = append(db.delayed, bytes.Clone(lines))
		return errLost
	case s.chance(Delays, 12): // will arrive a second time
		db.delayed = append(db.delayed, bytes.Clone(lines))
	}
	if dropped := s.accept(lines); dropped > 0 && s.o.Bug != PartialAccepted {
		s.result.Partial++
		return delivery.Answer(400, fmt.Sprintf(`{"error":"partial write: max-series-per-database limit exceeded: (60) dropped=%d"}`, dropped))
	}
	return nil
}

// connection is the link of one worker to the database, with a delivery.Sink of its own.
type connection struct {
	*delivery.Sink
	w      *worker
	link   *delivery.Link
	life   int    // number of kills of the database when the connection was opened
	unsent []byte // lines that CommitBeforeAck has not sent yet
}

// never is a Settle time that does not pass, because the clock of a simulation stands still.
const never = time.Hour

func (w *worker) connect() *connection {
	s := w.sim
	c := &connection{w: w, link: &delivery.Link{}, life: -1}
	config := delivery.Config{
		Attempt: c.attempt, Classify: influx.Classifier, Name: "database", Server: "the database", Topic: databaseTopic,
		BatchSize: s.db.batch, Link: c.link, Encoder: encoder(s.o.Seed), DeadLetters: letters{w}, Log: slog.New(slog.DiscardHandler),
	}
	if s.db.forgets {
		config.Settle = never
	}
	switch s.o.Bug {
	case BlanketCulprits:
		config.Classify.Points = regexp.MustCompile("")
	case QuotaCulprits:
		config.Classify.Quota = nil
	case SettledAtOnce:
		config.Settle = 0
	}
	c.Sink = delivery.New(config)
	c.SetPauses(delivery.Pauses{})
	s.connections = append(s.connections, c)
	return c
}

const databaseTopic = "database" // topic of dead letters

// Write implements stream.Sink.
func (c *connection) Write(_ context.Context, b *stream.Batch) error { return c.Sink.Write(c.w.ctx, b) }

// Close implements stream.Sink.
func (c *connection) Close() error {
	c.End()
	return nil
}

// Resume implements checkpoint.Positioner.
func (c *connection) Resume(at checkpoint.Positions) error {
	if c.w.sim.o.Bug == UnsettledForgotten {
		return nil
	}
	return c.Sink.Resume(at)
}

// attempt sends lines as an effect.
func (c *connection) attempt(_ context.Context, lines []byte) error {
	w := c.w
	if w.giveUp() {
		w.cancel(errDrain)
		return errDrain
	}
	if w.sim.o.Bug == CommitBeforeAck {
		if lines, c.unsent = c.unsent, bytes.Clone(lines); len(lines) == 0 {
			return nil
		}
	}
	var answer error
	err := w.effect(fmt.Sprintf("write %d lines", bytes.Count(lines, []byte("\n"))), func() error {
		if c.life != w.sim.db.lives && w.sim.o.Bug != ConnectionUnwatched {
			c.life = w.sim.db.lives
			c.link.Connected()
		}
		answer = w.sim.serve(lines)
		return nil
	})
	if err != nil {
		w.cancel(err)
		return err
	}
	if w.sim.o.Bug == ClearBeforeSend {
		return nil // a request is not sent again after a failure
	}
	return answer
}
