package kafka

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	kafkago "github.com/segmentio/kafka-go"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
)

// longPause is the time between two answers with messages after which the log is verified before the second answer
// is used.
const longPause = time.Second

// Verify returns an error that wraps ErrRecreated or ErrBeyondEnd if the log may not be the log of all messages
// delivered so far. It repeats failed requests until ctx ends. Any goroutine may call it.
func (p *Partition) Verify(ctx context.Context) error {
	return p.try(ctx, "verify the log", func(ctx context.Context) error { return p.verifyOnce(ctx) })
}

// verifyOnce is Verify without repetition of failed requests. Its verdicts are permanent errors.
func (p *Partition) verifyOnce(ctx context.Context) error {
	then := p.witness.copy()
	if then.Anchor().None() {
		return nil
	}
	now, err := p.reread(ctx, then.Anchor().Offset)
	if err != nil {
		return err
	}
	p.witness.Lock()
	defer p.witness.Unlock()
	if p.witness.Check(then, now) != nil {
		return &permanent{fmt.Errorf("%w (%s, offset %d)", ErrRecreated, p.tp, then.Anchor().Offset)}
	}
	return nil
}

// witness is a checkpoint.Witness shared by the reader, the committer and the watcher of a partition.
type witness struct {
	sync.Mutex
	checkpoint.Witness
}

func (w *witness) copy() checkpoint.Witness {
	w.Lock()
	defer w.Unlock()
	return w.Witness
}

// begin forgets all messages except last.
func (w *witness) begin(last stream.Mark) {
	w.Lock()
	defer w.Unlock()
	w.Begin(last)
}

// saw adds the first and the last of the messages.
func (w *witness) saw(messages []stream.Message) {
	if len(messages) == 0 {
		return
	}
	first, last := messages[0].Mark(), messages[len(messages)-1].Mark()
	w.Lock()
	defer w.Unlock()
	w.Saw(first)
	w.Saw(last)
}

// reread returns the mark of the record at an offset in the present log, which may be a transaction marker. The
// mark is zero if the record was removed. The error wraps ErrBeyondEnd if the log ends before the offset.
func (p *Partition) reread(ctx context.Context, offset int64) (stream.Mark, error) {
	// The broker returns a whole batch even for a limit of one byte.
	resp, err := p.request(ctx, offset, 1, ReadUncommitted)
	switch {
	case errors.Is(err, errExpanded):
		return stream.Mark{}, nil
	case errors.Is(err, kafkago.OffsetOutOfRange), err == nil && resp.end <= offset:
		ctx, cancel := p.group.client.Bounded(ctx, 0)
		defer cancel()
		first, end, err := p.listBounds(ctx)
		switch {
		case err != nil:
			return stream.Mark{}, err
		case offset >= end:
			return stream.Mark{}, &permanent{fmt.Errorf("%w (%s, position %d, end %d)", ErrBeyondEnd, p.tp, offset+1, end)}
		case offset >= first:
			return stream.Mark{}, fmt.Errorf("a leader that is behind: no record at offset %d in [%d, %d)", offset, first, end)
		}
		return stream.Mark{}, nil
	case err != nil:
		return stream.Mark{}, err
	}
	// A new Partition, because this may run while another goroutine reads p.
	q := &Partition{group: p.group, tp: p.tp, fetched: offset, limit: math.MaxInt}
	for batch := range resp.batches {
		if err := q.appendRecords(batch, false); err != nil {
			return stream.Mark{}, err
		}
	}
	if len(q.pending) == 0 || q.pending[0].Offset != offset {
		return stream.Mark{}, nil
	}
	return q.pending[0].Mark(), nil
}
