package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/orffvar/forecaster/internal/tools/logtest"
	"github.com/orffvar/forecaster/internal/tools/testserver"
	"github.com/orffvar/forecaster/stream"
)

// values returns the values of messages.
func values(messages []stream.Message) []string {
	var list []string
	for _, m := range messages {
		list = append(list, string(m.Value))
	}
	return list
}

// readValues reads n messages, then makes sure that no more are there.
func readValues(ctx context.Context, p *Partition, from int64, n int) ([]string, error) {
	if err := p.Seek(ctx, from, stream.Mark{}); err != nil {
		return nil, err
	}
	var all []string
	dst := make([]stream.Message, 7)
	for {
		rctx, cancel := ctx, context.CancelFunc(func() {})
		if len(all) >= n {
			rctx, cancel = context.WithTimeout(ctx, 10*p.group.config.MaxWait)
		}
		k, err := p.Read(rctx, dst)
		cancel()
		all = append(all, values(dst[:k])...)
		if len(all) >= n && errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			return all, nil
		}
		if err != nil {
			return all, err
		}
	}
}

// readUntilNoLag reads until nothing is left to be read. It fails when a message comes.
func readUntilNoLag(ctx context.Context, p *Partition) error {
	dst := make([]stream.Message, 7)
	for p.group.Status().Partitions[0].Lag() != 0 {
		rctx, cancel := context.WithTimeout(ctx, p.group.config.MaxWait)
		n, err := p.Read(rctx, dst)
		cancel()
		if n > 0 || ctx.Err() != nil {
			return fmt.Errorf("%v read, lag %d, error %w", values(dst[:n]), p.group.Status().Partitions[0].Lag(), err)
		}
	}
	return nil
}

// transactional is a producer of transactions to the first partition.
type transactional struct {
	*kgo.Client
	t *testing.T
}

func newTransactional(t *testing.T, addr, id string) transactional {
	t.Helper()
	c, err := kgo.NewClient(kgo.SeedBrokers(addr), kgo.TransactionalID(id), kgo.DefaultProduceTopic(topic), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return transactional{c, t}
}

func (x transactional) begin(values ...string) {
	x.t.Helper()
	if err := x.BeginTransaction(); err != nil {
		x.t.Fatal(err)
	}
	x.add(values...)
}

func (x transactional) add(values ...string) {
	x.t.Helper()
	for _, v := range values {
		if err := x.ProduceSync(deadline(x.t), kgo.StringRecord(v)).FirstErr(); err != nil {
			x.t.Fatal(err)
		}
	}
}

func (x transactional) end(commit kgo.TransactionEndTry) {
	x.t.Helper()
	if err := x.EndTransaction(deadline(x.t), commit); err != nil {
		x.t.Fatal(err)
	}
}

// TestFault61_AbortedTransactions: transactions of two producers that overlap, with plain
// messages between them. Only committed messages are delivered, wherever reading starts
// and however the log is cut into answers, and undecided ones are waited for.
func TestFault61_AbortedTransactions(t *testing.T) {
	t.Parallel()
	b := newBroker(t, 1)
	one, two := newTransactional(t, b.Addr(), "one"), newTransactional(t, b.Addr(), "two")
	plain := func(n int) { send(t, b.Addr(), n, n+1) }

	one.begin("bad1", "bad2")         // 0, 1
	two.begin("a")                    // 2
	plain(900)                        // 3
	one.add("bad3")                   // 4
	one.end(kgo.TryAbort)             // 5
	one.begin("b")                    // 6
	two.add("c")                      // 7
	two.end(kgo.TryCommit)            // 8
	two.begin("bad4")                 // 9
	plain(901)                        // 10
	one.end(kgo.TryCommit)            // 11
	one.begin("bad5")                 // 12
	two.end(kgo.TryAbort)             // 13
	one.end(kgo.TryAbort)             // 14
	two.begin("d", "e")               // 15, 16
	two.end(kgo.TryCommit)            // 17
	one.begin("undecided1", "undec2") // 18, 19
	plain(902)                        // 20

	committed := map[int64]string{2: "a", 3: "900", 6: "b", 7: "c", 10: "901", 15: "d", 16: "e"}
	wanted := func(from int64) []string {
		var list []string
		for i := from; i < 18; i++ {
			if v, ok := committed[i]; ok {
				list = append(list, v)
			}
		}
		return list
	}
	c := quick(b.Addr())
	c.MaxWait = 20 * time.Millisecond
	for _, bytes := range []int{1, 200, 1 << 20} {
		c.FetchBytes = bytes
		for _, from := range []int64{0, 1, 2, 4, 5, 9, 13, 17} {
			err := runGroup(t, newGroup(t, c), func(ctx context.Context, p *Partition) error {
				got, err := readValues(ctx, p, from, len(wanted(from)))
				if !slices.Equal(got, wanted(from)) {
					t.Errorf("answers of %d bytes, from %d: %v, want %v", bytes, from, got, wanted(from))
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}

	c.Isolation = ReadUncommitted
	err := runGroup(t, newGroup(t, c), func(ctx context.Context, p *Partition) error {
		got, err := readValues(ctx, p, 0, 15)
		if len(got) != 15 {
			t.Errorf("read_uncommitted: %v", got)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	// The reader waits before the transaction that is open; nothing of it is passed over.
	c.Isolation = ReadCommitted
	err = runGroup(t, newGroup(t, c), func(ctx context.Context, p *Partition) error {
		if _, err := readValues(ctx, p, 15, 2); err != nil {
			return err
		}
		if err := readUntilNoLag(ctx, p); err != nil {
			return err
		}
		if s := p.group.Status().Partitions[0]; s.Position != 18 || s.End != 18 {
			t.Errorf("before the open transaction: %+v", s)
		}
		one.end(kgo.TryCommit)
		var got []string
		dst := make([]stream.Message, 7)
		for len(got) < 3 {
			n, err := p.Read(ctx, dst)
			if err != nil {
				return err
			}
			got = append(got, values(dst[:n])...)
		}
		if want := []string{"undecided1", "undec2", "902"}; !slices.Equal(got, want) {
			t.Errorf("after the commit: %v, want %v", got, want)
		}
		if err := readUntilNoLag(ctx, p); err != nil {
			return err
		}
		if s := p.group.Status().Partitions[0]; s.Position != 22 || s.End != 22 {
			t.Errorf("behind the marker of the commit: %+v", s)
		}
		return p.Commit(ctx, 21)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestFault61_NewestStartsBeforeOpenTransactions: messages undecided when a group starts
// at the end may come to count.
func TestFault61_NewestStartsBeforeOpenTransactions(t *testing.T) {
	b := newBroker(t, 1)
	send(t, b.Addr(), 0, 5)
	x := newTransactional(t, b.Addr(), "x")
	x.begin("later")
	c := quick(b.Addr())
	c.Offset = Newest
	err := runGroup(t, newGroup(t, c), func(ctx context.Context, p *Partition) error {
		dst := make([]stream.Message, 7)
		for !p.started { // the transaction is open when the group finds out where to start
			short, cancel := context.WithTimeout(ctx, 5*c.MaxWait)
			n, err := p.Read(short, dst)
			cancel()
			if n != 0 || !errors.Is(err, context.DeadlineExceeded) {
				return fmt.Errorf("%v, error %w", values(dst[:n]), err)
			}
		}
		x.end(kgo.TryCommit)
		n, err := p.Read(ctx, dst)
		if got := values(dst[:n]); !slices.Equal(got, []string{"later"}) {
			t.Errorf("%v, want the message of the transaction", got)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestFault61_RealKafkaAbortedTransactions: transactions of the Java client, of which a
// third is aborted.
func TestFault61_RealKafkaAbortedTransactions(t *testing.T) {
	t.Parallel()
	k := testserver.StartKafka(t)
	k.CreateTopic(topic, 1)
	out := k.Java("Transactions.java", k.Addr, topic)
	var wanted []string
	for line := range strings.Lines(out) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), "committed "); ok {
			wanted = append(wanted, v)
		}
	}
	aborted := strings.Count(out, "aborted ")
	if len(wanted) != 60 || aborted != 30 {
		t.Fatalf("the producer says:\n%s", out)
	}
	for _, test := range []struct {
		isolation Isolation
		bytes     int
		want      int
	}{{"", 0, 60}, {ReadCommitted, 1, 60}, {ReadCommitted, 300, 60}, {ReadUncommitted, 0, 90}} {
		c := quick(k.Addr)
		c.Isolation, c.FetchBytes = test.isolation, test.bytes
		err := runGroup(t, newGroup(t, c), func(ctx context.Context, p *Partition) error {
			got, err := readValues(ctx, p, 0, test.want)
			if len(got) != test.want || test.want == 60 && !slices.Equal(got, wanted) {
				t.Errorf("%+v: %d messages %v, want %v", test, len(got), got, wanted)
			}
			if err != nil {
				return err
			}
			return readUntilNoLag(ctx, p) // the log ends with a marker
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestFault65_EmptyAnswerBelowTheEnd: an empty answer before the end of the log changes no position.
func TestFault65_EmptyAnswerBelowTheEnd(t *testing.T) {
	b := newBroker(t, 1)
	send(t, b.Addr(), 0, 20)
	id := b.Cluster().TopicInfo(topic).TopicID
	var requests atomic.Int64
	b.Cluster().ControlKey(int16(kmsg.Fetch), func(req kmsg.Request) (kmsg.Response, error, bool) {
		b.Cluster().KeepControl()
		if requests.Add(1)%3 == 0 { // two of three answers are empty
			return nil, nil, false
		}
		resp := req.ResponseKind().(*kmsg.FetchResponse)
		p := kmsg.NewFetchResponseTopicPartition()
		p.HighWatermark, p.LastStableOffset = 20, 20
		top := kmsg.NewFetchResponseTopic()
		top.Topic, top.TopicID = topic, id
		top.Partitions = append(top.Partitions, p)
		resp.Topics = append(resp.Topics, top)
		return resp, nil, true
	})
	c := quick(b.Addr())
	c.FetchBytes = 1
	err := runGroup(t, newGroup(t, c), func(ctx context.Context, p *Partition) error {
		messages, err := readAll(ctx, p, 0)
		checkNumbers(t, messages, 0, 20)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestFault77_HungTransaction: messages that wait behind an open transaction are a problem of the partition until
// the transaction ends.
func TestFault77_HungTransaction(t *testing.T) {
	t.Parallel()
	b := newBroker(t, 1)
	x := newTransactional(t, b.Addr(), "x")
	send(t, b.Addr(), 0, 3)
	x.begin("open")
	send(t, b.Addr(), 3, 5)
	var log logtest.Buffer
	c := quick(b.Addr())
	c.Log = logtest.New(&log)
	g := newGroup(t, c)
	g.hungAfter = 50 * time.Millisecond
	err := runGroup(t, g, func(ctx context.Context, p *Partition) error {
		if _, err := readValues(ctx, p, 0, 3); err != nil {
			return err
		}
		problem := func() string { return g.Status().Partitions[0].Problem }
		for !strings.Contains(problem(), "an open transaction at offset 3") {
			short, cancel := context.WithTimeout(ctx, p.group.config.MaxWait)
			_, err := p.Read(short, make([]stream.Message, 7))
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) {
				return err
			}
		}
		x.end(kgo.TryCommit)
		if _, err := readValues(ctx, p, 3, 3); err != nil {
			return err
		}
		if text := problem(); text != "" {
			t.Errorf("after the end of the transaction: %s", text)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if n := strings.Count(log.String(), "a transaction that does not end"); n != 1 {
		t.Errorf("%d lines in the log:\n%s", n, log.String())
	}
}
