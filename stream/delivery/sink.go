package delivery

import (
	"bytes"
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/lineproto"
)

// Config describes the requests.
type Config struct {
	// Attempt sends lines once, and returns nil when the server has accepted all points.
	Attempt func(ctx context.Context, lines []byte) error

	Classify Classifier

	Name   string // of the output in checkpoints
	Server string // in messages, such as "InfluxDB"
	Repair string // what to check when the server accepts nothing
	Topic  string // of dead letters, such as "influxdb bucket"
	Attrs  []any  // of the log lines about requests

	// BatchSize is the largest number of lines in a request.
	BatchSize int

	// Settle is the time after which the server keeps what it has accepted; 0 = by the product
	// that Link has noticed.
	Settle time.Duration
	Link   *Link // of the Client that Attempt uses

	// Encoder makes lines of points.
	Encoder lineproto.Encoder

	// DeadLetters keeps the points that the server refuses; nil means that they
	// are only counted and logged.
	DeadLetters stream.DeadLetters

	// Log receives what an operator should know; nil means slog.Default().
	Log *slog.Logger
}

// Sink is a stream.Sink and a checkpoint.Positioner without Close. Write and SetBatchSize are for one goroutine; the other
// methods are for any.
type Sink struct {
	config Config
	size   int       // lines in a request: BatchSize, less for a slow server
	calm   int       // requests accepted since size was reduced
	bufs   [2][]byte // requests: one under way, one being encoded
	pauses Pauses

	busy     sync.Mutex // a request is under way: of Write, or of whenIdle
	settling settling
	life     context.Context // until End
	end      func()

	mu     sync.Mutex
	stats  Stats
	logged time.Time // when the last failure was
}

// Stats are the counters of a Sink since its start.
type Stats struct {
	Written   int64            // lines that the server has accepted
	Rejected  int64            // lines that it has refused for good
	Unsettled int64            // lines accepted that it may not have kept yet
	Retries   map[string]int64 // requests that were repeated, by their status or "network"
	Problem   string           // why the last request failed; "" after a success
}

// New returns a Sink.
func New(c Config) *Sink {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	s := &Sink{config: c, size: c.BatchSize, pauses: Pauses{250 * time.Millisecond, 30 * time.Second}, stats: Stats{Retries: make(map[string]int64)}}
	s.life, s.end = context.WithCancel(context.Background())
	return s
}

// SetBatchSize changes the largest number of lines in a request; 0 leaves it.
func (s *Sink) SetBatchSize(n int) {
	if n = cmp.Or(n, s.config.BatchSize); n != s.config.BatchSize {
		s.config.BatchSize, s.size = n, n
	}
}

// SetPauses changes the pauses between repeated requests.
func (s *Sink) SetPauses(p Pauses) { s.pauses = p }

// Stats may be called at any time from any goroutine.
func (s *Sink) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.stats
	c.Retries = maps.Clone(c.Retries)
	return c
}

// Problem returns why the last request failed; "" after a success. It may be called from
// any goroutine.
func (s *Sink) Problem() string {
	if p := s.Stats().Problem; p != "" {
		return s.config.Server + ": " + p
	}
	return ""
}

// Write returns when every point of b was accepted, or refused permanently and kept as a
// dead letter; when ctx ends, it returns the cause of ctx. The next request is encoded
// while one is under way.
func (s *Sink) Write(ctx context.Context, b *stream.Batch) error {
	s.busy.Lock()
	defer s.busy.Unlock()
	if s.settling.idle != nil {
		s.settling.idle.Stop()
	}
	defer s.whenIdle()
	defer s.count()
	c := chunks{encoder: s.config.Encoder, left: *b}
	s.bufs[0] = c.next(s.bufs[0], s.size)
	for i := 0; len(s.bufs[i]) > 0; i = 1 - i {
		encoded := make(chan struct{})
		size := s.size // send may change it
		go func() {
			defer close(encoded)
			s.bufs[1-i] = c.next(s.bufs[1-i], size)
		}()
		r := request{Sink: s}
		err := r.send(ctx, s.bufs[i])
		<-encoded
		if err != nil {
			return err
		}
	}
	return nil
}

// shrink makes requests smaller, for a server that took too long for larger ones.
func (s *Sink) shrink(lines int) { s.size, s.calm = min(s.size, lines), 0 }

// calmRequests is the number of requests that must be accepted before their size is
// doubled again: a larger request can cost as much time as slowAnswers timeouts.
const calmRequests = 50

// accepted counts lines.
func (s *Sink) accepted(lines []byte) {
	if s.calm++; s.calm%calmRequests == 0 {
		s.size = min(2*s.size, s.config.BatchSize)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.Written += int64(bytes.Count(lines, newline))
	s.stats.Problem = ""
}

// failed counts a failure and logs each new kind of it, and an old one every
// minute.
func (s *Sink) failed(f *failure, level slog.Level, message string) {
	s.mu.Lock()
	s.stats.Retries[f.reason]++
	fresh := s.stats.Problem != f.text || time.Since(s.logged) > time.Minute
	if fresh {
		s.logged = time.Now()
	}
	s.stats.Problem = f.text
	s.mu.Unlock()
	if fresh {
		s.config.Log.Log(context.Background(), level, message, append(slices.Clone(s.config.Attrs), "reason", f.reason, "error", f.text)...)
	}
}
