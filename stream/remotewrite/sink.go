package remotewrite

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"github.com/orffvar/forecaster/internal/secret"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/delivery"
	"github.com/orffvar/forecaster/stream/lineproto"
)

// Config configures a Sink.
type Config struct {
	URL      string // http://host:9090/api/v1/write
	Username string // user of basic authentication, with Password; "" = none
	Password secret.Text
	Token    secret.Text // token of bearer authentication
	TLS      *tls.Config // nil = the system's certificates

	// BatchSize is the largest number of points in a request; 0 means 1,000. A point has one sample per field.
	BatchSize int

	// Timeout is the largest duration of one request; 0 means 30 s.
	Timeout time.Duration

	// Settle is delivery.Config.Settle.
	Settle time.Duration

	// Encoder encodes points as lines. With AtOrigin, points more than MaxAhead ahead of the clock are refused.
	// Prometheus would accept them, and then refuse scraped samples until their time.
	Encoder lineproto.Encoder

	// DeadLetters stores refused points in line protocol. Nil: they are only counted and logged.
	DeadLetters stream.DeadLetters

	// Log receives messages for operators; nil means slog.Default().
	Log *slog.Logger
}

// MaxAhead is a tenth of the hour by which the newest sample of Prometheus may lie ahead of other samples.
const MaxAhead = 6 * time.Minute

// Sink is a stream.Sink. Write and Check belong to one goroutine; any goroutine may call the other methods.
type Sink struct {
	*delivery.Sink
	config  Config
	client  delivery.Client
	encoder *encoder
	changed atomic.Pointer[Change] // change to be made before the next request
}

var _ stream.Sink = (*Sink)(nil)

// New returns a Sink that has not connected yet.
func New(c Config) (*Sink, error) {
	if err := secret.CheckURL(c.URL); err != nil {
		return nil, fmt.Errorf("remote write: URL %w", err)
	}
	if c.BatchSize < 0 || c.Timeout < 0 {
		return nil, fmt.Errorf("remote write: BatchSize and Timeout must be >= 0, got %d and %v", c.BatchSize, c.Timeout)
	}
	if c.Username != "" && !c.Token.IsZero() {
		return nil, errors.New("remote write: Username excludes Token")
	}
	c.BatchSize = cmp.Or(c.BatchSize, 1000)
	link := &delivery.Link{}
	s := &Sink{config: c, client: delivery.NewClient(cmp.Or(c.Timeout, 30*time.Second), link), encoder: newEncoder()}
	s.client.Transport.(*http.Transport).TLSClientConfig = c.TLS
	s.client.Accepts = func(r *http.Response) bool {
		return r.StatusCode/100 == 2 && !strings.HasPrefix(r.Header.Get("Content-Type"), "text/html")
	}
	s.client.Expects = "remote write is answered 2xx without a page"
	s.Sink = delivery.New(delivery.Config{
		Attempt: s.attempt, Classify: classifier, Name: "remote_write " + c.URL, Server: "remote write", Repair: "the URL, the credentials and whether the server takes remote write",
		Topic: "remote_write", Attrs: []any{"url", c.URL}, BatchSize: c.BatchSize, Settle: c.Settle, Link: link, Encoder: c.Encoder, DeadLetters: c.DeadLetters, Log: c.Log,
	})
	return s, nil
}

// classifier matches the messages of Prometheus, Mimir, Thanos and VictoriaMetrics about samples. Some versions of
// Prometheus answer with the status 500 to samples out of order or out of bounds.
var classifier = delivery.Classifier{
	Lost:   regexp.MustCompile(`(?i)out of order|out of bounds|too old|duplicate sample|too far in the future`),
	Points: regexp.MustCompile(`(?i)invalid (metric|label)|label (name|value)|err-mimir-`),
}

// attempt sends lines once.
func (s *Sink) attempt(ctx context.Context, lines []byte) error {
	if c := s.changed.Swap(nil); c != nil {
		s.SetBatchSize(c.BatchSize)
		s.config.Password, s.config.Token = c.Password, c.Token
		s.client.Timeout = cmp.Or(c.Timeout, s.client.Timeout)
	}
	var latest int64
	if s.config.Encoder.AtOrigin {
		latest = time.Now().Add(MaxAhead).UnixNano()
	}
	body, err := s.encoder.encode(lines, latest)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.config.URL, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("remote write: %w", err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/x-protobuf", "Content-Encoding": "snappy", "User-Agent": "forecaster", "X-Prometheus-Remote-Write-Version": "0.1.0",
	} {
		r.Header.Set(name, value)
	}
	switch {
	case s.config.Username != "":
		r.SetBasicAuth(s.config.Username, s.config.Password.Reveal())
	case !s.config.Token.IsZero():
		r.Header.Set("Authorization", "Bearer "+s.config.Token.Reveal())
	}
	resp, err := s.client.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // so that the connection is used again
	return err
}

// Check returns nil if the server accepts a request without samples.
func (s *Sink) Check(ctx context.Context) error {
	err := s.attempt(ctx, nil)
	if err == nil {
		return nil
	}
	if text, passing := classifier.Explain(err); !passing {
		return fmt.Errorf("the URL, the credentials or the request is not accepted: %s", text)
	}
	return err
}

// Change holds the settings that can change while a Sink is in use.
type Change struct {
	Password, Token secret.Text
	BatchSize       int
	Timeout         time.Duration
}

// Change requests c, which takes effect with the next request. Any goroutine may call it.
func (s *Sink) Change(c Change) { s.changed.Store(&c) }

// Close releases the connections.
func (s *Sink) Close() error {
	s.End()
	s.client.CloseIdleConnections()
	return nil
}
