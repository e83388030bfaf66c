package kafka

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/orffvar/forecaster/internal/tools/logtest"
	"github.com/orffvar/forecaster/stream/checkpoint"
)

// errOther is the error of an operation whose result differs from the saved checkpoints.
var errOther = errors.New("other checkpoints")

// operations returns the requests of a job and its commands before samples flow, by name. Their group has saved two
// snapshots, of offsets 1 and 2.
func operations(t *testing.T, addr string, p *Partition) map[string]func(context.Context) error {
	t.Helper()
	g := newGroup(t, quick(addr))
	state := openState(t, addr)
	saved, err := g.SavedState(deadline(t), stateTopic)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { saved.Close() })
	two := func(list []checkpoint.Checkpoint, err error) error {
		if err == nil && (len(list) == 0 || at(list) != 2) {
			err = errOther
		}
		return err
	}
	return map[string]func(context.Context) error{
		"run": func(ctx context.Context) error {
			return newGroup(t, quick(addr)).Run(ctx, func(context.Context, *Partition) error { return errEnough })
		},
		"state topic": func(ctx context.Context) error {
			s, err := g.StateTopic(ctx, stateTopic)
			if err != nil {
				return err
			}
			return s.Close()
		},
		"new state topic": func(ctx context.Context) error {
			_, err := TryStateTopic(ctx, connection(addr), "other", 1)
			return err
		},
		"saved state": func(ctx context.Context) error {
			s, err := g.SavedState(ctx, stateTopic)
			if err == nil {
				s.Close()
			}
			return err
		},
		"list": func(ctx context.Context) error {
			list, err := saved.Checkpoints(ctx)
			if err == nil && len(list) != 2 {
				err = errOther
			}
			return err
		},
		"load":           func(ctx context.Context) error { return two(state.Store(p).Load(ctx)) },
		"newest":         func(ctx context.Context) error { return two(state.Store(p).newest(ctx)) },
		"delete offsets": g.DeleteOffsets,
	}
}

// member returns a member of the group of operations.
func member(t *testing.T, addr string) *Partition {
	t.Helper()
	p, _ := own(t, addr)
	saveAt(t, openState(t, addr).Store(p), 1, 2)
	return p
}

// TestRefusalsAtTheStart: a refusal by the broker at any request of the start ends the job with the broker's
// reason.
func TestRefusalsAtTheStart(t *testing.T) {
	t.Parallel()
	b := newBroker(t, 1)
	p := member(t, b.Addr())
	all := operations(t, b.Addr(), p)
	// This comes first: a client keeps a refused list of topics for some seconds.
	if err := all["delete offsets"](deadline(t)); !errors.Is(err, errInUse) {
		t.Errorf("offsets of a group with a member: %v", err)
	}
	for what, keys := range map[string][]kmsg.Key{
		"run":             {kmsg.Metadata, kmsg.FindCoordinator, kmsg.JoinGroup, kmsg.OffsetFetch},
		"state topic":     {kmsg.Metadata, kmsg.OffsetFetch, kmsg.DescribeConfigs},
		"new state topic": {kmsg.Metadata, kmsg.CreateTopics},
		"saved state":     {kmsg.Metadata},
	} {
		for _, key := range keys {
			fault := b.Cluster().Fault(kfake.Fault{Keys: []kmsg.Key{key}, Err: kerr.TopicAuthorizationFailed, Count: -1})
			err := all[what](deadline(t))
			if fault.Remove(); err == nil || !strings.Contains(err.Error(), "Topic Authorization Failed") {
				t.Errorf("%s: the broker refuses %s: %v", what, key.Name(), err)
			}
		}
	}
}

// TestOperationsEndWithTheirContext: an operation whose context ends at any of its requests returns an error, or the
// answer if it has that already: nothing in its place would be taken for it.
func TestOperationsEndWithTheirContext(t *testing.T) {
	t.Parallel()
	b := newBroker(t, 1)
	for what, run := range operations(t, b.Addr(), member(t, b.Addr())) {
		if what == "run" || what == "delete offsets" {
			continue // see the tests of groups
		}
		for last := int64(1); ; last++ {
			var asked atomic.Int64
			ctx, cancel := context.WithCancel(deadline(t))
			fault := b.Cluster().Fault(kfake.Fault{
				Keys: []kmsg.Key{kmsg.Metadata, kmsg.ListOffsets, kmsg.Fetch, kmsg.OffsetFetch, kmsg.CreateTopics, kmsg.DescribeConfigs},
				When: func(kmsg.Request) bool {
					if asked.Add(1) == last {
						cancel()
					}
					return false
				}, Count: -1,
			})
			err := run(ctx)
			fault.Remove()
			cancel()
			n := asked.Load()
			if n < last {
				if err != nil {
					t.Errorf("%s: %d requests: %v", what, n, err)
				}
				break
			}
			if errors.Is(err, errOther) || errors.Is(err, checkpoint.ErrNoCheckpoint) || errors.Is(err, checkpoint.ErrCorrupt) {
				t.Errorf("%s: the context ends at request %d of %d: %v", what, last, n, err)
			}
		}
	}
}

// TestWaitsAreLoggedOnce: a group that waits for a topic or for its coordinator says so once, however often it asks, and
// lists its partitions by topic and number.
func TestWaitsAreLoggedOnce(t *testing.T) {
	t.Parallel()
	b := newBroker(t, 1)
	var log bytes.Buffer
	c := quick(b.Addr())
	c.Topics, c.Log = []string{topic, "none"}, logtest.New(&log)
	asked := b.Cluster().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Metadata}, Observe: true, Count: -1})
	g := newGroup(t, c)
	stop := start(t, g, func(context.Context, *Partition) error { return errEnough })
	eventually(t, "the group has asked three times", func() bool { return asked.Hits() > 3 })
	if err := stop(); err != nil {
		t.Error(err)
	}
	if n := strings.Count(log.String(), "waiting for Kafka"); n != 1 {
		t.Errorf("logged %d times: %s", n, &log)
	}
	for _, tp := range []topicPartition{{"b", 1}, {"a", 10}, {"b", 0}, {"a", 9}, {"c", 0}} {
		g.counters[tp] = new(counters)
	}
	var got []string
	for _, p := range g.Status().Partitions {
		got = append(got, fmt.Sprint(p.Topic, p.Partition))
	}
	if want := []string{"a9", "a10", "b0", "b1", "c0"}; !slices.Equal(got, want) {
		t.Errorf("partitions %q", got)
	}
	log.Reset()
	c.Topics = []string{topic}
	b.Cluster().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.JoinGroup}, Err: kerr.CoordinatorNotAvailable, Count: 2})
	if err := runGroup(t, newGroup(t, c), func(context.Context, *Partition) error { return nil }); err != nil {
		t.Error(err)
	}
	if n := strings.Count(log.String(), `"joining the group"`); n != 2 { // the attempt and its error
		t.Errorf("logged %d times: %s", n, &log)
	}
}
