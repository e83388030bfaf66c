package kafka

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/orffvar/forecaster/internal/devbroker"
	"github.com/orffvar/forecaster/internal/tools/logtest"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/kafka/internal/kafkatest"
	"github.com/orffvar/forecaster/stream/kafka/kafkasink"
)

const topic = kafkatest.Topic

// TestMain lets more tests run at a time than there are processors, for most of them wait. -parallel is read later.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err)
	}
	m.Run()
}

// newBroker starts a broker whose groups may have short sessions.
func newBroker(t testing.TB, partitions int, options ...kfake.Opt) *devbroker.Broker {
	t.Helper()
	return kafkatest.NewBroker(t, partitions, append(options, kfake.GroupMinSessionTimeout(100*time.Millisecond))...)
}

var (
	quiet      = logtest.Discard()
	connection = kafkatest.Connection
	numbered   = kafkatest.Numbered
)

// patience is how long a test waits for what must come: only when it does not come
// does a test take so long, however busy the machine is.
const patience = 2 * time.Minute

// quick is the configuration of a group whose members notice each other soon. They
// have nearly all of a session to leave it.
func quick(addr string) GroupConfig {
	return GroupConfig{
		Connection: connection(addr), Topics: []string{topic}, Group: "g",
		MaxWait: 50 * time.Millisecond, Log: quiet,
		SessionTimeout: 10 * time.Second, Heartbeat: 50 * time.Millisecond, HandOver: 8 * time.Second,
	}
}

func newGroup(t testing.TB, c GroupConfig) *Group {
	t.Helper()
	g, err := NewGroup(c)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func deadline(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// send writes messages n to m-1: each has its number as value and as key the
// number modulo 10.
func send(t testing.TB, addr string, n, m int) {
	t.Helper()
	p, err := kafkasink.NewProducer(connection(addr), topic, quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Send(deadline(t), numbered(n, m)); err != nil {
		t.Fatal(err)
	}
}

// start runs a group in the background; stop ends it and returns its error.
func start(t testing.TB, g *Group, work Work) (stop func() error) {
	t.Helper()
	return background(t, func(ctx context.Context) error { return g.Run(ctx, work) })
}

func background(t testing.TB, run func(context.Context) error) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	result := make(chan error, 1)
	go func() { result <- run(ctx) }()
	stop = sync.OnceValue(func() error {
		cancel()
		select {
		case err := <-result:
			return err
		case <-time.After(patience):
			return errors.New("Run did not return")
		}
	})
	t.Cleanup(func() { stop() })
	return stop
}

// runGroup runs a group until it ends by itself.
func runGroup(t testing.TB, g *Group, work Work) error {
	t.Helper()
	return g.Run(deadline(t), work)
}

// eventually waits for a condition.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within %v", what, patience)
		}
	}
}

// errEnough ends a Group from its work.
var errEnough = errors.New("enough")

// readAll returns the messages of a partition up to the end of its log, with
// copies of what they refer to.
func readAll(ctx context.Context, p *Partition, from int64) ([]stream.Message, error) {
	if from >= 0 {
		if err := p.Seek(ctx, from, stream.Mark{}); err != nil {
			return nil, err
		}
	}
	var all []stream.Message
	dst := make([]stream.Message, 7)
	_, end, err := p.bounds(ctx)
	if err != nil {
		return nil, err
	}
	if !p.started {
		if err := p.open(ctx, -1, stream.Mark{}); err != nil {
			return nil, err
		}
	}
	for p.position.Load() < end {
		n, err := p.Read(ctx, dst)
		if err != nil {
			return all, err
		}
		for _, m := range dst[:n] {
			if k := len(all); k > 0 && m.Offset <= all[k-1].Offset {
				return nil, fmt.Errorf("offset %d after %d", m.Offset, all[k-1].Offset)
			}
			m.Key, m.Value = append([]byte(nil), m.Key...), append([]byte(nil), m.Value...)
			all = append(all, m)
		}
	}
	return all, nil
}

// checkNumbers verifies that messages have the numbers from n to m-1 once, in
// order for every key.
func checkNumbers(t testing.TB, messages []stream.Message, n, m int) {
	t.Helper()
	seen := make(map[int]bool)
	last := make(map[string]int)
	for _, msg := range messages {
		i, err := strconv.Atoi(string(msg.Value))
		if err != nil || i < n || i >= m || seen[i] {
			t.Fatalf("message %s: unexpected or twice (%v)", msg.Value, err)
		}
		seen[i] = true
		key := string(msg.Key)
		if want := fmt.Sprint(i % 10); key != want {
			t.Fatalf("message %d has the key %q", i, key)
		}
		if l, ok := last[key]; ok && i < l {
			t.Fatalf("message %d after %d", i, l)
		}
		last[key] = i
	}
	if len(seen) != m-n {
		t.Fatalf("%d messages, want %d", len(seen), m-n)
	}
}

// settings are what the states of the tests depend on.
func settings() []checkpoint.Setting {
	return []checkpoint.Setting{{Key: "model.type", Value: "drift"}}
}
