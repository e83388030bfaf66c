package kafka

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/kafka/internal/retry"
	"github.com/orffvar/forecaster/stream/refuse"
)

// Read blocks until at least one message is available; see stream.Source. It repeats failed requests until ctx
// ends. It returns the error of ctx, ErrBeyondEnd, ErrRecreated, errLost or ErrNoState.
func (p *Partition) Read(ctx context.Context, dst []stream.Message) (n int, err error) {
	if !p.started {
		if err := p.open(ctx, -1, stream.Mark{}); err != nil {
			return 0, err
		}
	}
	var b retry.Backoff
	swapped := false
	for {
		m := copy(dst[n:], p.pending)
		p.pending = p.pending[m:]
		n += m
		p.waiting.Store(n == 0 && p.fetched >= p.stable)
		if n == len(dst) || n > 0 && p.fetched >= p.stable {
			break
		}
		// pending is empty here. Its memory is free, except for messages that this Read has already delivered.
		p.pending = p.messages[:0]
		switch {
		case n == 0:
			p.arena = p.reuse(p.arena)
		case !swapped:
			p.arena, p.spare = p.reuse(p.spare), p.arena
			swapped = true
		}
		err := p.fetch(ctx, n > 0)
		if err == nil {
			b.Reset()
			if n == 0 {
				p.passed()
			}
			continue
		}
		if n > 0 {
			break // the next Read returns a permanent error
		}
		switch final := verdict(err); {
		case final != nil:
			return 0, final
		case ctx.Err() != nil:
			return 0, context.Cause(ctx)
		}
		p.failed("fetch", err)
		if err := b.Pause(ctx); err != nil {
			return 0, err
		}
	}
	p.passed()
	return n, nil
}

// passed moves the position past delivered messages, transaction markers and compacted offsets.
func (p *Partition) passed() {
	next := p.fetched
	if len(p.pending) > 0 {
		next = p.pending[0].Offset
	}
	p.position.Store(next)
}

// reuse returns arena, emptied, or nil if an exceptional batch has made it large.
func (p *Partition) reuse(arena []byte) []byte {
	if cap(arena) > 4*p.group.config.FetchBytes {
		return nil
	}
	return arena[:0]
}

// answer is the result of a request for messages.
type answer struct {
	offset int64
	resp   *fetched
	err    error
	at     time.Time // time of the answer
}

// ask requests the next messages in the background. The request runs while earlier messages are processed, and
// continues when a Read ends early.
func (p *Partition) ask() {
	c := make(chan answer, 1)
	p.asked = c
	offset := p.fetched
	go func() {
		resp, err := p.request(p.life, offset, p.group.config.FetchBytes, p.group.config.Isolation)
		c <- answer{offset, resp, err, time.Now()}
	}()
}

var errSlow = errors.New("no answer in time")

// fetch waits for the next answer, which may be empty, and appends it to pending. With hasty it waits at most
// MaxWait, because messages are ready for delivery.
func (p *Partition) fetch(ctx context.Context, hasty bool) error {
	if p.asked == nil {
		p.ask()
	}
	var slow <-chan time.Time
	if hasty {
		t := time.NewTimer(p.group.config.MaxWait)
		defer t.Stop()
		slow = t.C
	}
	var a answer
	select {
	case a = <-p.asked:
		p.asked = nil
	case <-slow:
		return errSlow
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if a.offset != p.fetched {
		return nil // answer to a request from before a Seek
	}
	err := p.take(ctx, &a)
	if cap(p.pending) > cap(p.messages) {
		p.messages = p.pending[:0]
	}
	if len(p.pending) > 0 && err == nil {
		p.ask()
	}
	return err
}

// take appends an answer to pending.
func (p *Partition) take(ctx context.Context, a *answer) error {
	p.doubtful = p.doubtful || a.err != nil || a.at.Sub(p.answered) > longPause
	switch {
	case a.err == nil:
	case errors.Is(a.err, errExpanded):
		// The number of records in the batch is unknown. One message is refused, and the next request returns the
		// same batch if it has more.
		p.pending = append(p.pending, stream.Message{
			Topic: p.tp.topic, Partition: int32(p.tp.partition), Offset: p.fetched,
			Refused: &refuse.Error{Reason: refuse.TooLarge, Detail: errExpanded.Error()},
		})
		p.fetched++
		return nil
	case errors.Is(a.err, kafkago.OffsetOutOfRange):
		first, end, err := p.bounds(ctx)
		if err != nil {
			return err
		}
		if p.fetched >= first && p.fetched <= end {
			return a.err // the leader lags behind: repeat the request
		}
		if err := p.place(p.fetched, first, end); err != nil {
			return &permanent{err}
		}
		return nil
	default:
		return a.err
	}
	p.problems.set("fetch", "")
	p.watchTransaction(a)
	p.stable = a.resp.stable
	p.end.Store(p.stable)
	if a.resp.end <= a.offset {
		p.doubtful = true // until an answer has messages to compare
		return nil
	}
	if p.doubtful {
		if err := p.verifyOnce(ctx); err != nil {
			return err
		}
	}
	p.doubtful, p.answered = false, a.at

	had, empty := len(p.pending), true
	for batch := range a.resp.batches {
		empty = false
		if err := p.appendRecords(batch, a.resp.aborted.skip(batch)); err != nil {
			return err
		}
		if b, ok := batch.(interface{ Offset() int64 }); ok && p.fetched <= b.Offset() {
			p.fetched = b.Offset() + 1 // compaction has emptied the batch
		}
	}
	// An answer without a batch does not tell the next offset.
	if p.fetched == a.offset && !empty {
		p.fetched++ // within an emptied batch of unknown end
	}
	p.witness.saw(p.pending[had:])
	return nil
}

// watchTransaction detects a transaction that stays open while messages wait behind it.
func (p *Partition) watchTransaction(a *answer) {
	const what = "wait for a transaction"
	if a.resp.stable != p.stable || a.resp.stable >= a.resp.end || p.held.IsZero() {
		p.held = a.at
		p.problems.set(what, "")
		return
	}
	if a.at.Sub(p.held) < p.group.hungAfter {
		return
	}
	text := fmt.Sprintf("an open transaction at offset %d holds up the messages behind it", a.resp.stable)
	if p.problems.set(what, text) {
		p.group.config.Log.Warn("messages wait for a transaction that does not end: end or abort its producer (kafka-transactions.sh find-hanging), or read uncommitted messages",
			"partition", p.tp.String(), "offset", a.resp.stable, "waiting", a.resp.end-a.resp.stable, "for", a.at.Sub(p.held).Round(time.Second).String())
	}
}

// request sends one fetch request from an offset.
func (p *Partition) request(ctx context.Context, offset int64, maxBytes int, isolation Isolation) (*fetched, error) {
	wait := p.group.config.MaxWait
	ctx, cancel := p.group.client.Bounded(ctx, wait)
	defer cancel()
	return fetchFrom(ctx, p.group.client, p.tp, offset, maxBytes, wait, isolation)
}

// appendRecords appends the records of a batch to pending, from offset p.fetched on. With skip it only passes over
// them.
func (p *Partition) appendRecords(batch protocol.RecordReader, skip bool) error {
	for {
		rec, err := batch.ReadRecord()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if rec.Offset >= p.fetched {
			if !skip {
				m, err := p.message(rec)
				if err != nil {
					return err
				}
				p.pending = append(p.pending, m)
			}
			p.fetched = rec.Offset + 1
		}
		closeRecord(rec)
	}
}

// message copies a record. It cuts and refuses a record above the size limit.
func (p *Partition) message(rec *protocol.Record) (stream.Message, error) {
	m := stream.Message{Topic: p.tp.topic, Partition: int32(p.tp.partition), Offset: rec.Offset}
	if ns := rec.Time.UnixNano(); ns > 0 {
		m.Time = ns
	}
	limit := p.limit
	size := length(rec.Key) + length(rec.Value)
	if size > limit {
		m.Refused = &refuse.Error{
			Reason: refuse.TooLarge,
			Detail: fmt.Sprintf("key and value have %d bytes, at most %d are allowed; the rest was cut", size, limit),
		}
	}
	var err error
	if m.Key, err = p.copyBytes(rec.Key, limit); err == nil {
		m.Value, err = p.copyBytes(rec.Value, limit-len(m.Key))
	}
	return m, err
}

func length(b protocol.Bytes) int {
	if b == nil {
		return 0
	}
	return b.Len()
}

// copyBytes copies at most limit bytes into the arena. Null becomes nil.
func (p *Partition) copyBytes(b protocol.Bytes, limit int) ([]byte, error) {
	if b == nil {
		return nil, nil
	}
	n, size := len(p.arena), min(b.Len(), limit)
	p.arena = slices.Grow(p.arena, size)[:n+size] // earlier slices keep the old memory
	s := p.arena[n : n+size : n+size]
	_, err := io.ReadFull(b, s)
	return s, err
}

func closeRecord(rec *protocol.Record) {
	if rec.Key != nil {
		rec.Key.Close()
	}
	if rec.Value != nil {
		rec.Value.Close()
	}
}
