package kafka

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/tools/testserver"
	"github.com/orffvar/forecaster/stream"
)

// collect is work that gathers all messages of a partition. What is read again
// because a commit failed replaces the messages read before.
type collect struct {
	mu       sync.Mutex
	messages []stream.Message
}

func (c *collect) work(ctx context.Context, p *Partition) error {
	all, err := readAll(ctx, p, -1)
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.messages = slices.DeleteFunc(c.messages, func(m stream.Message) bool {
		return int(m.Partition) == p.Number() && len(all) > 0 && m.Offset >= all[0].Offset
	})
	c.messages = append(c.messages, all...)
	c.mu.Unlock()
	return p.Commit(ctx, p.position.Load())
}

func TestGroupReadsAllPartitions(t *testing.T) {
	for _, group := range []string{"", "g"} {
		t.Run("group="+group, func(t *testing.T) {
			b := newBroker(t, 4)
			send(t, b.Addr(), 0, 5000)
			c := quick(b.Addr())
			c.Group = group
			c.FetchBytes = 2000 // many fetches
			var got collect
			if err := runGroup(t, newGroup(t, c), got.work); err != nil {
				t.Fatal(err)
			}
			checkNumbers(t, got.messages, 0, 5000)
		})
	}
}

func TestResumeWithoutLossOrDuplicates(t *testing.T) {
	b := newBroker(t, 2)
	c := quick(b.Addr())
	for i := range 4 {
		send(t, b.Addr(), 100*i, 100*(i+1))
		var got collect
		if err := runGroup(t, newGroup(t, c), got.work); err != nil {
			t.Fatal(err)
		}
		checkNumbers(t, got.messages, 100*i, 100*(i+1))
	}
}

func TestNewestMissesNothingAfterARestart(t *testing.T) {
	b := newBroker(t, 1)
	send(t, b.Addr(), 0, 10)
	c := quick(b.Addr())
	c.Offset, c.Stateful = Newest, true
	// The first run sees nothing and ends without a commit of its own.
	stop := start(t, newGroup(t, c), func(ctx context.Context, p *Partition) error {
		_, err := p.Read(ctx, make([]stream.Message, 1))
		return err
	})
	eventually(t, "a commit of the newest offset", func() bool {
		g := b.Cluster().GroupInfo("g")
		return g != nil && g.Commits[topic][0].Offset == 10
	})
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	send(t, b.Addr(), 10, 20)
	var got collect
	if err := runGroup(t, newGroup(t, c), got.work); err != nil {
		t.Fatal(err)
	}
	checkNumbers(t, got.messages, 10, 20)
}

func TestFault20_MissingState(t *testing.T) {
	b := newBroker(t, 1)
	send(t, b.Addr(), 0, 10)
	c := quick(b.Addr())
	c.Stateful = true
	var got collect
	if err := runGroup(t, newGroup(t, c), got.work); err != nil { // nothing is committed yet
		t.Fatal(err)
	}
	if err := runGroup(t, newGroup(t, c), got.work); !errors.Is(err, ErrNoState) || !strings.Contains(err.Error(), "offset 10") {
		t.Errorf("error %v, want ErrNoState", err)
	}
	err := runGroup(t, newGroup(t, c), func(ctx context.Context, p *Partition) error { return p.Seek(ctx, 10, stream.Mark{}) })
	if err != nil {
		t.Errorf("with a state: %v", err)
	}
}

func TestFault15_MissingTopic(t *testing.T) {
	t.Parallel()
	b := newBroker(t, 1)
	c := quick(b.Addr())
	c.Topics = []string{"later", topic}
	g := newGroup(t, c)
	var assigned atomic.Int32
	stop := start(t, g, func(ctx context.Context, p *Partition) error {
		assigned.Add(1)
		<-ctx.Done()
		return nil
	})
	eventually(t, "the state says which topic is missing", func() bool { return strings.Contains(g.Status().State, "later") })
	if err := c.CreateTopic(deadline(t), "later", 2); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the assignment", func() bool { return assigned.Load() == 3 })
	if s := g.Status(); s.State != "" || len(s.Partitions) != 3 || !s.Partitions[0].Assigned || s.Generation < 1 {
		t.Errorf("status %+v", s)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

func TestFault17_MorePartitions(t *testing.T) {
	t.Parallel()
	b := newBroker(t, 2)
	g := newGroup(t, quick(b.Addr()))
	g.watchEvery = 50 * time.Millisecond
	result := make(chan error, 1)
	assigned := make(chan struct{}, 2)
	go func() {
		result <- runGroup(t, g, func(ctx context.Context, p *Partition) error {
			assigned <- struct{}{}
			<-ctx.Done()
			return nil
		})
	}()
	<-assigned
	addPartitions(t, b.Addr(), 3)
	if err := <-result; !errors.Is(err, ErrPartitions) || !strings.Contains(err.Error(), "had 2 and has 3") || !strings.Contains(err.Error(), "series may have moved") {
		t.Errorf("error %v", err)
	}
}

// Run ends when it is told to, whatever Run waits for. How soon is counted in connections,
// which a busy machine does not add to: one or none as a rule. The limit leaves room for a
// request under way and for leaving the group, which try again every quarter of a second.
func TestRunEndsSoon(t *testing.T) {
	b := newBroker(t, 1)
	for name, c := range map[string]struct {
		set     func(*GroupConfig, *testserver.Proxy)
		reached func(s Status, proxy *testserver.Proxy, reading bool) bool
	}{
		"reading": {
			func(*GroupConfig, *testserver.Proxy) {},
			func(_ Status, _ *testserver.Proxy, reading bool) bool { return reading },
		},
		"missing topic": {
			func(c *GroupConfig, _ *testserver.Proxy) { c.Topics = []string{"nowhere"} },
			func(s Status, _ *testserver.Proxy, _ bool) bool { return strings.Contains(s.State, "nowhere") },
		},
		"black hole": {
			func(_ *GroupConfig, p *testserver.Proxy) { p.SetBlackHole(true) },
			func(_ Status, p *testserver.Proxy, _ bool) bool { return p.Accepted() > 0 },
		},
		"no broker": {
			func(_ *GroupConfig, p *testserver.Proxy) { p.SetRefuse(true) },
			func(_ Status, p *testserver.Proxy, _ bool) bool { return p.Accepted() > 0 },
		},
	} {
		t.Run(name, func(t *testing.T) {
			proxy := testserver.StartProxy(t, b.Addr())
			config := quick(proxy.Addr)
			config.Timeout = 2 * time.Second
			c.set(&config, proxy)
			g := newGroup(t, config)
			var reading atomic.Bool
			stop := start(t, g, func(ctx context.Context, p *Partition) error {
				reading.Store(true)
				for {
					if _, err := p.Read(ctx, make([]stream.Message, 1)); err != nil {
						return err
					}
				}
			})
			eventually(t, name, func() bool { return c.reached(g.Status(), proxy, reading.Load()) })
			before := proxy.Accepted()
			if err := stop(); err != nil {
				t.Error(err)
			}
			if n := proxy.Accepted() - before; n > 20 {
				t.Errorf("%d connections after it was told to stop", n)
			}
		})
	}
}

func TestLagIsReported(t *testing.T) {
	b := newBroker(t, 1)
	send(t, b.Addr(), 0, 30)
	g := newGroup(t, quick(b.Addr()))
	g.watchEvery = 20 * time.Millisecond
	read := make(chan struct{})
	stop := start(t, g, func(ctx context.Context, p *Partition) error {
		if n, err := p.Read(ctx, make([]stream.Message, 12)); n != 12 || err != nil {
			t.Errorf("%d messages, error %v", n, err)
		}
		close(read)
		<-ctx.Done()
		return nil
	})
	<-read
	if s := g.Status().Partitions[0]; s.Position != 12 || s.End != 30 || s.Lag() != 18 {
		t.Errorf("status %+v", s)
	}
	send(t, b.Addr(), 30, 35)
	eventually(t, "the lag of a reader that does not read grows", func() bool { return g.Status().Partitions[0].Lag() == 23 })
	stop()
}

func TestConfigIsChecked(t *testing.T) {
	for _, c := range []struct {
		change func(*GroupConfig)
		want   string
	}{
		{func(c *GroupConfig) { c.Topics = nil }, "Topics"},
		{func(c *GroupConfig) { c.Brokers = nil }, "no brokers"},
		{func(c *GroupConfig) { c.Offset = "latest" }, `"latest"`},
		{func(c *GroupConfig) { c.HandOver = time.Hour }, "SessionTimeout"},
		{func(c *GroupConfig) { c.SASL.Mechanism = "GSSAPI" }, "GSSAPI"},
	} {
		config := quick("127.0.0.1:1")
		c.change(&config)
		if _, err := NewGroup(config); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %s", err, c.want)
		}
	}
}
