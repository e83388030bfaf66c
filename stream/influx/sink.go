package influx

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	influxdb2 "github.com/influxdata/influxdb-client-go/v2"
	"github.com/influxdata/influxdb-client-go/v2/api"

	"github.com/orffvar/forecaster/internal/secret"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/lineproto"
)

// Config says where the points go.
type Config struct {
	URL    string      // http://host:8086
	Token  secret.Text // user:password on 1.8
	Org    string      // ignored by 1.8
	Bucket string      // database or database/policy on 1.8

	// BatchSize is the largest number of lines in a request; 0 means 5,000.
	BatchSize int

	// Timeout is the time that one request may take; 0 means 30 s.
	Timeout time.Duration

	// Encoder makes lines of points.
	Encoder lineproto.Encoder

	// DeadLetters keeps the points that the server refuses; nil means that they
	// are only counted and logged.
	DeadLetters stream.DeadLetters

	// Log receives what an operator should know; nil means slog.Default().
	Log *slog.Logger
}

// Sink is a stream.Sink. Write, Ping and Check are for one goroutine; the other
// methods are for any.
type Sink struct {
	config Config
	*connection
	changed atomic.Pointer[Change] // to be done by the next request
	size    int                    // lines in a request: BatchSize, less for a slow server
	calm    int                    // requests accepted since size was reduced
	bufs    [2][]byte              // requests: one under way, one being encoded
	pauses  backoff                // as they are before a first failure

	mu     sync.Mutex
	stats  Stats
	logged time.Time // when the last failure was
}

var _ stream.Sink = (*Sink)(nil)

// Stats are the counters of a Sink since its start.
type Stats struct {
	Written  int64            // lines that the server has accepted
	Rejected int64            // lines that it has refused for good
	Retries  map[string]int64 // requests that were repeated, by their status or "network"
	Problem  string           // why the last request failed; "" after a success
}

// New returns a Sink that has not connected yet.
func New(c Config) (*Sink, error) {
	if err := secret.CheckURL(c.URL); err != nil {
		return nil, fmt.Errorf("influx: URL %w; credentials belong in Token", err)
	}
	if c.Bucket == "" {
		return nil, errors.New("influx: Bucket must not be empty")
	}
	if c.BatchSize < 0 || c.Timeout < 0 {
		return nil, fmt.Errorf("influx: BatchSize and Timeout must be >= 0, got %d and %v", c.BatchSize, c.Timeout)
	}
	c.BatchSize = cmp.Or(c.BatchSize, 5000)
	c.Timeout = cmp.Or(c.Timeout, 30*time.Second)
	if c.Log == nil {
		c.Log = slog.Default()
	}
	c.Org = cmp.Or(c.Org, "-") // InfluxDB 2 says that there is no such organisation, instead of refusing the points
	return &Sink{
		config: c, connection: connect(c),
		size:   c.BatchSize,
		pauses: backoff{firstPause, lastPause},
		stats:  Stats{Retries: make(map[string]int64)},
	}, nil
}

// connection is how a Sink reaches the server.
type connection struct {
	http   strictClient
	client influxdb2.Client
	writer api.WriteAPIBlocking
}

func connect(c Config) *connection {
	httpClient := newStrictClient(c.Timeout)
	options := influxdb2.DefaultOptions().
		SetPrecision(time.Nanosecond).
		SetApplicationName("forecaster")
	options.HTTPOptions().SetHTTPDoer(httpClient)
	client := influxdb2.NewClientWithOptions(c.URL, c.Token.Reveal(), options)
	return &connection{http: httpClient, client: client, writer: client.WriteAPIBlocking(c.Org, c.Bucket)}
}

func (c *connection) close() {
	c.client.Close()
	c.http.CloseIdleConnections()
}

// Change has the settings that can change while a Sink is in use, such as the token.
type Change struct {
	Token     secret.Text
	BatchSize int
	Timeout   time.Duration
}

// Change requests c from the next request on. Any goroutine may call it.
func (s *Sink) Change(c Change) { s.changed.Store(&c) }

// change does what was asked for, in the goroutine that writes.
func (s *Sink) change() {
	c := s.changed.Swap(nil)
	if c == nil {
		return
	}
	if size := cmp.Or(c.BatchSize, s.config.BatchSize); size != s.config.BatchSize {
		s.config.BatchSize, s.size = size, size
	}
	timeout := cmp.Or(c.Timeout, s.config.Timeout)
	if timeout == s.config.Timeout && c.Token.Reveal() == s.config.Token.Reveal() {
		return
	}
	s.config.Timeout, s.config.Token = timeout, c.Token
	s.close()
	s.connection = connect(s.config)
}

// Ping returns nil when the server answers. It does not check the token.
func (s *Sink) Ping(ctx context.Context) error {
	ok, err := s.client.Ping(ctx)
	if err != nil {
		return fmt.Errorf("influx: %w", err)
	}
	if !ok {
		return errors.New("influx: the server answers the ping with an error")
	}
	return nil
}

// Close releases the connections.
func (s *Sink) Close() error {
	s.close()
	return nil
}

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
		return "InfluxDB: " + p
	}
	return ""
}

// Write returns when every point of b was accepted, or refused permanently and kept as a
// dead letter; when ctx ends, it returns the cause of ctx. The next request is encoded
// while one is under way.
func (s *Sink) Write(ctx context.Context, b *stream.Batch) error {
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
		s.config.Log.Log(context.Background(), level, message, "url", s.config.URL, "bucket", s.config.Bucket, "reason", f.reason, "error", f.text)
	}
}
