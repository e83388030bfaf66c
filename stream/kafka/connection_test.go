package kafka

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/orffvar/forecaster/internal/secret"
	"github.com/orffvar/forecaster/internal/tools/logtest"
	"github.com/orffvar/forecaster/internal/tools/testserver"
	"github.com/orffvar/forecaster/stream/kafka/cluster"
	"github.com/orffvar/forecaster/stream/kafka/kafkasink"
)

const canary = "canary-93b1"

func TestSASL(t *testing.T) {
	for _, mechanism := range []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"} {
		t.Run(mechanism, func(t *testing.T) {
			b := newBroker(t, 2, kfake.EnableSASL(), kfake.Superuser(mechanism, "user", canary))
			c := quick(b.Addr())
			c.SASL = cluster.SASL{Mechanism: mechanism, Username: "user", Password: secret.New(canary)}
			p, err := kafkasink.NewProducer(c.Connection, topic, quiet)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			if err := p.Send(deadline(t), numbered(0, 100)); err != nil {
				t.Fatal(err)
			}
			var got collect
			if err := runGroup(t, newGroup(t, c), got.work); err != nil {
				t.Fatal(err)
			}
			checkNumbers(t, got.messages, 0, 100)
			if err := c.Ping(deadline(t)); err != nil {
				t.Error(err)
			}
		})
	}
}

// The fake broker hangs up on bad credentials; TestRealKafkaSASL sees the answer
// of a real one.
func TestFault13_BadCredentials(t *testing.T) {
	b := newBroker(t, 1, kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-256", "user", "right"))
	for _, s := range []cluster.SASL{
		{Mechanism: "SCRAM-SHA-256", Username: "user", Password: secret.New(canary)},
		{Mechanism: "PLAIN", Username: "user", Password: secret.New(canary)},
	} {
		var log logtest.Buffer
		c := quick(b.Addr())
		c.Log = logtest.New(&log)
		c.SASL = s
		g := newGroup(t, c)
		stop := start(t, g, func(ctx context.Context, p *Partition) error { return errEnough })
		eventually(t, "the log has a hint", func() bool { return strings.Contains(log.String(), "credentials") })
		state := g.Status().State
		if err := stop(); err != nil || !strings.Contains(state, "credentials") {
			t.Errorf("%s: state %q, error %v", s.Mechanism, state, err)
		}
		err := c.Ping(deadline(t))
		if err == nil || !strings.Contains(err.Error(), "credentials") {
			t.Errorf("%s: ping: %v", s.Mechanism, err)
		}
		all := fmt.Sprint(log.String(), err, state) + fmt.Sprintf("%v %+v %#v", c, g.config, g.config.SASL)
		if strings.Contains(all, canary) {
			t.Errorf("%s: the password was printed", s.Mechanism)
		}
	}
}

// certificate makes a self-signed certificate for a host, and a file of it.
func certificate(t *testing.T, host string, until time.Time) (pair tls.Certificate, file string) {
	t.Helper()
	cert, key := testserver.Certificate(t, host, 1, until)
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, cert, 0o600); err != nil {
		t.Fatal(err)
	}
	return pair, file
}

func TestFault14_TLS(t *testing.T) {
	t.Parallel()
	tomorrow := time.Now().Add(24 * time.Hour)
	good, ca := certificate(t, "127.0.0.1", tomorrow)
	_, otherCA := certificate(t, "127.0.0.1", tomorrow)
	expired, expiredCA := certificate(t, "127.0.0.1", time.Now().Add(-time.Hour))
	elsewhere, elsewhereCA := certificate(t, "kafka.example", tomorrow)

	for _, c := range []struct {
		name   string
		server *tls.Certificate
		client *cluster.TLSFiles
		want   string // in the error; "" = it works
	}{
		{"trusted", &good, &cluster.TLSFiles{CA: ca}, ""},
		{"other name", &elsewhere, &cluster.TLSFiles{CA: elsewhereCA, ServerName: "kafka.example"}, ""},
		{"unknown authority", &good, &cluster.TLSFiles{CA: otherCA}, "unknown authority"},
		{"expired", &expired, &cluster.TLSFiles{CA: expiredCA}, "expired"},
		{"wrong host", &elsewhere, &cluster.TLSFiles{CA: elsewhereCA}, "127.0.0.1"},
		{"plain text to TLS", &good, nil, "waiting: the broker hangs up; a broker that always does so may expect TLS"},
		{"TLS to plain text", nil, &cluster.TLSFiles{CA: ca}, "waiting: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			var options []kfake.Opt
			if c.server != nil {
				options = append(options, kfake.TLS(&tls.Config{Certificates: []tls.Certificate{*c.server}}))
			}
			b := newBroker(t, 1, options...)
			config := quick(b.Addr())
			if c.client != nil {
				var err error
				if config.TLS, err = c.client.Config(); err != nil {
					t.Fatal(err)
				}
			}
			if strings.HasPrefix(c.want, "waiting") {
				// The client cannot know whether the broker is only starting.
				config.Timeout = 2 * time.Second
				g := newGroup(t, config)
				stop := start(t, g, func(ctx context.Context, p *Partition) error { return errEnough })
				eventually(t, "the failure is reported", func() bool { return strings.HasPrefix(g.Status().State, c.want) })
				if err := stop(); err != nil {
					t.Error(err)
				}
				return
			}
			err := runGroup(t, newGroup(t, config), func(ctx context.Context, p *Partition) error { return nil })
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func TestTLSFiles(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, f := range []cluster.TLSFiles{{CA: "nowhere"}, {CA: empty}, {Cert: empty, Key: empty}, {Cert: "nowhere"}} {
		if _, err := f.Config(); err == nil {
			t.Errorf("%+v was accepted", f)
		}
	}
	cert, key := testserver.Certificate(t, "127.0.0.1", 1, time.Now().Add(time.Hour))
	own := cluster.TLSFiles{Cert: filepath.Join(t.TempDir(), "cert.pem"), Key: filepath.Join(t.TempDir(), "key.pem")}
	for path, text := range map[string][]byte{own.Cert: cert, own.Key: key} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	c, err := own.Config()
	if err != nil || len(c.Certificates) != 1 || !bytes.Equal(c.Certificates[0].Certificate[0], pair.Certificate[0]) || c.RootCAs != nil {
		t.Errorf("certificate of the client: %+v, error %v", c, err)
	}
	c, err = cluster.TLSFiles{}.Config()
	if err != nil || c.MinVersion != tls.VersionTLS12 || c.InsecureSkipVerify {
		t.Errorf("defaults %+v, error %v", c, err)
	}
}
