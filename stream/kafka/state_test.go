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
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/orffvar/forecaster/stream/assemble"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/engine"

	kafkago "github.com/segmentio/kafka-go"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/tools/testserver"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/kafka/kafkasink"
	"github.com/orffvar/forecaster/stream/lineproto"
	"github.com/orffvar/forecaster/stream/run"
	"github.com/orffvar/forecaster/stream/streamtest"
)

const stateTopic = "g-state"

func openState(t testing.TB, addr string) *StateTopic {
	t.Helper()
	s, err := openStateTopic(deadline(t), connection(addr), stateTopic, 1, quiet)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// own makes the caller the owner of partition 0 until end.
func own(t testing.TB, addr string) (p *Partition, end func()) {
	t.Helper()
	return ownWith(t, quick(addr))
}

// ownWith is own for a member of a group with the given configuration.
func ownWith(t testing.TB, c GroupConfig) (p *Partition, end func()) {
	t.Helper()
	assigned := make(chan *Partition, 1)
	stop := start(t, newGroup(t, c), func(ctx context.Context, p *Partition) error {
		if p.Number() == 0 {
			select {
			case assigned <- p:
			default:
			}
		}
		<-ctx.Done()
		return nil
	})
	select {
	case p = <-assigned:
	case <-time.After(patience):
		t.Fatal("no partition was assigned")
	}
	return p, func() {
		if err := stop(); err != nil {
			t.Fatal(err)
		}
	}
}

func testStore(t *testing.T, addr string) {
	streamtest.TestStore(t, func(t *testing.T) (checkpoint.Store, func()) {
		p, end := own(t, addr)
		return openState(t, addr).Store(p), end
	})
}

func TestStoreContract(t *testing.T) { testStore(t, newBroker(t, 1).Addr()) }

func checkpointAt(next int64, size int) checkpoint.Checkpoint {
	return checkpoint.Checkpoint{Settings: settings(), Next: next, Outputs: checkpoint.Positions{{Output: "file a", Length: 1}}, State: checkpoint.StateOf(bytes.Repeat([]byte{byte(next)}, size))}
}

// at returns the offset of the last of some checkpoints; -1 = none.
func at(list []checkpoint.Checkpoint) int64 {
	if len(list) == 0 {
		return -1
	}
	return list[len(list)-1].Next
}

func saveAt(t testing.TB, s *Store, next ...int64) {
	t.Helper()
	for _, n := range next {
		if err := s.Save(deadline(t), checkpointAt(n, chunkBytes*2+100)); err != nil {
			t.Fatal(err)
		}
	}
}

// live returns the keys that compaction will leave.
func live(t testing.TB, s *Store) []string {
	t.Helper()
	keys := make(map[string]bool)
	err := s.scan(deadline(t), 0, func(_ string, _ int, m *stream.Message) {
		keys[string(m.Key)] = m.Value != nil
	})
	if err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(keys, func(_ string, alive bool) bool { return !alive })
	return slices.Sorted(maps.Keys(keys))
}

func TestStoreKeepsTwoSnapshots(t *testing.T) {
	t.Parallel()
	addr := newBroker(t, 1).Addr()
	p, _ := own(t, addr)
	s := openState(t, addr).Store(p)
	saveAt(t, s, 1, 2, 3, 4)
	keys := live(t, s)
	if len(keys) != 2*4 || !strings.HasPrefix(keys[0], "g/in/0/3-") || !strings.HasPrefix(keys[7], "g/in/0/4-") {
		t.Errorf("%q", keys)
	}
	// The commit that a Runner adds changes nothing.
	if err := p.Commit(deadline(t), 4); err != nil {
		t.Fatal(err)
	}
	if c, err := s.Load(deadline(t)); err != nil || at(c) != 4 || c[0].State.Size != chunkBytes*2+100 {
		t.Errorf("%d, %v", at(c), err)
	}
	// One of another offset is one of its own.
	if err := p.Commit(deadline(t), 5); err != nil {
		t.Fatal(err)
	}
	if offset, _, err := p.Committed(deadline(t)); err != nil || offset != 5 {
		t.Errorf("committed %d, %v", offset, err)
	}
}

// TestFault38_ChunkMissing: the snapshot before is used, and when that is damaged,
// too, the error says so.
func TestFault38_ChunkMissing(t *testing.T) {
	t.Parallel()
	addr := newBroker(t, 1).Addr()
	p, _ := own(t, addr)
	state := openState(t, addr)
	s := state.Store(p)
	saveAt(t, s, 1, 2, 3)
	ctx := deadline(t)
	if _, err := s.produce(ctx, record{key: s.key(s.current.id, 1)}); err != nil {
		t.Fatal(err)
	}
	fresh := state.Store(p)
	if c, err := fresh.Load(ctx); err != nil || at(c) != 2 {
		t.Fatalf("%d, %v; want the checkpoint before", at(c), err)
	}
	if _, err := s.produce(ctx, record{key: s.key(s.previous.id, 0), value: []byte("other")}); err != nil {
		t.Fatal(err)
	}
	_, err := state.Store(p).Load(ctx)
	if !errors.Is(err, checkpoint.ErrCorrupt) || !strings.Contains(err.Error(), "chunk 1 of 3") || !strings.Contains(err.Error(), "does not begin with") {
		t.Errorf("got %v", err)
	}
	saveAt(t, fresh, 4)
	if c, err := state.Store(p).Load(ctx); err != nil || at(c) != 4 {
		t.Errorf("%d, %v", at(c), err)
	}
}

func saveChanges(t testing.TB, s *Store, since int64, next ...int64) {
	t.Helper()
	for _, n := range next {
		c := checkpointAt(n, 100)
		c.Since = since
		if err := s.Save(deadline(t), c); err != nil {
			t.Fatal(err)
		}
		since = n
	}
}

// TestFault38_DamagedChanges: the checkpoints before the damage are used. Uncommitted changes do not count, and are
// removed after the first commit of the next owner.
func TestFault38_DamagedChanges(t *testing.T) {
	t.Parallel()
	addr := newBroker(t, 1).Addr()
	p, _ := own(t, addr)
	state := openState(t, addr)
	s := state.Store(p)
	saveAt(t, s, 1, 2)
	saveChanges(t, s, 2, 3, 4, 5)
	ctx := deadline(t)
	if _, err := s.produce(ctx, record{key: s.key(s.current.id, s.current.chunks), value: []byte("of a zombie")}); err != nil {
		t.Fatal(err)
	}
	fresh := state.Store(p)
	if c, err := fresh.Load(ctx); err != nil || at(c) != 5 || len(c) != 4 || fresh.Damaged() != 0 {
		t.Fatalf("%d, %v", at(c), err)
	}
	saveAt(t, fresh, 6)
	if n := len(live(t, s)); n != 4+3+4 {
		t.Errorf("%d keys, want a snapshot with three changes, and the next one", n)
	}
	s = fresh
	saveChanges(t, s, 6, 7, 8, 9)
	if _, err := s.produce(ctx, record{key: s.key(s.current.id, 4)}); err != nil { // of 0 to 5
		t.Fatal(err)
	}
	fresh = state.Store(p)
	if c, err := fresh.Load(ctx); err != nil || at(c) != 7 || fresh.Damaged() != 1 {
		t.Fatalf("%d, %v; want what comes before the damage", at(c), err)
	}
	if err := fresh.Save(ctx, checkpoint.Checkpoint{Next: 13, Since: 7}); !errors.Is(err, errChanges) {
		t.Errorf("changes after a restart gave %v", err)
	}
	saveAt(t, fresh, 10)
	saveChanges(t, fresh, 10, 11)
	if c, err := state.Store(p).Load(ctx); err != nil || at(c) != 11 {
		t.Errorf("%d, %v", at(c), err)
	}
	if n := len(live(t, s)); n != 4+1+6 {
		t.Errorf("%d keys, want a snapshot with a change, and the rest of the damaged one", n)
	}
}

// TestFault20_CommitsExpired: the group forgets its offsets, but the state does not start from scratch: the
// checkpoint that goes farthest is used, also when a former owner has written another one behind it.
func TestFault20_CommitsExpired(t *testing.T) {
	t.Parallel()
	for _, order := range [][]int64{{1, 2}, {2, 1}} {
		addr := newBroker(t, 1).Addr()
		p, end := own(t, addr)
		state := openState(t, addr)
		saveAt(t, state.Store(p), order...)
		end()
		resp, err := p.group.client.OffsetDelete(deadline(t), &kafkago.OffsetDeleteRequest{GroupID: "g", Topics: map[string][]int{topic: {0}}})
		if err != nil || resp.Error != nil {
			t.Fatal(err, resp)
		}
		p, _ = own(t, addr)
		if offset, _, err := p.Committed(deadline(t)); err != nil || offset != -1 {
			t.Fatalf("the group still knows %d, %v", offset, err)
		}
		if c, err := state.Store(p).Load(deadline(t)); err != nil || at(c) != 2 {
			t.Errorf("%v: %d, %v", order, at(c), err)
		}
	}
}

// TestStoreRefusesOtherCommits: an offset committed by another program does not identify a state.
func TestStoreRefusesOtherCommits(t *testing.T) {
	addr := newBroker(t, 1).Addr()
	p, _ := own(t, addr)
	if err := p.Commit(deadline(t), 5); err != nil {
		t.Fatal(err)
	}
	if _, err := openState(t, addr).Store(p).Load(deadline(t)); !errors.Is(err, ErrNoState) {
		t.Errorf("got %v", err)
	}
}

// TestZombieCannotCommit: writes of a member that has lost the partition change nothing, and are removed after the
// first commit of the next owner.
func TestZombieCannotCommit(t *testing.T) {
	t.Parallel()
	addr := newBroker(t, 1).Addr()
	state := openState(t, addr)
	p, end := own(t, addr)
	old := state.Store(p)
	saveAt(t, old, 1, 2)
	saveChanges(t, old, 2, 3)
	end()
	p2, _ := own(t, addr)
	s := state.Store(p2)
	if c, err := s.Load(deadline(t)); err != nil || at(c) != 3 {
		t.Fatalf("%d, %v", at(c), err)
	}
	saveAt(t, s, 4)
	if err := old.Save(deadline(t), checkpointAt(9, 10)); !errors.Is(err, errFenced) {
		t.Errorf("a member that has left could commit: %v", err)
	}
	// As if it were still writing: changes and a snapshot without their commits.
	p.life, p.expire = context.WithCancelCause(context.Background())
	more := checkpointAt(7, 10)
	more.Since = 3
	if err := old.Save(deadline(t), more); !errors.Is(err, errFenced) {
		t.Errorf("a commit of an old generation was accepted: %v", err)
	}
	if err := old.Save(deadline(t), checkpointAt(8, 10)); !errors.Is(err, errFenced) {
		t.Errorf("a commit of an old generation was accepted: %v", err)
	}
	if n := len(live(t, s)); n != 5+4+1+2 {
		t.Errorf("%d keys, want two snapshots, and changes and a snapshot of the zombie", n)
	}
	// Nor does a member that has lost the partition, and loads late, remove anything: what it
	// finds without a commit may be what the present owner is about to commit.
	late := state.Store(p)
	if _, err := late.Load(deadline(t)); err != nil {
		t.Fatal(err)
	}
	before := live(t, s)
	if err := late.Save(deadline(t), checkpointAt(9, 10)); !errors.Is(err, errFenced) {
		t.Errorf("a commit of an old generation was accepted: %v", err)
	}
	after := live(t, s)
	for _, key := range before {
		if !slices.Contains(after, key) {
			t.Errorf("%s was removed by a member that has lost the partition", key)
		}
	}
	s = state.Store(p2)
	if c, err := s.Load(deadline(t)); err != nil || at(c) != 4 {
		t.Errorf("%d, %v", at(c), err)
	}
	saveAt(t, s, 5)
	if keys := live(t, s); len(keys) != 4+4 || !strings.HasPrefix(keys[0], "g/in/0/4-") || !strings.HasPrefix(keys[7], "g/in/0/5-") {
		t.Errorf("left: %q", keys)
	}
}

func TestStateTopicMustBeCompacted(t *testing.T) {
	b := newBroker(t, 3)
	_, err := openStateTopic(deadline(t), connection(b.Addr()), topic, 3, quiet)
	if err == nil || !strings.Contains(err.Error(), "cleanup.policy=delete") {
		t.Errorf("got %v", err)
	}
	if _, err := openStateTopic(deadline(t), connection(b.Addr()), topic, 4, quiet); err == nil || !strings.Contains(err.Error(), "3 partitions, the input 4") {
		t.Errorf("got %v", err)
	}
}

// TestFault79_WrongClockOfACheckpoint: the error names the clock.
func TestFault79_WrongClockOfACheckpoint(t *testing.T) {
	b := newBroker(t, 1)
	b.Cluster().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.InvalidTimestamp, Count: 2})
	state := openState(t, b.Addr())
	p := newGroup(t, quick(b.Addr())).newPartition(topicPartition{topic, 0}, nil)
	_, err := state.Store(p).produce(deadline(t), record{key: []byte("k"), value: []byte("v")})
	if !errors.Is(err, kafkago.InvalidTimestamp) || !strings.Contains(err.Error(), "clock of this machine says") {
		t.Errorf("error %v", err)
	}
}

func FuzzManifests(f *testing.F) {
	m := manifest{id: "12-3-abcd", next: 12, first: 7, chunks: 2}
	f.Add(formatManifests(m))
	f.Add(formatManifests(m, manifest{}, m))
	f.Add("snapshots1 a,1,2,3,00,ff")
	f.Add(startMark)
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parseManifests(text)
		if err == nil && formatManifests(list...) != text {
			t.Errorf("%q was read as %q", text, formatManifests(list...))
		}
	})
}

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

var (
	members = flag.Int("members", 3, "most members of a rebalance storm, which grows to so many, then shrinks to one")
	rounds  = flag.Int("rounds", 6, "rounds of a rebalance storm: in each a member joins or leaves")
	every   = flag.Duration("every", 100*time.Millisecond, "time between two rounds")
)

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
