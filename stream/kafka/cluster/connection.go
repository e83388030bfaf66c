// Package cluster connects to Kafka brokers: addresses, TLS and credentials, topics, and the rights of the client.
package cluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/sasl"
	"github.com/segmentio/kafka-go/sasl/plain"
	"github.com/segmentio/kafka-go/sasl/scram"

	"github.com/orffvar/forecaster/internal/secret"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/kafka/internal/retry"
)

// Connection holds the addresses of the brokers and the settings of the client.
type Connection struct {
	// Brokers are host:port of at least one broker, from which the client learns the others.
	Brokers []string

	// ClientID appears in the logs and quotas of the brokers.
	ClientID string

	// TLS encrypts the connections; nil means plain text. See TLSFiles.
	TLS *tls.Config

	// SASL authenticates the client; the zero value means no authentication.
	SASL SASL

	// Timeout is the largest duration of one request, without the time that the broker was asked to wait; 0 means
	// 10 s. Failed requests are repeated.
	Timeout time.Duration
}

// SASL holds the credentials of the client.
type SASL struct {
	Mechanism string // PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or OAuthBearer; "" = none
	Username  string
	Password  secret.Text
	Token     Token // source of the token, for OAuthBearer
}

func (s SASL) mechanism() (sasl.Mechanism, error) {
	var m sasl.Mechanism
	var err error
	switch s.Mechanism {
	case "":
		return nil, nil
	case "PLAIN":
		m = plain.Mechanism{Username: s.Username, Password: s.Password.Reveal()}
	case "SCRAM-SHA-256":
		m, err = scram.Mechanism(scram.SHA256, s.Username, s.Password.Reveal())
	case "SCRAM-SHA-512":
		m, err = scram.Mechanism(scram.SHA512, s.Username, s.Password.Reveal())
	case OAuthBearer:
		m = s.oauth()
	default:
		err = fmt.Errorf("SASL mechanism must be PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or OAUTHBEARER, got %q", s.Mechanism)
	}
	if err != nil {
		return nil, fmt.Errorf("kafka: %w", err)
	}
	return m, nil
}

// TLSFiles names the files and the server of a TLS connection.
type TLSFiles struct {
	CA         string // certificates that sign the broker's certificate; "" = the system's certificates
	Cert, Key  string // certificate and key of the client; "" = none
	ServerName string // name in the broker's certificate; "" = the dialled host

	// InsecureSkipVerify accepts any certificate. For tests only.
	InsecureSkipVerify bool
}

// Config reads the files. The least version is TLS 1.2.
func (f TLSFiles) Config() (*tls.Config, error) {
	c := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		ServerName:         f.ServerName,
		InsecureSkipVerify: f.InsecureSkipVerify,
	}
	if f.CA != "" {
		pem, err := os.ReadFile(f.CA)
		if err != nil {
			return nil, fmt.Errorf("authorities: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s has no certificate in PEM form", f.CA)
		}
	}
	if f.Cert != "" || f.Key != "" {
		pair, err := tls.LoadX509KeyPair(f.Cert, f.Key)
		if err != nil {
			return nil, fmt.Errorf("client certificate: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// Client is a connection pool that knows the leaders of its topics. The packages beside this one send their
// requests through it.
type Client struct {
	kafkago.Client
	transport *kafkago.Transport
	timeout   time.Duration
}

// NewClient returns a Client of some topics, or of all if topics is nil. It does not connect yet.
func (c *Connection) NewClient(topics []string) (*Client, error) {
	if len(c.Brokers) == 0 {
		return nil, errors.New("kafka: no brokers were given")
	}
	for i, broker := range c.Brokers {
		if err := secret.CheckAddress(broker); err != nil {
			return nil, fmt.Errorf("kafka: broker %d %w; credentials belong in SASL", i, err)
		}
	}
	mechanism, err := c.SASL.mechanism()
	if err != nil {
		return nil, err
	}
	t := &kafkago.Transport{
		Dial:           (&net.Dialer{Timeout: c.RequestTimeout()}).DialContext,
		DialTimeout:    c.RequestTimeout(),
		ClientID:       c.ClientID,
		TLS:            c.TLS,
		SASL:           mechanism,
		MetadataTopics: topics,          // metadata of all topics are expensive in a large cluster
		MetadataTTL:    2 * time.Second, // largest delay until a new leader or topic is noticed
	}
	return &Client{
		Client:    kafkago.Client{Addr: kafkago.TCP(c.Brokers...), Transport: t},
		transport: t,
		timeout:   c.RequestTimeout(),
	}, nil
}

// Dialer returns the dialer for a consumer group. All other requests use NewClient.
func (c *Connection) Dialer() (*kafkago.Dialer, error) {
	mechanism, err := c.SASL.mechanism()
	if err != nil {
		return nil, err
	}
	return &kafkago.Dialer{
		ClientID:      c.ClientID,
		Timeout:       c.RequestTimeout(),
		TLS:           c.TLS,
		SASLMechanism: mechanism,
	}, nil
}

// RequestTimeout returns Timeout or its default.
func (c *Connection) RequestTimeout() time.Duration {
	if c.Timeout > 0 {
		return c.Timeout
	}
	return 10 * time.Second
}

// Bounded returns a context for one request, with a deadline after the request timeout and extra. Without a
// deadline the pool never gives up a silent connection.
func (c *Client) Bounded(ctx context.Context, extra time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, c.timeout+extra)
}

// Repeat repeats a request until it succeeds, final returns an error for its failure, or ctx ends. report receives
// each failure that is repeated.
func (c *Client) Repeat(ctx context.Context, request func(ctx context.Context) error, final func(err error) error, report func(err error)) error {
	var b retry.Backoff
	for {
		stream.Heartbeat(ctx)
		rctx, cancel := c.Bounded(ctx, 0)
		err := request(rctx)
		cancel()
		if err == nil {
			return nil
		}
		if err := final(err); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		report(err)
		if err := b.Pause(ctx); err != nil {
			return err
		}
	}
}

// Close releases the connections.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Partitions returns the number of partitions per topic, or a *TopicError for the first topic that cannot be used.
func (c *Client) Partitions(ctx context.Context, topics []string) (map[string]int, error) {
	ctx, cancel := c.Bounded(ctx, 0)
	defer cancel()
	resp, err := c.Metadata(ctx, &kafkago.MetadataRequest{Topics: topics})
	if err != nil {
		return nil, err
	}
	counts := make(map[string]int, len(topics))
	for _, t := range resp.Topics {
		if t.Error != nil {
			return nil, &TopicError{t.Name, t.Error}
		}
		counts[t.Name] = len(t.Partitions)
	}
	for _, t := range topics {
		if counts[t] == 0 {
			return nil, &TopicError{t, kafkago.UnknownTopicOrPartition}
		}
	}
	return counts, nil
}

// TopicError reports a topic that cannot be used.
type TopicError struct {
	Topic string
	Err   error
}

// Error implements error.
func (e *TopicError) Error() string {
	if e.Missing() {
		return "there is no topic " + e.Topic
	}
	return fmt.Sprintf("topic %s: %v", e.Topic, e.Err)
}

// Missing reports whether the topic does not exist.
func (e *TopicError) Missing() bool { return errors.Is(e.Err, kafkago.UnknownTopicOrPartition) }

func (e *TopicError) Unwrap() error { return e.Err }

// Ping returns nil if a broker answers.
func (c *Connection) Ping(ctx context.Context) error {
	cl, err := c.NewClient([]string{})
	if err != nil {
		return err
	}
	defer cl.Close()
	ctx, cancel := cl.Bounded(ctx, 0)
	defer cancel()
	if _, err := cl.Metadata(ctx, &kafkago.MetadataRequest{Topics: []string{}}); err != nil {
		return retry.ExplainFirst(err)
	}
	return nil
}

// Partitions returns the number of partitions per topic. A missing topic is an error.
func (c *Connection) Partitions(ctx context.Context, topics []string) (map[string]int, error) {
	cl, err := c.NewClient(topics)
	if err != nil {
		return nil, err
	}
	defer cl.Close()
	counts, err := cl.Partitions(ctx, topics)
	if err != nil {
		return nil, retry.ExplainFirst(err)
	}
	return counts, nil
}

// CreateTopic creates a topic with the default replication of the broker. An existing topic is no error.
func (c *Connection) CreateTopic(ctx context.Context, topic string, partitions int) error {
	cl, err := c.NewClient([]string{topic})
	if err != nil {
		return err
	}
	defer cl.Close()
	if _, err := cl.Partitions(ctx, []string{topic}); err == nil {
		return nil
	}
	ctx, cancel := cl.Bounded(ctx, 0)
	defer cancel()
	resp, err := cl.CreateTopics(ctx, &kafkago.CreateTopicsRequest{Topics: []kafkago.TopicConfig{
		{Topic: topic, NumPartitions: partitions, ReplicationFactor: -1},
	}})
	if err == nil {
		err = resp.Errors[topic]
	}
	if err != nil && !errors.Is(err, kafkago.TopicAlreadyExists) {
		return fmt.Errorf("kafka: creating topic %s: %w", topic, retry.Explain(err))
	}
	return nil
}
