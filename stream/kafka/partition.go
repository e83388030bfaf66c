package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	kafkago "github.com/segmentio/kafka-go"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/kafka/cluster"
	"github.com/orffvar/forecaster/stream/kafka/internal/retry"
)

// Partition is an assigned partition: a stream.Source, and a Seeker, Verifier and Committer of package checkpoint.
// Read and Seek belong to one goroutine; Commit may be called from another.
type Partition struct {
	group      *Group
	tp         topicPartition
	partitions int         // number of partitions of the topic; 0 = unknown
	member     *membership // nil without a group
	*counters

	work   context.Context // ends when the hand-over begins
	life   context.Context // ends with the work on the partition
	expire context.CancelCauseFunc

	started  bool
	fetched  int64       // offset of the next message to be fetched
	stable   int64       // end of the offsets that can be fetched
	asked    chan answer // receives the answer to the present request; nil = no request
	pending  []stream.Message
	messages []stream.Message // memory of pending
	arena    []byte           // memory of the keys and values of pending
	spare    []byte           // memory of the messages that this Read delivered before its last fetch
	saved    int64            // 1 + offset committed by a Store; 0 = none
	doubtful bool             // the log may have been replaced since the last answer with messages
	answered time.Time        // time of the last answer with messages
	held     time.Time        // last time at which stable moved or no message waited behind it

	witness *witness
	limit   int // largest part of a message that is kept, in bytes
}

// membership identifies this member of the group in a commit, so that the broker can refuse it.
type membership struct {
	group      string
	generation int
	member     string
}

// counters count over all assignments of a partition.
type counters struct {
	position, end, lost, retries atomic.Int64 // see PartitionStatus
	waiting                      atomic.Bool
	problems                     problems
}

var (
	_ stream.Source        = (*Partition)(nil)
	_ checkpoint.Seeker    = (*Partition)(nil)
	_ checkpoint.Verifier  = (*Partition)(nil)
	_ checkpoint.Committer = (*Partition)(nil)
)

func (g *Group) newPartition(tp topicPartition, m *membership) *Partition {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := g.counters[tp]
	if c == nil {
		c = new(counters)
		g.counters[tp] = c
	}
	c.position.Store(-1)
	c.waiting.Store(false)
	p := &Partition{group: g, tp: tp, partitions: g.counts[tp.topic], member: m, counters: c, witness: new(witness), limit: g.config.MaxMessageBytes}
	p.life, p.expire = context.WithCancelCause(context.Background())
	return p
}

// Topic returns the name of the topic.
func (p *Partition) Topic() string { return p.tp.topic }

// Partitions returns the number of partitions of the topic when the Group began to Run.
func (p *Partition) Partitions() int { return p.partitions }

// Number returns the number of the partition in the topic.
func (p *Partition) Number() int { return p.tp.partition }

// Waiting reports whether a Read waits for new messages, after all readable ones were delivered. Any goroutine may
// call it.
func (p *Partition) Waiting() bool { return p.waiting.Load() }

// Close does nothing. A partition ends with the work on it.
func (p *Partition) Close() error { return nil }

// Committed returns the committed offset of the group, and the metadata passed to CommitMetadata. Without a commit
// or a group the offset is -1.
func (p *Partition) Committed(ctx context.Context) (offset int64, metadata string, err error) {
	offset, n, err := p.committed(ctx)
	return offset, n.text, err
}

func (p *Partition) committed(ctx context.Context) (offset int64, n note, err error) {
	if p.member == nil {
		return -1, n, nil
	}
	offset = -1
	err = p.try(ctx, "fetch the committed offset", func(ctx context.Context) error {
		all, err := committed(ctx, p.group.client, p.member.group, map[string][]int{p.tp.topic: {p.tp.partition}})
		if err != nil {
			return err
		}
		for _, o := range all[p.tp.topic] {
			if o.Partition == p.tp.partition {
				if o.Error != nil {
					return o.Error
				}
				if offset = o.CommittedOffset; offset >= 0 {
					n = parseNote(o.Metadata)
				}
				return nil
			}
		}
		return errNoPartition
	})
	return offset, n, err
}

// committed returns the committed offsets of a group.
func committed(ctx context.Context, c *cluster.Client, group string, of map[string][]int) (map[string][]kafkago.OffsetFetchPartition, error) {
	resp, err := c.OffsetFetch(ctx, &kafkago.OffsetFetchRequest{GroupID: group, Topics: of})
	if err != nil {
		return nil, err
	}
	return resp.Topics, resp.Error
}

var errNoPartition = errors.New("the answer lacks the partition")

// Seek sets the offset of the first message that Read delivers to next. It fails if the log ends before next, or if
// the message of last or of the commit has different content. Without Seek, Read starts at the committed offset, or
// else at GroupConfig.Offset.
func (p *Partition) Seek(ctx context.Context, next int64, last stream.Mark) error {
	if next < 0 {
		return fmt.Errorf("kafka: seek to offset %d", next)
	}
	return p.open(ctx, next, last)
}

// open sets the first offset to be read to at or, if at is negative, to the committed offset. It checks that the
// log has this offset, and still has the messages of the commit and of last.
func (p *Partition) open(ctx context.Context, at int64, last stream.Mark) error {
	committed, note, err := p.committed(ctx)
	if err != nil {
		return err
	}
	if at < 0 && committed >= 0 && note.text != startMark && p.group.config.Stateful {
		return fmt.Errorf("%w (%s, offset %d)", ErrNoState, p.tp, committed)
	}
	fresh := at < 0 && committed < 0
	if at < 0 {
		at = committed
	}
	first, end, err := p.bounds(ctx)
	if err != nil {
		return err
	}
	switch {
	case fresh && p.group.config.Offset == Newest:
		if end, err = p.newest(ctx); err != nil {
			return err
		}
		if err := p.CommitMetadata(ctx, end, startMark); err != nil {
			return err
		}
		at = end
	case fresh:
		at = first
	case committed > end:
		return fmt.Errorf("%w (%s, committed %d, end %d)", ErrBeyondEnd, p.tp, committed, end)
	}
	p.witness.begin(stream.Mark{})
	for _, m := range []stream.Mark{note.mark, last} {
		if m.None() {
			continue
		}
		p.witness.begin(m)
		if err := p.Verify(ctx); err != nil {
			return err
		}
	}
	p.started = true
	return p.place(at, first, end)
}

// startMark is the metadata of the commit of a first position: no message before it was processed.
const startMark = "start"

// place moves to offset at, given the bounds of the log.
func (p *Partition) place(at, first, end int64) error {
	if at > end {
		return fmt.Errorf("%w (%s, position %d, end %d)", ErrBeyondEnd, p.tp, at, end)
	}
	if at < first {
		p.lost.Add(first - at)
		if p.group.config.StopOnLoss {
			return fmt.Errorf("%w (%s, offsets %d to %d)", errLost, p.tp, at, first-1)
		}
		p.group.config.Log.Error("records were removed by retention before they were read",
			"partition", p.tp.String(), "from", at, "to", first-1, "count", first-at)
		at = first
	}
	p.fetched, p.stable = at, end
	p.position.Store(at)
	p.end.Store(end)
	p.pending = nil
	return nil
}

// bounds returns the offset of the first record of the log, and the offset after its last record.
func (p *Partition) bounds(ctx context.Context) (first, end int64, err error) {
	err = p.try(ctx, "list offsets", func(ctx context.Context) error {
		first, end, err = p.listBounds(ctx)
		return err
	})
	return first, end, err
}

// newest returns the offset after the last readable message.
func (p *Partition) newest(ctx context.Context) (offset int64, err error) {
	err = p.try(ctx, "list the newest offset", func(ctx context.Context) error {
		o, err := p.listOffsets(ctx, p.group.config.Isolation, kafkago.LastOffsetOf(p.tp.partition))
		offset = o.LastOffset
		return err
	})
	return offset, err
}

// listBounds is bounds without repetition of failed requests.
func (p *Partition) listBounds(ctx context.Context) (first, end int64, err error) {
	o, err := p.listOffsets(ctx, ReadUncommitted, kafkago.FirstOffsetOf(p.tp.partition), kafkago.LastOffsetOf(p.tp.partition))
	if err != nil {
		return 0, 0, err
	}
	if o.FirstOffset < 0 || o.LastOffset < o.FirstOffset {
		return 0, 0, fmt.Errorf("the answer has the bounds %d and %d", o.FirstOffset, o.LastOffset)
	}
	return o.FirstOffset, o.LastOffset, nil
}

// listOffsets requests offsets of the partition.
func (p *Partition) listOffsets(ctx context.Context, isolation Isolation, which ...kafkago.OffsetRequest) (kafkago.PartitionOffsets, error) {
	resp, err := p.group.client.ListOffsets(ctx, &kafkago.ListOffsetsRequest{
		Topics:         map[string][]kafkago.OffsetRequest{p.tp.topic: which},
		IsolationLevel: isolation.level(),
	})
	if err != nil {
		return kafkago.PartitionOffsets{}, err
	}
	for _, o := range resp.Topics[p.tp.topic] {
		if o.Partition == p.tp.partition {
			return o, o.Error
		}
	}
	return kafkago.PartitionOffsets{}, errNoPartition
}

// Commit records that all messages before next are processed permanently. It repeats the request until ctx ends.
// The error wraps ErrRecreated if messages before next may come from different logs, and errFenced if the partition
// may have another owner. Commit does nothing without a group, or if Store.Save has committed next already.
func (p *Partition) Commit(ctx context.Context, next int64) error {
	if p.saved == next+1 {
		return nil
	}
	return p.CommitMetadata(ctx, next, "")
}

// CommitMetadata is Commit with a short text that Committed returns.
func (p *Partition) CommitMetadata(ctx context.Context, next int64, metadata string) error {
	if p.member == nil {
		return nil
	}
	ctx, cancel := p.owned(ctx)
	defer cancel()
	err := p.commit(ctx, next, metadata)
	if err != nil && !errors.Is(err, errFenced) && p.work.Err() != nil {
		// The generation has ended, and the group has not noticed yet.
		return fmt.Errorf("%w: %w", errFenced, err)
	}
	return err
}

// owned returns a context that also ends when this member may have lost the partition.
func (p *Partition) owned(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	life := p.life
	if life.Err() != nil { // context.AfterFunc runs asynchronously
		cancel(context.Cause(life))
	}
	stop := context.AfterFunc(life, func() { cancel(context.Cause(life)) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

func (p *Partition) commit(ctx context.Context, next int64, metadata string) error {
	if w := p.witness.copy(); !w.Verified(next) {
		if err := p.Verify(ctx); err != nil {
			return err
		}
	}
	w := p.witness.copy()
	n := note{partitions: p.partitions, mark: w.Anchor(), text: metadata}
	return p.try(ctx, "commit", func(ctx context.Context) error {
		resp, err := p.group.client.OffsetCommit(ctx, &kafkago.OffsetCommitRequest{
			GroupID:      p.member.group,
			GenerationID: p.member.generation,
			MemberID:     p.member.member,
			Topics: map[string][]kafkago.OffsetCommit{
				p.tp.topic: {{Partition: p.tp.partition, Offset: next, Metadata: n.String()}},
			},
		})
		if err != nil {
			return err
		}
		for _, o := range resp.Topics[p.tp.topic] {
			if o.Partition == p.tp.partition {
				return commitError(o.Error)
			}
		}
		return errNoPartition
	})
}

func commitError(err error) error {
	switch {
	case errors.Is(err, kafkago.IllegalGeneration), errors.Is(err, kafkago.UnknownMemberId),
		errors.Is(err, kafkago.RebalanceInProgress), errors.Is(err, kafkago.FencedInstanceID):
		return &permanent{fmt.Errorf("%w: %w", errFenced, err)}
	case errors.Is(err, kafkago.OffsetMetadataTooLarge), errors.Is(err, kafkago.InvalidCommitOffsetSize):
		return &permanent{fmt.Errorf("kafka: commit: %w", err)}
	}
	return err
}

// fenced asks the group whether this member has been removed, so that the partition has another owner. A process
// that was frozen mixes messages read before with messages written since by the new owner; an error of its work is
// then meaningless. Without an answer the partition counts as owned. A heartbeat would be a shorter request, but
// kafka-go reads the two fields of its answer in the wrong order.
func (p *Partition) fenced() bool {
	if p.member == nil {
		return false
	}
	ctx, cancel := p.group.client.Bounded(p.life, 0)
	defer cancel()
	resp, err := p.group.client.DescribeGroups(ctx, &kafkago.DescribeGroupsRequest{GroupIDs: []string{p.member.group}})
	if err != nil || len(resp.Groups) != 1 || resp.Groups[0].Error != nil {
		return false
	}
	return !slices.ContainsFunc(resp.Groups[0].Members, func(m kafkago.DescribeGroupsResponseMember) bool {
		return m.MemberID == p.member.member
	})
}

// permanent is an error that repetition does not repair.
type permanent struct{ err error }

func (e *permanent) Error() string { return e.err.Error() }

// verdict returns the error inside a permanent, else nil.
func verdict(err error) error {
	if p := (*permanent)(nil); errors.As(err, &p) {
		return p.err
	}
	return nil
}

// try repeats a request until it succeeds, returns a permanent error, or ctx
// ends.
func (p *Partition) try(ctx context.Context, what string, request func(ctx context.Context) error) error {
	err := p.group.client.Repeat(ctx, request, verdict, func(err error) { p.failed(what, err) })
	if err == nil {
		p.problems.set(what, "")
	}
	return err
}

// failed counts a failed request and logs each new kind of failure once.
func (p *Partition) failed(what string, err error) {
	p.retries.Add(1)
	text := what + ": " + retry.Kind(err)
	if p.problems.set(what, text) {
		p.group.config.Log.Warn("a request to Kafka failed and is repeated",
			"partition", p.tp.String(), "request", what, "error", retry.Explain(err))
	}
}
