package avro

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/avro"
	"github.com/twmb/franz-go/pkg/sr"

	"github.com/orffvar/forecaster/internal/secret"
	"github.com/orffvar/forecaster/stream/format"
)

// RegistryConfig has the address and the credentials of a schema registry with Confluent's API.
type RegistryConfig struct {
	Names    format.Names // names of the fields in errors
	URL      string
	Username string // for basic authentication; "": none
	Password secret.Text
	Token    secret.Text // bearer token; zero: none
	TLS      *tls.Config
	Log      *slog.Logger
}

// Registry is the client of a schema registry. It requests each schema once, whatever the number of decoders.
type Registry struct {
	client *sr.Client
	config RegistryConfig

	mu      sync.Mutex // held during a request: other decoders usually wait for the same schema
	known   map[int]known
	problem atomic.Value // string: reason of the last failure; "": none
}

// known is a schema, or the error of a request, which is repeated later.
type known struct {
	schema *avro.Schema
	err    error
	at     time.Time
}

const (
	maxAnswer      = 1 << 20          // bytes of a schema
	maxKnown       = 10_000           // number of schemas and of errors that are kept
	askAgain       = 10 * time.Second // delay before a missing schema is requested again
	requestTimeout = 10 * time.Second
)

// NewRegistry returns a Registry that has not connected yet.
func NewRegistry(c RegistryConfig) (*Registry, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = c.TLS
	options := []sr.ClientOpt{
		sr.URLs(c.URL), sr.UserAgent("forecaster"),
		sr.HTTPClient(&http.Client{Timeout: requestTimeout, Transport: limited{transport}}),
	}
	if c.Username != "" {
		options = append(options, sr.BasicAuth(c.Username, c.Password.Reveal()))
	}
	if !c.Token.IsZero() {
		options = append(options, sr.BearerToken(c.Token.Reveal()))
	}
	client, err := sr.NewClient(options...)
	if err != nil {
		return nil, fmt.Errorf("the schema registry: %w", err)
	}
	return &Registry{client: client, config: c, known: make(map[int]known)}, nil
}

// limited is a transport that returns an error for long answers.
type limited struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (l limited) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := l.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = &limitedBody{resp.Body, maxAnswer}
	}
	return resp, err
}

type limitedBody struct {
	io.ReadCloser
	left int
}

var errTooLarge = fmt.Errorf("the registry answers with more than %d bytes", maxAnswer)

// Read implements io.Reader.
func (b *limitedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= n; b.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}

// Schema implements Schemas. It waits while the registry does not answer, or refuses the client.
func (r *Registry) Schema(ctx context.Context, id int) (*avro.Schema, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	pause := 100 * time.Millisecond
	for {
		k, ok := r.known[id]
		if ok && (k.err == nil || time.Since(k.at) < askAgain) {
			return k.schema, k.err
		}
		schema, err := r.ask(ctx, id)
		if err == nil || isFinal(err) {
			r.report("")
			if len(r.known) >= maxKnown {
				clear(r.known)
			}
			r.known[id] = known{schema, err, time.Now()}
			continue
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		r.report(err.Error())
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(pause):
		}
		pause = min(2*pause, 5*time.Second)
	}
}

// report logs a new problem.
func (r *Registry) report(problem string) {
	if old := r.Problem(); problem != "" && old == "" {
		r.config.Log.Warn("the schema registry gives no schema; messages wait", "url", r.config.URL, "error", problem)
	}
	r.problem.Store(problem)
}

// Problem returns the reason why the registry returns no schema; "": it does. Any goroutine may call it.
func (r *Registry) Problem() string {
	problem, _ := r.problem.Load().(string)
	return problem
}

// errSchema is the error of a schema in the registry that cannot be used.
type errSchema struct{ error }

// isFinal reports whether an immediate repetition of the request cannot help.
func isFinal(err error) bool {
	var answer *sr.ResponseError
	var bad errSchema
	return errors.As(err, &bad) || errors.Is(err, errTooLarge) || errors.As(err, &answer) && answer.StatusCode == http.StatusNotFound
}

// ask requests a schema and the schemas that it refers to.
func (r *Registry) ask(ctx context.Context, id int) (*avro.Schema, error) {
	s, err := r.client.SchemaByID(ctx, id)
	if err != nil {
		return nil, err
	}
	if s.Type != sr.TypeAvro {
		return nil, errSchema{fmt.Errorf("it is %v, not Avro%s", s.Type, map[sr.SchemaType]string{sr.TypeJSON: ": " + r.config.Names.Set("stream.Decoder", "json")}[s.Type])}
	}
	left := 100
	cache := new(avro.SchemaCache)
	return r.parse(ctx, cache, s, &left)
}

// parse parses the schemas that s refers to, and then s. left is the number of further references allowed.
func (r *Registry) parse(ctx context.Context, cache *avro.SchemaCache, s sr.Schema, left *int) (*avro.Schema, error) {
	for _, ref := range s.References {
		if *left--; *left < 0 {
			return nil, errSchema{errors.New("it refers to more than 100 others")}
		}
		other, err := r.client.SchemaByVersion(ctx, ref.Subject, ref.Version)
		if err != nil {
			return nil, err
		}
		if _, err := r.parse(ctx, cache, other.Schema, left); err != nil {
			return nil, err
		}
	}
	parsed, err := cache.Parse(s.Schema)
	if err != nil {
		return nil, errSchema{fmt.Errorf("it is no schema of Avro: %w", err)}
	}
	return parsed, nil
}

// Ping returns nil when the registry answers this client.
func (r *Registry) Ping(ctx context.Context) error {
	_, err := r.client.SupportedTypes(ctx)
	return err
}
