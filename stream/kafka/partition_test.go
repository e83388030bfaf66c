package kafka

import (
	"bytes"
	"context"
	"errors"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/segmentio/kafka-go/compress"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/kafka/kafkasink"
	"github.com/orffvar/forecaster/stream/refuse"
)

func TestFault18_BelowTheLog(t *testing.T) {
	b := newBroker(t, 1)
	send(t, b.Addr(), 0, 100)
	if err := b.Cluster().DeleteRecords(topic, 0, 40); err != nil {
		t.Fatal(err)
	}
	g := newGroup(t, quick(b.Addr()))
	err := runGroup(t, g, func(ctx context.Context, p *Partition) error {
		all, err := readAll(ctx, p, 10)
		checkNumbers(t, all, 40, 100)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := g.Status().Partitions[0].Lost; got != 30 {
		t.Errorf("%d records are counted as lost, want 30", got)
	}

	c := quick(b.Addr())
	c.StopOnLoss = true
	err = runGroup(t, newGroup(t, c), func(ctx context.Context, p *Partition) error { return p.Seek(ctx, 10, stream.Mark{}) })
	if !errors.Is(err, errLost) {
		t.Errorf("error %v, want ErrLost", err)
	}
}

func TestFault18_RetentionPassesTheReader(t *testing.T) {
	t.Parallel()
	b := newBroker(t, 1)
	send(t, b.Addr(), 0, 10)
	g := newGroup(t, quick(b.Addr()))
	err := runGroup(t, g, func(ctx context.Context, p *Partition) error {
		dst := make([]stream.Message, 100)
		if n, err := p.Read(ctx, dst); n != 10 || err != nil {
			t.Errorf("%d messages, error %v", n, err)
		}
		b.Cluster().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Err: kerr.NotLeaderForPartition, Count: 3})
		send(t, b.Addr(), 10, 30)
		if err := b.Cluster().DeleteRecords(topic, 0, 20); err != nil {
			return err
		}
		var all []stream.Message
		for len(all) < 10 {
			n, err := p.Read(ctx, dst)
			if err != nil {
				return err
			}
			all = append(all, dst[:n]...)
		}
		if all[0].Offset == 20 {
			checkNumbers(t, all, 20, 30)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if s := g.Status().Partitions[0]; s.Retries == 0 || s.Problem != "" || s.Lost != 0 && s.Lost != 10 {
		t.Errorf("status %+v", s)
	}
}

func TestFault19_BeyondTheEnd(t *testing.T) {
	b := newBroker(t, 1)
	send(t, b.Addr(), 0, 10)
	seek := func(to int64) error {
		return runGroup(t, newGroup(t, quick(b.Addr())), func(ctx context.Context, p *Partition) error { return p.Seek(ctx, to, stream.Mark{}) })
	}
	if err := seek(10); err != nil {
		t.Errorf("the end itself: %v", err)
	}
	if err := seek(11); !errors.Is(err, ErrBeyondEnd) || !strings.Contains(err.Error(), "position 11, end 10") {
		t.Errorf("beyond the end: %v", err)
	}
}

func TestFault21_LargeMessage(t *testing.T) {
	b := newBroker(t, 1)
	p, err := kafkasink.NewProducer(connection(b.Addr()), topic, quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	big := bytes.Repeat([]byte("x"), 1000)
	if err := p.Send(deadline(t), []stream.Message{{Key: []byte("k"), Value: big}, {Key: big}, {Key: []byte("k"), Value: []byte("y")}}); err != nil {
		t.Fatal(err)
	}
	c := quick(b.Addr())
	c.MaxMessageBytes = 100
	err = runGroup(t, newGroup(t, c), func(ctx context.Context, p *Partition) error {
		all, err := readAll(ctx, p, 0)
		if err != nil {
			return err
		}
		if len(all) != 3 {
			t.Fatalf("%d messages", len(all))
		}
		for i, sizes := range [][2]int{{1, 99}, {100, 0}} {
			m := all[i]
			if m.Refused == nil || m.Refused.Reason != refuse.TooLarge || len(m.Key) != sizes[0] || len(m.Value) != sizes[1] {
				t.Errorf("message %d: %v with %d + %d bytes", i, m.Refused, len(m.Key), len(m.Value))
			}
		}
		if m := all[2]; m.Refused != nil || string(m.Value) != "y" || m.Time == 0 {
			t.Errorf("the message that follows: %+v", m)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFault22_DecompressionBomb(t *testing.T) {
	t.Parallel()
	// A lower limit than the real one makes this quick under the race detector.
	const limit = 1 << 20
	saved := compress.Codecs
	t.Cleanup(func() { compress.Codecs = saved })
	for i, c := range saved {
		if c == nil {
			continue
		}
		if real := c.(cappedCodec); real.limit != maxExpanded {
			t.Errorf("%s may expand to %d bytes", c.Name(), real.limit)
		}
		compress.Codecs[i] = cappedCodec{c.(cappedCodec).Codec, limit}
	}
	for _, codec := range []kgo.CompressionCodec{kgo.GzipCompression(), kgo.SnappyCompression(), kgo.Lz4Compression(), kgo.ZstdCompression()} {
		b := newBroker(t, 1)
		client, err := kgo.NewClient(kgo.SeedBrokers(b.Addr()), kgo.DefaultProduceTopic(topic),
			kgo.ProducerBatchCompression(codec), kgo.ProducerBatchMaxBytes(2*limit), kgo.BrokerMaxWriteBytes(100*limit))
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range [][]byte{[]byte("before"), make([]byte, limit), []byte("after")} {
			if err := client.ProduceSync(deadline(t), kgo.SliceRecord(v)).FirstErr(); err != nil {
				t.Fatal(err)
			}
		}
		client.Close()
		err = runGroup(t, newGroup(t, quick(b.Addr())), func(ctx context.Context, p *Partition) error {
			all, err := readAll(ctx, p, 0)
			if err != nil {
				return err
			}
			if len(all) != 3 || string(all[0].Value) != "before" || all[1].Refused == nil || all[1].Value != nil || string(all[2].Value) != "after" {
				t.Errorf("%d messages: %.200v", len(all), all)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%v: %v", codec, err)
		}
	}
}

func TestTransactionsAndCompactionLeaveHoles(t *testing.T) {
	b := newBroker(t, 1)
	if err := b.Cluster().CreateTopic("compacted", 1, map[string]string{"cleanup.policy": "compact", "retention.ms": "-1", "segment.bytes": "100", "min.cleanable.dirty.ratio": "0.01"}); err != nil {
		t.Fatal(err)
	}
	txn, err := kgo.NewClient(kgo.SeedBrokers(b.Addr()), kgo.TransactionalID("txn"), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer txn.Close()
	ctx := deadline(t)
	for _, commit := range []kgo.TransactionEndTry{kgo.TryCommit, kgo.TryAbort, kgo.TryCommit} {
		if err := txn.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		if err := txn.ProduceSync(ctx, &kgo.Record{Topic: topic, Value: []byte("v")}).FirstErr(); err != nil {
			t.Fatal(err)
		}
		if err := txn.EndTransaction(ctx, commit); err != nil {
			t.Fatal(err)
		}
	}
	plain, err := kgo.NewClient(kgo.SeedBrokers(b.Addr()), kgo.DefaultProduceTopic("compacted"))
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	for i := range 50 {
		for _, key := range []string{"a", "b", string(rune('0' + i%10))} {
			if err := plain.ProduceSync(ctx, kgo.KeyStringRecord(key, "v")).FirstErr(); err != nil {
				t.Fatal(err)
			}
		}
	}
	b.Cluster().Compact()

	c := quick(b.Addr())
	c.Topics = []string{topic, "compacted"}
	var n atomic.Int64
	err = runGroup(t, newGroup(t, c), func(ctx context.Context, p *Partition) error {
		_, end, err := p.bounds(ctx)
		if err != nil {
			return err
		}
		dst := make([]stream.Message, 10)
		last := int64(-1)
		for p.fetched < end || !p.started { // until the markers at the end are passed, too
			rctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
			k, err := p.Read(rctx, dst)
			cancel()
			if err != nil && !errors.Is(err, context.DeadlineExceeded) {
				return err
			}
			for _, m := range dst[:k] {
				if m.Offset <= last {
					t.Errorf("%s: offset %d after %d", p.Topic(), m.Offset, last)
				}
				last = m.Offset
				if p.Topic() == topic {
					n.Add(1)
				}
			}
		}
		return p.Commit(ctx, end)
	})
	if err != nil {
		t.Fatal(err)
	}
	if n.Load() != 2 {
		t.Errorf("%d messages of transactions, want 2: neither aborted ones nor markers are delivered", n.Load())
	}
}

func TestFault09_TransientFaults(t *testing.T) {
	t.Parallel()
	var cut cuttable
	b := newBroker(t, 3, kfake.ListenFn(cut.listen))
	send(t, b.Addr(), 0, 3000)
	for _, key := range []kmsg.Key{kmsg.Fetch, kmsg.ListOffsets, kmsg.OffsetFetch, kmsg.OffsetCommit, kmsg.JoinGroup, kmsg.SyncGroup, kmsg.FindCoordinator} {
		b.Cluster().Fault(kfake.Fault{Keys: []kmsg.Key{key}, Err: kerr.CoordinatorLoadInProgress})
	}
	c := quick(b.Addr())
	c.FetchBytes = 3000
	ended := make(chan struct{})
	go func() {
		for range 5 {
			select {
			case <-ended:
				return
			case <-time.After(100 * time.Millisecond):
				cut.all()
			}
		}
	}()
	defer close(ended)
	var got collect
	if err := runGroup(t, newGroup(t, c), got.work); err != nil {
		t.Fatal(err)
	}
	checkNumbers(t, got.messages, 0, 3000)
}

// cuttable is a listener whose connections can be broken.
type cuttable struct {
	net.Listener
	mu    sync.Mutex
	conns []net.Conn
}

func (l *cuttable) listen(network, address string) (net.Listener, error) {
	var err error
	l.Listener, err = net.Listen(network, address)
	return l, err
}

func (l *cuttable) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns = append(l.conns, c)
	return c, err
}

func (l *cuttable) all() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.conns {
		if c != nil {
			c.Close()
		}
	}
	l.conns = nil
}

func TestMetadataOfCommits(t *testing.T) {
	for _, text := range []string{"", "a b  c"} {
		want := note{partitions: 4, mark: stream.Mark{Offset: 17, Hash: 42}, text: text}
		if got := parseNote(want.String()); got != want {
			t.Errorf("%+v became %+v", want, got)
		}
	}
	for _, foreign := range []string{"", "v2", "v2 ", "v2 1 12 x", "v2 1 1:12 x", "v2 1 -1:000000000000002a x", "v1 000000000000002a x", "somebody else's"} {
		if got := parseNote(foreign); got != (note{text: foreign}) {
			t.Errorf("%q became %+v", foreign, got)
		}
	}
}

// TestMessagesStayValidUntilTheNextRead: with reads and fetches that do not fit
// each other, and without the memory growing with the log.
func TestMessagesStayValidUntilTheNextRead(t *testing.T) {
	b := newBroker(t, 1)
	const n = 20000
	send(t, b.Addr(), 0, n)
	c := quick(b.Addr())
	c.FetchBytes = 4000
	err := runGroup(t, newGroup(t, c), func(ctx context.Context, p *Partition) error {
		dst := make([]stream.Message, 2500)
		largest := 0
		for next := 0; next < n; {
			k, err := p.Read(ctx, dst[:1+next%len(dst)])
			if err != nil {
				return err
			}
			for _, m := range dst[:k] {
				if got := string(m.Value); got != strconv.Itoa(next) || string(m.Key) != strconv.Itoa(next%10) {
					t.Fatalf("message %s=%s, want number %d", m.Key, got, next)
				}
				next++
			}
			largest = max(largest, cap(p.arena), cap(p.spare), cap(p.messages))
		}
		if largest > 50_000 { // a few reads
			t.Errorf("the memory has grown to %d", largest)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestReadDeliversWhatIsThere(t *testing.T) {
	b := newBroker(t, 1)
	send(t, b.Addr(), 0, 25)
	err := runGroup(t, newGroup(t, quick(b.Addr())), func(ctx context.Context, p *Partition) error {
		dst := make([]stream.Message, 10)
		for _, want := range []int{10, 10, 5} {
			if n, err := p.Read(ctx, dst); n != want || err != nil {
				t.Errorf("%d messages, error %v, want %d", n, err, want)
			}
		}
		// A Read that ends early loses nothing of what arrives.
		short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		defer cancel()
		if n, err := p.Read(short, dst); n != 0 || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%d messages, error %v", n, err)
		}
		send(t, b.Addr(), 25, 28)
		var all []stream.Message
		for len(all) < 3 {
			n, err := p.Read(ctx, dst)
			if err != nil {
				return err
			}
			for _, m := range dst[:n] {
				m.Key, m.Value = bytes.Clone(m.Key), bytes.Clone(m.Value)
				all = append(all, m)
			}
		}
		checkNumbers(t, all, 25, 28)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func FuzzMetadata(f *testing.F) {
	for _, s := range []string{"", "v2 4 7:000000000000002a text", "v2 4 7:-00000000000002a x", "v2 4 7:000000000000002a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n := parseNote(s); n.text != s && n.String() != s || n.text == s && (n.partitions != 0 || !n.mark.None()) {
			t.Errorf("%q is %+v", s, n)
		}
		want := note{partitions: 4, mark: stream.Mark{Offset: 17, Hash: 42}, text: s}
		if n := parseNote(want.String()); n != want {
			t.Errorf("%q came back as %+v", s, n)
		}
	})
}
