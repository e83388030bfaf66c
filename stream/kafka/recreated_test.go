package kafka

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	kafkago "github.com/segmentio/kafka-go"

	"github.com/orffvar/forecaster/internal/devbroker"
	"github.com/orffvar/forecaster/stream"
)

// recreate deletes the topic, which had ten messages, and creates it again with n
// other ones.
func recreate(t *testing.T, b *devbroker.Broker, n int) {
	t.Helper()
	if err := b.Cluster().DeleteTopic(topic); err != nil {
		t.Fatal(err)
	}
	if err := b.Cluster().CreateTopic(topic, 1, nil); err != nil {
		t.Fatal(err)
	}
	send(t, b.Addr(), 100, 100+n)
}

// watchOften is the time between two looks of a watcher that shall find a new log before anything else does.
const watchOften = 20 * time.Millisecond

// wantReplaced accepts the errors that say that the log is another one: shorter than
// the ten messages that were read, or not. A watcher may have seen it before its messages came.
func wantReplaced(t *testing.T, n int, watched bool, err error) {
	t.Helper()
	if watched {
		n = 0
	}
	if errors.Is(err, ErrRecreated) || n <= 10 && errors.Is(err, ErrBeyondEnd) {
		return
	}
	t.Errorf("%d new messages: error %v, want ErrRecreated", n, err)
}

// lengths of the new log: shorter than, as long as and longer than the old one.
var lengths = []int{3, 10, 30}

// readTen reads the messages of the old log.
func readTen(ctx context.Context, p *Partition) error {
	dst := make([]stream.Message, 10)
	for n := 0; n < 10; {
		k, err := p.Read(ctx, dst[n:])
		if err != nil {
			return err
		}
		n += k
	}
	return nil
}

// readOn reads until there is an error.
func readOn(ctx context.Context, p *Partition) error {
	dst := make([]stream.Message, 10)
	for {
		if _, err := p.Read(ctx, dst); err != nil {
			return err
		}
	}
}

// TestFault16_RecreatedTopic: a topic that is deleted and created again while it is
// read, at any moment of the requests.
func TestFault16_RecreatedTopic(t *testing.T) {
	for _, n := range lengths {
		b := newBroker(t, 1)
		send(t, b.Addr(), 0, 10)
		g := newGroup(t, quick(b.Addr()))
		g.watchEvery = watchOften
		err := runGroup(t, g, func(ctx context.Context, p *Partition) error {
			if err := readTen(ctx, p); err != nil {
				return err
			}
			recreate(t, b, n)
			return readOn(ctx, p)
		})
		wantReplaced(t, n, true, err)
	}
}

// TestFault16_RecreatedTopicWhileAway: the broker has kept the commit, as that of a
// mirrored or restored topic.
func TestFault16_RecreatedTopicWhileAway(t *testing.T) {
	b := newBroker(t, 1)
	send(t, b.Addr(), 0, 10)
	commit := func(ctx context.Context, p *Partition) error {
		if err := readTen(ctx, p); err != nil {
			return err
		}
		return p.Commit(ctx, 10)
	}
	if err := runGroup(t, newGroup(t, quick(b.Addr())), commit); err != nil {
		t.Fatal(err)
	}
	meta := b.Cluster().GroupInfo("g").Commits[topic][0].Metadata
	recreate(t, b, 30)
	c := quick(b.Addr())
	client, err := c.NewClient([]string{topic})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	resp, err := client.OffsetCommit(deadline(t), &kafkago.OffsetCommitRequest{
		GroupID: "g", GenerationID: -1,
		Topics: map[string][]kafkago.OffsetCommit{topic: {{Offset: 10, Metadata: meta}}},
	})
	if err != nil || resp.Topics[topic][0].Error != nil {
		t.Fatal(err, resp)
	}
	wantReplaced(t, 30, false, runGroup(t, newGroup(t, c), readOn))
}

// TestFault54_RecreatedAfterEmptyAnswers: the reader has heard that there is nothing
// more before the topic is replaced.
func TestFault54_RecreatedAfterEmptyAnswers(t *testing.T) {
	t.Parallel()
	for _, n := range lengths {
		b := newBroker(t, 1)
		send(t, b.Addr(), 0, 10)
		g := newGroup(t, quick(b.Addr()))
		if n == 10 {
			g.watchEvery = watchOften // an empty answer does not show that the log is another one
		}
		err := runGroup(t, g, func(ctx context.Context, p *Partition) error {
			if err := readTen(ctx, p); err != nil {
				return err
			}
			idle, cancel := context.WithTimeout(ctx, 6*p.group.config.MaxWait)
			defer cancel()
			if _, err := p.Read(idle, make([]stream.Message, 1)); !errors.Is(err, context.DeadlineExceeded) {
				return fmt.Errorf("there was nothing to read: %w", err)
			}
			recreate(t, b, n)
			return readOn(ctx, p)
		})
		wantReplaced(t, n, g.watchEvery == watchOften, err)
	}
}

// TestFault54_RecreatedWhileBlocked: the reader waits for the output while the topic is
// replaced. Neither its next commit nor its next Read passes over the new messages, and
// the watcher finds it without either.
func TestFault54_RecreatedWhileBlocked(t *testing.T) {
	t.Parallel()
	for _, n := range lengths {
		for what, next := range map[string]func(ctx context.Context, p *Partition) error{
			"a commit": func(ctx context.Context, p *Partition) error { return p.Commit(ctx, 10) },
			"a read": func(ctx context.Context, p *Partition) error {
				time.Sleep(longPause) // the answer that was under way is older
				k, err := p.Read(ctx, make([]stream.Message, 10))
				if err != nil {
					return err
				}
				// The request that was under way came late, to the new log, and was answered at once.
				return p.Commit(ctx, 10+int64(k))
			},
			"nothing": func(ctx context.Context, _ *Partition) error {
				<-ctx.Done()
				return nil
			},
		} {
			t.Run(fmt.Sprintf("%s, %d messages", what, n), func(t *testing.T) {
				b := newBroker(t, 1)
				send(t, b.Addr(), 0, 10)
				g := newGroup(t, quick(b.Addr()))
				if what == "nothing" || what == "a read" && n == 10 {
					g.watchEvery = watchOften
				}
				err := runGroup(t, g, func(ctx context.Context, p *Partition) error {
					if err := readTen(ctx, p); err != nil {
						return err
					}
					recreate(t, b, n)
					return next(ctx, p)
				})
				wantReplaced(t, n, g.watchEvery == watchOften, err)
			})
		}
	}
}

// TestFault54_CommitAfterReading: messages of the new log that were read before anybody
// could notice are never committed.
func TestFault54_CommitAfterReading(t *testing.T) {
	b := newBroker(t, 1)
	send(t, b.Addr(), 0, 10)
	err := runGroup(t, newGroup(t, quick(b.Addr())), func(ctx context.Context, p *Partition) error {
		if err := readTen(ctx, p); err != nil {
			return err
		}
		recreate(t, b, 30)
		p.witness.Saw(stream.Mark{Offset: 29, Hash: 1}) // as if they had come without a pause
		return p.Commit(ctx, 30)
	})
	wantReplaced(t, 30, false, err)
}
