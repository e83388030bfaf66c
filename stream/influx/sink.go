package influx

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"sync/atomic"
	"time"

	influxdb2 "github.com/influxdata/influxdb-client-go/v2"
	"github.com/influxdata/influxdb-client-go/v2/api"

	"github.com/orffvar/forecaster/internal/secret"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/delivery"
	"github.com/orffvar/forecaster/stream/lineproto"
)

// Config configures a Sink.
type Config struct {
	URL    string      // http://host:8086
	Token  secret.Text // user:password on 1.8
	Org    string      // ignored by 1.8
	Bucket string      // database or database/policy on 1.8

	// BatchSize is the largest number of lines in a request; 0 means 5,000.
	BatchSize int

	// Timeout is the largest duration of one request; 0 means 30 s.
	Timeout time.Duration

	// Settle is delivery.Config.Settle.
	Settle time.Duration

	// Encoder encodes points as lines.
	Encoder lineproto.Encoder

	// DeadLetters stores refused points. Nil: they are only counted and logged.
	DeadLetters stream.DeadLetters

	// Log receives messages for operators; nil means slog.Default().
	Log *slog.Logger
}

// Sink is a stream.Sink. Write, Ping and Check belong to one goroutine; any goroutine may call the other methods.
type Sink struct {
	*delivery.Sink
	config Config
	link   *delivery.Link
	*connection
	changed atomic.Pointer[Change] // change to be made before the next request
}

var _ stream.Sink = (*Sink)(nil)

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
	c.Org = cmp.Or(c.Org, "-") // InfluxDB 2 then reports the missing organisation and does not refuse the points
	link := &delivery.Link{}
	s := &Sink{config: c, link: link, connection: connect(c, link)}
	s.Sink = delivery.New(delivery.Config{
		Attempt: s.attempt, Classify: Classifier, Name: "influxdb " + c.URL + " " + c.Bucket, Server: "InfluxDB", Repair: "the URL, the token, the bucket and the quotas",
		Topic: "influxdb " + c.Bucket, Attrs: []any{"url", c.URL, "bucket", c.Bucket},
		BatchSize: c.BatchSize, Settle: c.Settle, Link: link, Encoder: c.Encoder, DeadLetters: c.DeadLetters, Log: c.Log,
	})
	return s, nil
}

// attempt sends lines once.
func (s *Sink) attempt(ctx context.Context, lines []byte) error {
	s.change()
	return s.writer.WriteRecord(ctx, string(lines))
}

// Classifier matches the messages of InfluxDB 1, 2 and 3. Some versions answer with the status 500 if points are
// beyond the retention policy.
var Classifier = delivery.Classifier{
	Lost:    regexp.MustCompile(`(beyond|outside) retention policy`),
	Points:  regexp.MustCompile(`unable to parse '|partial write|\bdropped[= ]\d|line_number|"line":`),
	Dropped: regexp.MustCompile(`\bdropped[= ](\d+)`), // partial write: … dropped=12
	Quota:   regexp.MustCompile(`max-(series|values)-per-`),
}

// connection is the HTTP connection of a Sink to the server.
type connection struct {
	http   delivery.Client
	client influxdb2.Client
	writer api.WriteAPIBlocking
}

func connect(c Config, link *delivery.Link) *connection {
	httpClient := delivery.NewClient(c.Timeout, link)
	// InfluxDB accepts points only with this status. Any other success comes from another server.
	httpClient.Accepts = func(r *http.Response) bool { return r.StatusCode == http.StatusNoContent }
	httpClient.Expects = "InfluxDB answers 204 No Content"
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

// Change holds the settings that can change while a Sink is in use, such as the token.
type Change struct {
	Token     secret.Text
	BatchSize int
	Timeout   time.Duration
}

// Change requests c, which takes effect with the next request. Any goroutine may call it.
func (s *Sink) Change(c Change) { s.changed.Store(&c) }

// change makes a requested change. Only the goroutine that writes calls it.
func (s *Sink) change() {
	c := s.changed.Swap(nil)
	if c == nil {
		return
	}
	s.SetBatchSize(c.BatchSize)
	timeout := cmp.Or(c.Timeout, s.config.Timeout)
	if timeout == s.config.Timeout && c.Token.Reveal() == s.config.Token.Reveal() {
		return
	}
	s.config.Timeout, s.config.Token = timeout, c.Token
	s.close()
	s.connection = connect(s.config, s.link)
}

// Ping returns nil if the server answers. It does not check the token.
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
	s.End()
	s.close()
	return nil
}
