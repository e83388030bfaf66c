package kafka

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/kafka/kafkasink"
)

// ledger is a consumer with state, like the forecaster: snapshots have names, and
// the metadata of a commit is the name of the valid snapshot.
type ledger struct {
	mu        sync.Mutex
	snapshots map[string]int64 // name -> sum
	n         int
}

func (l *ledger) save(sum int64) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n++
	name := fmt.Sprintf("s%d", l.n)
	l.snapshots[name] = sum
	return name
}

func (l *ledger) load(name string) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.snapshots[name]
}

func (l *ledger) work(ctx context.Context, p *Partition) error {
	next, name, err := p.Committed(ctx)
	if err != nil {
		return err
	}
	var sum int64
	if next < 0 {
		next = 0
	} else {
		sum = l.load(name)
	}
	if err := p.Seek(ctx, next, stream.Mark{}); err != nil {
		return err
	}
	saved := next
	commit := func() error {
		// As long as it takes, but beyond the end of ctx half of HandOver.
		drain, cancel := context.WithCancel(context.WithoutCancel(ctx))
		defer cancel()
		defer context.AfterFunc(ctx, func() { time.AfterFunc(p.group.config.HandOver/2, cancel) })()
		saved = next
		return p.CommitMetadata(drain, next, l.save(sum))
	}
	dst := make([]stream.Message, 16)
	for {
		idle, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		n, err := p.Read(idle, dst)
		waited := idle.Err() != nil
		cancel()
		switch {
		case ctx.Err() != nil && err != nil:
			return commit()
		case waited && err != nil:
			if next > saved {
				err = commit()
			} else {
				err = nil
			}
		}
		if err != nil {
			return err
		}
		for _, m := range dst[:n] {
			if m.Offset != next {
				return fmt.Errorf("offset %d where %d was expected", m.Offset, next)
			}
			next++
			sum = sum*31 + int64(len(m.Value)) + int64(m.Value[0]) // order matters
		}
		if rand.N(4) == 0 {
			if err := commit(); err != nil {
				return err
			}
		}
	}
}

func TestRebalanceUnderLoad(t *testing.T) {
	t.Parallel()
	const partitions = 6
	b := newBroker(t, partitions)
	l := &ledger{snapshots: make(map[string]int64)}
	var stops [3]func() error
	for i := range 3 {
		stops[i] = start(t, newGroup(t, quick(b.Addr())), l.work)
	}
	p, err := kafkasink.NewProducer(connection(b.Addr()), topic, quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	rng := rand.New(rand.NewPCG(1, 2))
	sent := 0
	for range 12 {
		for range 20 {
			if err := p.Send(deadline(t), numbered(sent, sent+50)); err != nil {
				t.Fatal(err)
			}
			sent += 50
			time.Sleep(5 * time.Millisecond)
		}
		if i := rng.IntN(3); stops[i] == nil {
			stops[i] = start(t, newGroup(t, quick(b.Addr())), l.work)
		} else if err := stops[i](); err != nil {
			t.Fatalf("member %d: %v", i, err)
		} else {
			stops[i] = nil
		}
	}
	committed := func() (n int64) {
		if g := b.Cluster().GroupInfo("g"); g != nil {
			for _, c := range g.Commits[topic] {
				n += c.Offset
			}
		}
		return n
	}
	for i := range 3 {
		if stops[i] == nil {
			stops[i] = start(t, newGroup(t, quick(b.Addr())), l.work)
		}
	}
	eventually(t, "everything is committed", func() bool { return committed() == int64(sent) })
	for i := range 3 {
		if err := stops[i](); err != nil {
			t.Errorf("member %d: %v", i, err)
		}
	}
	// The state of every partition is that of one reader without interruptions.
	c := quick(b.Addr())
	c.Group = ""
	err = runGroup(t, newGroup(t, c), func(ctx context.Context, p *Partition) error {
		all, err := readAll(ctx, p, 0)
		if err != nil {
			return err
		}
		var want int64
		for _, m := range all {
			want = want*31 + int64(len(m.Value)) + int64(m.Value[0])
		}
		name := parseNote(b.Cluster().GroupInfo("g").Commits[topic][int32(p.Number())].Metadata).text
		if got := l.load(name); got != want {
			t.Errorf("partition %d: state %d, want %d", p.Number(), got, want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFault08_CommitIsFenced(t *testing.T) {
	b := newBroker(t, 2)
	send(t, b.Addr(), 0, 20)

	// The work of the first generation is kept and used when it is over.
	var first atomic.Pointer[Partition]
	var calls atomic.Int32
	work := func(ctx context.Context, p *Partition) error {
		if p.Number() == 0 && calls.Add(1) == 1 {
			if err := p.Commit(ctx, 3); err != nil {
				return err
			}
			first.Store(p)
		}
		<-ctx.Done()
		return nil
	}
	start(t, newGroup(t, quick(b.Addr())), work)
	eventually(t, "the first commit", func() bool { return first.Load() != nil })
	start(t, newGroup(t, quick(b.Addr())), work)
	if _, err := b.Cluster().WaitGroupStable(deadline(t), "g", 2); err != nil {
		t.Fatal(err)
	}
	p := first.Load()
	eventually(t, "the end of the first generation", func() bool { return p.life.Err() != nil })

	if err := p.Commit(deadline(t), 5); !errors.Is(err, errFenced) {
		t.Errorf("a commit after the end of the work: %v", err)
	}
	// A process that was stopped in the meantime does not know that its time is over.
	unaware := *p
	unaware.life = context.Background()
	if err := unaware.Commit(deadline(t), 5); !errors.Is(err, errFenced) || !errors.Is(err, kafkago.IllegalGeneration) {
		t.Errorf("a commit of an old generation: %v", err)
	}
	if got := b.Cluster().GroupInfo("g").Commits[topic][0].Offset; got != 3 {
		t.Errorf("offset %d is committed, want 3", got)
	}
}

func TestFencedWorkStartsAgain(t *testing.T) {
	b := newBroker(t, 1)
	send(t, b.Addr(), 0, 20)
	b.Cluster().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetCommit}, Err: kerr.UnknownMemberID})
	calls := 0
	err := runGroup(t, newGroup(t, quick(b.Addr())), func(ctx context.Context, p *Partition) error {
		calls++
		return p.Commit(ctx, 7)
	})
	if err != nil || calls != 2 {
		t.Fatalf("%d calls, error %v", calls, err)
	}
	if got := b.Cluster().GroupInfo("g").Commits[topic][0].Offset; got != 7 {
		t.Errorf("offset %d is committed, want 7", got)
	}
}

func TestErrorOfWorkEndsTheGroupAfterHandOver(t *testing.T) {
	b := newBroker(t, 2)
	var handed atomic.Bool
	err := runGroup(t, newGroup(t, quick(b.Addr())), func(ctx context.Context, p *Partition) error {
		if p.Number() == 0 {
			return errEnough
		}
		<-ctx.Done()
		drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		handed.Store(p.Commit(drain, 0) == nil)
		return nil
	})
	if !errors.Is(err, errEnough) || !strings.Contains(err.Error(), "in[0]") {
		t.Errorf("error %v", err)
	}
	if !handed.Load() {
		t.Error("the other partition could not commit when it was handed over")
	}
}

func TestFault52_StuckWork(t *testing.T) {
	b := newBroker(t, 1)
	c := quick(b.Addr())
	c.HandOver = 100 * time.Millisecond
	release := make(chan struct{})
	defer close(release)
	var late atomic.Pointer[Partition]
	stop := start(t, newGroup(t, c), func(ctx context.Context, p *Partition) error {
		late.Store(p)
		<-release
		return nil
	})
	eventually(t, "the assignment", func() bool { return late.Load() != nil })
	if err := stop(); !errors.Is(err, errStuck) {
		t.Errorf("error %v", err)
	}
	if err := late.Load().Commit(deadline(t), 1); !errors.Is(err, errFenced) {
		t.Errorf("a late commit: %v", err)
	}
}

// TestFault83_SlowWorkJoinsAgain: work that takes longer than HandOver to end, as on a frozen or loaded machine,
// loses its partition, but the member continues.
func TestFault83_SlowWorkJoinsAgain(t *testing.T) {
	b := newBroker(t, 1)
	c := quick(b.Addr())
	c.HandOver = 50 * time.Millisecond
	var begun, ended atomic.Int32
	g := newGroup(t, c)
	stop := start(t, g, func(ctx context.Context, p *Partition) error {
		if begun.Add(1) > 2 {
			<-ctx.Done()
			return nil
		}
		<-ctx.Done()
		<-p.life.Done() // HandOver is over
		ended.Add(1)
		return p.Commit(context.Background(), 1)
	})
	for i := range int32(2) {
		eventually(t, "the assignment", func() bool { return begun.Load() == i+1 && ended.Load() == i })
		other := start(t, newGroup(t, c), func(ctx context.Context, _ *Partition) error { <-ctx.Done(); return nil })
		eventually(t, "the hand-over", func() bool { return ended.Load() == i+1 })
		if err := other(); err != nil {
			t.Error(err)
		}
	}
	eventually(t, "the last assignment", func() bool { return begun.Load() == 3 })
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// TestFault83_AbandonedWork: work that has not ended long after its partition was lost ends the group.
func TestFault83_AbandonedWork(t *testing.T) {
	b := newBroker(t, 1)
	c := quick(b.Addr())
	c.HandOver = 50 * time.Millisecond
	release := make(chan struct{})
	defer close(release)
	g := newGroup(t, c)
	g.abandonAfter = 50 * time.Millisecond
	var begun atomic.Bool
	result := make(chan error, 1)
	go func() {
		result <- g.Run(context.Background(), func(context.Context, *Partition) error {
			begun.Store(true)
			<-release
			return nil
		})
	}()
	eventually(t, "the assignment", begun.Load)
	start(t, newGroup(t, c), func(ctx context.Context, _ *Partition) error { <-ctx.Done(); return nil })
	if err := <-result; !errors.Is(err, errStuck) {
		t.Errorf("error %v", err)
	}
}
