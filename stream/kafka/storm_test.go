package kafka

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/tools/testserver"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/kafka/kafkasink"
	"github.com/orffvar/forecaster/stream/lineproto"
	"github.com/orffvar/forecaster/stream/run"
	"github.com/orffvar/forecaster/stream/streamtest"
)

var (
	members = flag.Int("members", 3, "most members of a rebalance storm, which grows to so many, then shrinks to one")
	rounds  = flag.Int("rounds", 6, "rounds of a rebalance storm: in each a member joins or leaves")
	every   = flag.Duration("every", 100*time.Millisecond, "time between two rounds")
)

// recorder is a sink that keeps the last value of each point, and finds points
// that get two values.
type recorder struct {
	mu     sync.Mutex
	points map[string]string
	bad    string
}

func (r *recorder) Close() error { return nil }

// unescapedBlank ends the tags of a line.
var unescapedBlank = regexp.MustCompile(`[^\\] `)

func (r *recorder) Write(_ context.Context, b *stream.Batch) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for line := range bytes.Lines(lineproto.Encoder{}.AppendBatch(nil, b)) {
		i, j := unescapedBlank.FindIndex(line)[0]+1, bytes.LastIndexByte(line, ' ')
		key, value := string(line[:i])+string(line[j:]), string(line[i:j])
		if old, ok := r.points[key]; ok && old != value {
			r.bad = fmt.Sprintf("%s had %s and gets %s", key, old, value)
		}
		r.points[key] = value
	}
	return nil
}

// newTestEngine returns the engine of a partition, in whose name it reports on all series.
func newTestEngine(t testing.TB, partition int) *engine.Engine {
	t.Helper()
	e, err := engine.New(engine.Config{
		Model: "drift", Horizon: 2, Config: assemble.Config{Interval: time.Second}, MetricsEvery: 10,
		NewModel: func(dim int) (eval.Model, error) { return streamtest.NewDrift(dim, 2, 0), nil },
		Pool:     fmt.Sprintf("%s %d", stream.AllSeries, partition),
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func newTestDecoder(t testing.TB) stream.Decoder {
	t.Helper()
	d, err := format.NewJSON(format.JSONConfig{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// sendSamples writes samples n to m-1 of seven series.
func sendSamples(t testing.TB, addr string, n, m int) {
	t.Helper()
	p, err := kafkasink.NewProducer(connection(addr), topic, quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var messages []stream.Message
	for i := n; i < m; i++ {
		for k := range 7 {
			messages = append(messages, stream.Message{
				Key: fmt.Appendf(nil, "s%d", k), Value: fmt.Appendf(nil, `{"time": %d, "values": [%d]}`, 1_000_000_000+i, (i*i*(k+3))%101),
			})
		}
	}
	if err := p.Send(deadline(t), messages); err != nil {
		t.Fatal(err)
	}
}

// startMember runs what a process of the group runs.
func startMember(t *testing.T, c GroupConfig, sink stream.Sink) (stop func() error) {
	t.Helper()
	state, err := newGroup(t, c).StateTopic(deadline(t), c.Group+"-state")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { state.Close() })
	c.Stateful = true
	return start(t, newGroup(t, c), func(ctx context.Context, p *Partition) error {
		runner, err := run.NewRunner(run.Config{
			Source: p, Decoder: newTestDecoder(t), Engine: newTestEngine(t, p.Number()), Sink: sink, Store: state.Store(p), Settings: settings(),
			CheckpointEvery: 50 * time.Millisecond, BatchPoints: 50, DrainTimeout: c.HandOver / 2,
		})
		if err != nil {
			return err
		}
		return runner.Run(ctx)
	})
}

// replay runs the log offline, each partition by an engine of its own, and returns
// points and states.
func replay(t *testing.T, c GroupConfig) (sink *recorder, states map[int][]byte, ends map[int]int64) {
	t.Helper()
	c.Group, c.Stateful = "", false
	sink = &recorder{points: make(map[string]string)}
	states, ends = make(map[int][]byte), make(map[int]int64)
	var mu sync.Mutex
	err := runGroup(t, newGroup(t, c), func(ctx context.Context, p *Partition) error {
		all, err := readAll(ctx, p, 0)
		if err != nil {
			return err
		}
		e, d := newTestEngine(t, p.Number()), newTestDecoder(t)
		var b engine.Results
		for i := range all {
			r := stream.Record{Message: &all[i]}
			if err := d.Decode(&r, &all[i]); err != nil {
				return err
			}
			if err := streamtest.Apply(e, &b, &r); err != nil {
				return err
			}
		}
		mu.Lock()
		defer mu.Unlock()
		states[p.Number()], ends[p.Number()] = streamtest.Snapshot(e), int64(len(all))
		return sink.Write(ctx, &b.Batch)
	})
	if err != nil {
		t.Fatal(err)
	}
	return sink, states, ends
}

// compare waits until the group has committed everything, and compares states
// and points with those of the replay.
func compare(t *testing.T, c GroupConfig, got *recorder) {
	t.Helper()
	want, states, ends := replay(t, c)
	state, err := openStateTopic(deadline(t), c.Connection, c.Group+"-state", 1, quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer state.Close()
	g := newGroup(t, c)
	for number, wantState := range states {
		// It looks without being a member.
		p := g.newPartition(topicPartition{topic, number}, &membership{group: c.Group})
		eventually(t, fmt.Sprintf("partition %d is committed", number), func() bool {
			offset, _, err := p.Committed(deadline(t))
			return err == nil && offset == max(ends[number], -1) || ends[number] == 0
		})
		if ends[number] == 0 {
			continue
		}
		s := state.Store(p)
		_, text, err := p.Committed(deadline(t))
		if err != nil {
			t.Fatal(err)
		}
		list, err := parseManifests(text)
		if err != nil {
			t.Fatal(err)
		}
		chain, _, err := s.read(deadline(t), list[0])
		if err != nil {
			t.Fatal(err)
		}
		var changes []checkpoint.State
		for _, cp := range chain[1:] {
			changes = append(changes, cp.State)
		}
		e := newTestEngine(t, number)
		if err := e.Restore(chain[0].State, changes...); err != nil || !bytes.Equal(streamtest.Snapshot(e), wantState) {
			t.Errorf("partition %d: the state differs from that of a replay (%v)", number, err)
		}
	}
	got.mu.Lock()
	defer got.mu.Unlock()
	if got.bad != "" {
		t.Error(got.bad)
	}
	if !maps.Equal(got.points, want.points) {
		t.Errorf("the sink has %d points, want %d", len(got.points), len(want.points))
	}
}

// storm lets members come and go while samples arrive. A member may leave with one
// of the allowed errors: another one then does what it had no time for.
func storm(t *testing.T, c GroupConfig, rounds int, allowed ...error) {
	addr := c.Brokers[0]
	sink := &recorder{points: make(map[string]string)}
	stops := []func() error{startMember(t, c, sink)}
	unexpected := func(err error) bool {
		return err != nil && !slices.ContainsFunc(allowed, func(e error) bool { return errors.Is(err, e) })
	}
	at, grows := 0, true
	for range rounds {
		sendSamples(t, addr, at, at+20)
		at += 20
		if grows = len(stops) == 1 || grows && len(stops) < *members; !grows {
			if err := stops[0](); unexpected(err) {
				t.Fatal(err)
			}
			stops = stops[1:]
		} else {
			stops = append(stops, startMember(t, c, sink))
		}
		time.Sleep(*every)
	}
	sendSamples(t, addr, at, at+20)
	compare(t, c, sink)
	t.Logf("%d rounds, %d points", rounds, len(sink.points))
	for _, stop := range stops {
		if err := stop(); unexpected(err) {
			t.Error(err)
		}
	}
	compare(t, c, sink)
}

// TestFault05_RebalanceStorm: the state goes from member to member through the
// state topic, and nothing is lost or learnt twice.
//
//	go test ./stream/kafka -run RebalanceStorm -v -timeout 0 -rounds 50 -every 2s -members 5
func TestFault05_RebalanceStorm(t *testing.T) {
	t.Parallel()
	t.Run("in memory", func(t *testing.T) { storm(t, quick(newBroker(t, *members+1).Addr()), *rounds) })
	t.Run("Apache Kafka", func(t *testing.T) {
		if testing.Short() {
			t.Skip("a real broker takes some seconds to start")
		}
		k := testserver.StartKafka(t)
		k.CreateTopic(topic, *members+1)
		c := quick(k.Addr)
		c.Heartbeat = 200 * time.Millisecond
		storm(t, c, *rounds)
	})
}
