package kafka

import (
	"context"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/secret"
	"github.com/orffvar/forecaster/internal/tools/logtest"
	"github.com/orffvar/forecaster/internal/tools/testserver"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/kafka/cluster"
	"github.com/orffvar/forecaster/stream/kafka/kafkasink"
	"github.com/orffvar/forecaster/stream/run"
)

// The tests of this file need Apache Kafka; see internal/tools/testserver.

var blackHole = flag.Duration("blackhole", 3*time.Second, "how long TestFault12_RealBrokerFails swallows everything; a request may take less")

// TestFault12_RealBrokerFails: whatever happens to the broker, in the end the states
// are those of one reader without interruptions.
//
//	go test ./stream/kafka -run RealBrokerFails -v -blackhole 60s
func TestFault12_RealBrokerFails(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes half a minute: not with -short")
	}
	t.Run("restarts", func(t *testing.T) {
		t.Parallel()
		f := newFailing(t)
		if err := f.stops[0](); err != nil {
			t.Fatal(err)
		}
		f.processed("one member has left")
		f.member()
		f.broker.Stop()
		f.broker.Start()
		f.processed("an orderly restart of the broker")
		f.broker.Kill()
		f.broker.Start()
		f.processed("the broker was killed")
		f.end()
	})
	t.Run("silence", func(t *testing.T) {
		t.Parallel()
		f := newFailing(t)
		f.proxy.SetBlackHole(true)
		time.Sleep(*blackHole)
		f.proxy.SetBlackHole(false)
		f.proxy.Reset()
		f.processed("a black hole")
		f.broker.Pause()
		time.Sleep(f.config.SessionTimeout + 2*time.Second)
		f.broker.Resume()
		f.processed("the broker was frozen")
		f.end()
	})
}

// failing is a group of members behind a proxy to a broker that fails.
type failing struct {
	t      *testing.T
	proxy  *testserver.Proxy
	broker *testserver.Kafka
	config GroupConfig
	ledger *ledger
	sent   int
	stops  []func() error // of the members
}

// newFailing starts a group of two members, which have processed some messages.
func newFailing(t *testing.T) *failing {
	proxy := testserver.StartProxy(t, "")
	k := testserver.StartKafka(t, testserver.KafkaAdvertised(proxy.Addr), testserver.KafkaSetting("log.retention.check.interval.ms", "500"),
		testserver.KafkaSetting("broker.session.timeout.ms", "3000")) // a broker that was killed may not come back sooner
	proxy.SetTarget(k.Addr)
	k.CreateTopic(topic, 4)
	c := quick(proxy.Addr)
	c.Heartbeat, c.Timeout = 200*time.Millisecond, 2*time.Second
	c.SessionTimeout, c.HandOver = 6*time.Second, 5*time.Second
	f := &failing{t: t, proxy: proxy, broker: k, config: c, ledger: &ledger{snapshots: make(map[string]int64)}}
	f.send()
	f.member()
	f.send()
	f.member()
	f.processed("two members")
	return f
}

func (f *failing) member() {
	f.stops = append(f.stops, start(f.t, newGroup(f.t, f.config), f.ledger.work))
}

func (f *failing) send() {
	f.t.Helper()
	send(f.t, f.proxy.Addr, f.sent, f.sent+1000)
	f.sent += 1000
}

// processed sends more messages and waits until the group has processed all.
func (f *failing) processed(what string) {
	f.t.Helper()
	f.send()
	f.ledger.processed(f.t, f.config, what, f.sent)
}

func (f *failing) end() {
	f.t.Helper()
	for _, stop := range f.stops {
		if err := stop(); err != nil {
			f.t.Error(err)
		}
	}
}

func TestRealKafkaSASL(t *testing.T) {
	t.Parallel()
	k := testserver.StartKafka(t, testserver.KafkaSASL("user", canary))
	k.CreateTopic(topic, 1)
	for _, mechanism := range []string{"PLAIN", "SCRAM-SHA-256"} {
		c := quick(k.SASLAddr)
		c.SASL = cluster.SASL{Mechanism: mechanism, Username: "user", Password: secret.New(canary)}
		var n int
		err := runGroup(t, newGroup(t, c), func(ctx context.Context, p *Partition) error {
			_, err := readAll(ctx, p, 0)
			n++
			return err
		})
		if err != nil || n != 1 {
			t.Errorf("%s: %v", mechanism, err)
		}

		var log logtest.Buffer
		c.Log = logtest.New(&log)
		c.SASL.Password = secret.New(canary + "x")
		err = runGroup(t, newGroup(t, c), func(ctx context.Context, p *Partition) error { return nil })
		if err == nil || !strings.Contains(err.Error(), "does not accept the SASL user name and password") {
			t.Errorf("%s: bad password: %v", mechanism, err)
		}
		if strings.Contains(fmt.Sprint(err, log.String()), canary) {
			t.Errorf("%s: the password was printed", mechanism)
		}
	}
	idp := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if user, password, ok := r.BasicAuth(); !ok || user != "user" || password != canary || r.FormValue("grant_type") != "client_credentials" || r.FormValue("scope") != "a b" {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error":"invalid_client","error_description":%q}`, canary)
			return
		}
		fmt.Fprintf(w, `{"access_token":%q,"token_type":"bearer","expires_in":3600}`, unsignedToken(time.Hour))
	}))
	defer idp.Close()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(unsignedToken(time.Hour)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	good := cluster.SASL{Mechanism: cluster.OAuthBearer, Username: "user", Password: secret.New(canary), Token: cluster.Token{URL: idp.URL, Scopes: []string{"a", "b"}}}
	bad := good
	bad.Password = secret.New("x" + canary)
	for _, s := range []struct {
		sasl cluster.SASL
		want string // in the error
	}{
		{cluster.SASL{Mechanism: cluster.OAuthBearer, Token: cluster.Token{File: file}}, ""},
		{cluster.SASL{Mechanism: cluster.OAuthBearer, Token: cluster.Token{Command: []string{"cat", file}}}, ""},
		{good, ""},
		{bad, "401 Unauthorized invalid_client"},
		{cluster.SASL{Mechanism: cluster.OAuthBearer, Token: cluster.Token{Command: []string{"echo", unsignedToken(-time.Hour)}}}, "does not accept"},
		{cluster.SASL{Mechanism: cluster.OAuthBearer, Token: cluster.Token{Command: []string{"cat", file + "x"}}}, "No such file"},
		{cluster.SASL{Mechanism: cluster.OAuthBearer, Token: cluster.Token{Command: []string{"echo", "no", "token"}}}, "holds no token"},
	} {
		c := quick(k.SASLAddr)
		c.SASL = s.sasl
		err := c.CheckRights(deadline(t), c.Group, map[string][]cluster.Right{topic: {cluster.Read, cluster.Write, cluster.DescribeConfigs}})
		if s.want == "" && err != nil || s.want != "" && (err == nil || !strings.Contains(err.Error(), s.want)) || strings.Contains(fmt.Sprint(err), canary) {
			t.Errorf("%v: %v", s.sasl.Token, err)
		}
		if _, err := c.Partitions(deadline(t), []string{topic}); (err == nil) != (s.want == "") {
			t.Errorf("%v: %v", s.sasl.Token, err)
		}
	}
	c := quick(k.SASLAddr)
	c.SASL = cluster.SASL{Mechanism: "SCRAM-SHA-512", Username: "user", Password: secret.New(canary)}
	if err := runGroup(t, newGroup(t, c), func(ctx context.Context, p *Partition) error { return nil }); err == nil || !strings.Contains(err.Error(), "SASL mechanism") {
		t.Errorf("a mechanism that is not offered: %v", err)
	}
}

// BenchmarkRead measures reading a log that is there, 200-byte messages, from a
// real broker.
func BenchmarkRead(b *testing.B) {
	k := testserver.StartKafka(b)
	k.CreateTopic(topic, 1)
	p, err := kafkasink.NewProducer(connection(k.Addr), topic, quiet)
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	const n = 500_000
	messages := make([]stream.Message, 1000)
	for i := range messages {
		messages[i].Value = make([]byte, 200)
	}
	for range n / len(messages) {
		if err := p.Send(deadline(b), messages); err != nil {
			b.Fatal(err)
		}
	}
	c := quick(k.Addr)
	c.Group = ""
	for b.Loop() {
		err := newGroup(b, c).Run(context.Background(), func(ctx context.Context, p *Partition) error {
			dst := make([]stream.Message, 256)
			for read := 0; read < n; {
				m, err := p.Read(ctx, dst)
				if err != nil {
					return err
				}
				read += m
			}
			return errEnough
		})
		if !errors.Is(err, errEnough) {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "messages/s")
}

// TestFault10_ConnectionsAreCut: the contract of a store, and the hand-over of states between
// members while the broker is reached through a proxy that cuts connections and
// delays what passes, more or less.
func TestFault10_ConnectionsAreCut(t *testing.T) {
	t.Parallel()
	proxy := testserver.StartProxy(t, "")
	k := testserver.StartKafka(t, testserver.KafkaAdvertised(proxy.Addr))
	proxy.SetTarget(k.Addr)
	k.CreateTopic(topic, 4)
	c := quick(proxy.Addr)
	c.Heartbeat, c.Timeout = 200*time.Millisecond, 2*time.Second
	c.SessionTimeout, c.HandOver = 6*time.Second, 5*time.Second // the group waits so long for a member whose request to join was cut off
	testStore(t, proxy.Addr)
	end := make(chan struct{})
	var cutter sync.WaitGroup
	cutter.Go(func() {
		defer proxy.SetDelay(0)
		// Joining a group takes several answers: if the cuts went on, a busy
		// machine might never get to the end of it.
		for range 12 {
			select {
			case <-end:
				return
			case <-time.After(700 * time.Millisecond):
				proxy.Reset()
				proxy.SetDelay(rand.N(100 * time.Millisecond))
			}
		}
	})
	defer cutter.Wait()
	defer close(end)
	c.Group = "storm"
	storm(t, c, 6, run.ErrDrain) // several cuts can cost more than a member has to leave
}

// unsignedToken is a token that Kafka accepts in tests.
func unsignedToken(valid time.Duration) string {
	part := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	now := time.Now()
	return part(`{"alg":"none"}`) + "." + part(fmt.Sprintf(`{"sub":"user","iat":%d,"exp":%d}`, now.Add(-2*time.Hour).Unix(), now.Add(valid).Unix())) + "."
}
