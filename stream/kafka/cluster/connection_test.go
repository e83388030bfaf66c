package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	kafkago "github.com/segmentio/kafka-go"

	"github.com/orffvar/forecaster/internal/devbroker"
	"github.com/orffvar/forecaster/internal/secret"
)

// TestConnections: settings that make no client are errors, and the others reach the client.
func TestConnections(t *testing.T) {
	for _, c := range []struct {
		connection Connection
		want       string // error; "": none
	}{
		{Connection{}, "kafka: no brokers were given"},
		{Connection{Brokers: []string{"a:9092", "user:canary@b:9092"}}, "kafka: broker 1 "},
		{Connection{Brokers: []string{"a:9092"}, SASL: SASL{Mechanism: "GSSAPI"}}, `kafka: SASL mechanism must be PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or OAUTHBEARER, got "GSSAPI"`},
		{Connection{Brokers: []string{"a:9092"}}, ""},
		{Connection{Brokers: []string{"a:9092"}, SASL: SASL{Mechanism: "PLAIN"}}, ""},
		{Connection{Brokers: []string{"a:9092"}, SASL: SASL{Mechanism: "SCRAM-SHA-256"}}, ""},
		{Connection{Brokers: []string{"a:9092"}, SASL: SASL{Mechanism: "SCRAM-SHA-512"}}, ""},
		{Connection{Brokers: []string{"a:9092"}, SASL: SASL{Mechanism: OAuthBearer}}, ""},
	} {
		c.connection.ClientID, c.connection.TLS = "id", &tls.Config{MinVersion: tls.VersionTLS13}
		client, err := c.connection.NewClient([]string{"topic"})
		if (err == nil) != (c.want == "") || err != nil && (!strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "canary")) {
			t.Errorf("%+v: %v, want %s", c.connection, err, c.want)
		}
		dialer, dialerErr := c.connection.Dialer()
		if err != nil {
			if strings.Contains(c.want, "SASL m") && (dialerErr == nil || dialerErr.Error() != c.want) {
				t.Error(dialerErr)
			}
			continue
		}
		name := c.connection.SASL.Mechanism
		if dialerErr != nil || dialer.ClientID != "id" || dialer.TLS != c.connection.TLS || dialer.Timeout != 10*time.Second || (dialer.SASLMechanism == nil) != (name == "") || name != "" && dialer.SASLMechanism.Name() != name {
			t.Errorf("%s: %+v, %v", name, dialer, dialerErr)
		}
		if tr := client.transport; tr.ClientID != "id" || tr.TLS != c.connection.TLS || tr.DialTimeout != 10*time.Second || (tr.SASL == nil) != (name == "") || strings.Join(tr.MetadataTopics, " ") != "topic" {
			t.Errorf("%s: %+v", name, tr)
		}
		client.Close()
	}
	if err := new(Connection).CheckRights(t.Context(), "g", nil); err == nil || err.Error() != "kafka: no brokers were given" {
		t.Errorf("rights without brokers: %v", err)
	}
	if got := (&Connection{Timeout: time.Second}).RequestTimeout(); got != time.Second {
		t.Errorf("a timeout of %v", got)
	}
}

// watchedConn closes closed with the connection.
type watchedConn struct {
	net.Conn
	closed chan struct{}
	once   sync.Once
}

func (c *watchedConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

// TestClose: no connection stays open. kafka-go itself closes idle connections after 30 s.
func TestClose(t *testing.T) {
	broker, err := devbroker.Start(1, []string{"topic"})
	if err != nil {
		t.Fatal(err)
	}
	defer broker.Close()
	client, err := (&Connection{Brokers: []string{broker.Addr()}}).NewClient([]string{"topic"})
	if err != nil {
		t.Fatal(err)
	}
	var open sync.Map
	dial := client.transport.Dial
	client.transport.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		c := &watchedConn{Conn: conn, closed: make(chan struct{})}
		open.Store(c, true)
		return c, nil
	}
	if _, err := client.Partitions(t.Context(), []string{"topic"}); err != nil {
		t.Fatal(err)
	}
	client.Close()
	late := time.After(20 * time.Second)
	open.Range(func(c, _ any) bool {
		select {
		case <-c.(*watchedConn).closed:
			return true
		case <-late:
			t.Error("a connection is open")
			return false
		}
	})
}

// TestTLSFiles: files that are absent or no certificates are errors with their name.
func TestTLSFiles(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		files TLSFiles
		want  string
	}{
		{TLSFiles{CA: "absent.pem"}, "authorities: open absent.pem: "},
		{TLSFiles{CA: empty}, empty + " has no certificate in PEM form"},
		{TLSFiles{Cert: "absent.pem"}, "client certificate: open absent.pem: "},
		{TLSFiles{Key: "absent.pem"}, "client certificate: "},
	} {
		if _, err := c.files.Config(); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", c.files, err, c.want)
		}
	}
	c, err := TLSFiles{ServerName: "h", InsecureSkipVerify: true}.Config()
	if err != nil || c.ServerName != "h" || !c.InsecureSkipVerify || c.MinVersion != tls.VersionTLS12 || c.RootCAs != nil || c.Certificates != nil {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestTokens: a token comes from a file, a command or a server, and what is none is an error without a secret.
func TestTokens(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		w.Header().Set("Content-Type", "application/json")
		if user != "me" || password != "canary" || r.FormValue("scope") != "a b" {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"error": "invalid_client", "error_description": "canary"}`))
			return
		}
		_, _ = w.Write([]byte(`{"access_token": "of-server", "token_type": "bearer"}`))
	}))
	defer server.Close()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const none = "the token of SASL: the answer holds no token"
	for _, c := range []struct {
		sasl SASL
		want string // response to the broker, or "!" and the error
	}{
		{SASL{Token: Token{File: write("token", " of-file\n")}}, "n,,\x01auth=Bearer of-file\x01\x01"},
		{SASL{Token: Token{File: write("empty", "\n")}}, "!" + none},
		{SASL{Token: Token{File: write("two", "a b")}}, "!" + none},
		{SASL{Token: Token{File: write("lines", "a\nb")}}, "!" + none},
		{SASL{Token: Token{File: write("control", "a\x01b")}}, "!" + none},
		{SASL{Token: Token{File: filepath.Join(dir, "absent")}}, "!the token of SASL: open " + filepath.Join(dir, "absent") + ": "},
		{SASL{Token: Token{Command: []string{"echo", "of-command"}}}, "n,,\x01auth=Bearer of-command\x01\x01"},
		{SASL{Token: Token{Command: []string{"sh", "-c", "echo no >&2; exit 3"}}}, "!the token of SASL: sh: exit status 3: no"},
		{SASL{Token: Token{Command: []string{"sh", "-c", "head -c 300 /dev/zero | tr '\\0' x >&2; exit 1"}}}, "!the token of SASL: sh: exit status 1: " + strings.Repeat("x", 200)},
		{SASL{Username: "me", Password: secret.New("canary"), Token: Token{URL: server.URL, Scopes: []string{"a", "b"}}}, "n,,\x01auth=Bearer of-server\x01\x01"},
		{SASL{Username: "you", Password: secret.New("canary"), Token: Token{URL: server.URL}}, "!the token of SASL: " + server.URL + " answers 401 Unauthorized invalid_client"},
	} {
		state, response, err := c.sasl.oauth().Start(t.Context())
		got := string(response)
		if err != nil {
			got = "!" + err.Error()
		}
		if got != c.want && !(strings.HasSuffix(c.want, ": ") && strings.HasPrefix(got, c.want)) {
			t.Errorf("%+v:\ngot  %q\nwant %q", c.sasl.Token, got, c.want)
		}
		if err != nil {
			continue
		}
		for challenge, want := range map[string]bool{"": true, "refused": false} {
			if done, answer, err := state.Next(t.Context(), []byte(challenge)); done != want || string(answer) != "\x01" || err != nil {
				t.Errorf("after %q: %v, %q, %v", challenge, done, answer, err)
			}
		}
	}
}

// TestRights: the bits of an answer are rights, and errors name what is missing.
func TestRights(t *testing.T) {
	for _, r := range []Right{Read, Write, DescribeConfigs} {
		if !allows(1<<r, r) || allows(^(1<<r), r) || allows(0, r) || !allows(-1<<31, r) {
			t.Errorf("%v by its bit", r)
		}
	}
	missing := &TopicError{"t", kafkago.UnknownTopicOrPartition}
	other := &TopicError{"t", kafkago.LeaderNotAvailable}
	for err, want := range map[error]string{
		missing: "there is no topic t", other: "topic t: " + kafkago.LeaderNotAvailable.Error(),
		&RightsError{[]string{"Read topic a", "Write topic b"}, "User:me"}: "kafka: the brokers do not let User:me Read topic a, Write topic b",
	} {
		if err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if !missing.Missing() || other.Missing() || !errors.Is(other, kafkago.LeaderNotAvailable) || errors.Is(missing, fs.ErrNotExist) {
		t.Error("the cause of an error of a topic")
	}
}
