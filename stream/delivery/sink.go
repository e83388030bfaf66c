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

// Config configures a Sink.
type Config struct {
	// Attempt sends lines once. It returns nil if the server has accepted all points.
	Attempt func(ctx context.Context, lines []byte) error

	Classify Classifier

	Name   string // name of the output in checkpoints
	Server string // name in messages, such as "InfluxDB"
	Repair string // advice for the case that the server accepts nothing
	Topic  string // topic of dead letters, such as "influxdb bucket"
	Attrs  []any  // attributes of log lines about requests

	// BatchSize is the largest number of lines in a request.
	BatchSize int

	// Settle is the time until the server has stored accepted points; 0 = default of the product recognised by
	// Link.
	Settle time.Duration
	Link   *Link // Link of the Client that Attempt uses

	// Encoder encodes points as lines.
	Encoder lineproto.Encoder

	// DeadLetters stores refused points. Nil: they are only counted and logged.
	DeadLetters stream.DeadLetters

	// Log receives messages for operators; nil means slog.Default().
	Log *slog.Logger
}

// Sink is a stream.Sink and a checkpoint.Positioner, except for Close. Write and SetBatchSize belong to one
// goroutine; any goroutine may call the other methods.
type Sink struct {
	config Config
	size   int       // lines per request: BatchSize, or less for a slow server
	calm   int       // number of requests accepted since size was reduced
	bufs   [2][]byte // two requests: one under way, one being encoded
	pauses Pauses

	busy     sync.Mutex // held during a request of Write or of whenIdle
	settling settling
	life     context.Context // ends with End
	end      func()

	mu     sync.Mutex
	stats  Stats
	logged time.Time // time at which the last failure was logged
}

// Stats holds the counters of a Sink since its start.
type Stats struct {
	Written   int64            // lines accepted
	Rejected  int64            // lines permanently refused
	Unsettled int64            // accepted lines that the server may not have stored yet
	Retries   map[string]int64 // repeated requests by status or "network"
	Problem   string           // reason for the failure of the last request; "" after a success
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

// SetBatchSize changes the largest number of lines per request; 0 leaves it unchanged.
func (s *Sink) SetBatchSize(n int) {
	if n = cmp.Or(n, s.config.BatchSize); n != s.config.BatchSize {
		s.config.BatchSize, s.size = n, n
	}
}

// SetPauses changes the pauses between repeated requests.
func (s *Sink) SetPauses(p Pauses) { s.pauses = p }

// Stats returns the present counters. Any goroutine may call it at any time.
func (s *Sink) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.stats
	c.Retries = maps.Clone(c.Retries)
	return c
}

// Problem returns the reason for the failure of the last request, "" after a success. Any goroutine may call it.
func (s *Sink) Problem() string {
	if p := s.Stats().Problem; p != "" {
		return s.config.Server + ": " + p
	}
	return ""
}

// Write returns when every point of b is accepted, or permanently refused and stored as a dead letter. When ctx
// ends it returns the cause of ctx. The next request is encoded while the previous one is under way.
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
		size := s.size // a copy, because send may change s.size
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

// shrink reduces the size of requests to a number of lines, for a server that was too slow with more.
func (s *Sink) shrink(lines int) { s.size, s.calm = min(s.size, lines), 0 }

// calmRequests is the number of accepted requests before their size doubles again. A larger request can cost
// slowAnswers timeouts.
const calmRequests = 50

// accepted counts accepted lines.
func (s *Sink) accepted(lines []byte) {
	if s.calm++; s.calm%calmRequests == 0 {
		s.size = min(2*s.size, s.config.BatchSize)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.Written += int64(bytes.Count(lines, newline))
	s.stats.Problem = ""
}

// failed counts a failure. It logs each new kind of failure, and a known one once per minute.
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
