package job

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/kafka/kafkasink"
	"github.com/orffvar/forecaster/stream/refuse"
)

// joining writes the records of all partitions in the order of their times. The oldest record is next. It waits while a
// partition has messages that were not delivered yet, but not longer than patience.
type joining struct {
	producer *kafkasink.Producer
	all      func() int // number of partitions
	patience time.Duration
	log      *slog.Logger
	records  int64
	changed  chan struct{} // a source has a new block

	mu      sync.Mutex
	sources []*source
	out     []stream.Message
	sending chan struct{} // closed when out is written; nil: out is empty
}

// joinSize is the largest number of records per write.
const joinSize = 1000

func newJoining(p *kafkasink.Producer, all func() int, patience time.Duration, log *slog.Logger) *joining {
	return &joining{producer: p, all: all, patience: patience, log: log, changed: make(chan struct{}, 1)}
}

// source is one of the partitions.
type source struct {
	partition interface{ Waiting() bool }
	topic     string
	number    int
	blocks    chan []entry // the next block is read while one is written
	written   atomic.Int64 // all messages before this offset are written

	// The fields below belong to the goroutine that joins.
	block []entry
	taken int64     // all messages before this offset are in out
	since time.Time // when the block became empty
	told  bool      // the log has reported that the others no longer wait
}

// entry is a record to write, or the end of a message without records.
type entry struct {
	record stream.Message
	skip   bool
	time   int64
	next   int64 // offset after the message; 0: more records of the message follow
}

func newSource(p interface{ Waiting() bool }, topic string, number int) *source {
	return &source{partition: p, topic: topic, number: number, blocks: make(chan []entry, 1), since: time.Now()}
}

func (j *joining) add(s *source) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.sources = append(j.sources, s)
	j.wake()
}

// remove removes a source. It returns when the records already taken are written, or ctx ends.
func (j *joining) remove(ctx context.Context, s *source) {
	j.mu.Lock()
	j.sources = slices.DeleteFunc(j.sources, func(o *source) bool { return o == s })
	sending := j.sending
	j.mu.Unlock()
	if sending != nil {
		select {
		case <-sending:
		case <-ctx.Done():
		}
	}
}

func (j *joining) wake() {
	select {
	case j.changed <- struct{}{}:
	default:
	}
}

// run writes records until ctx ends or a write fails.
func (j *joining) run(ctx context.Context) error {
	for ctx.Err() == nil {
		from, held := j.take()
		if len(from) == 0 {
			var again <-chan time.Time // timer: a source that runs dry sends no signal
			if held {
				again = time.After(10 * time.Millisecond)
			}
			select {
			case <-j.changed:
			case <-again:
			case <-ctx.Done():
			}
			continue
		}
		err := j.producer.Send(ctx, j.out)
		j.mu.Lock()
		if err == nil {
			j.records += int64(len(j.out))
			for _, s := range from {
				s.written.Store(s.taken)
			}
		}
		close(j.sending)
		j.sending = nil
		j.mu.Unlock()
		if err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// take moves records to out, in the order of their times, and returns their sources. held: the next record must wait for
// another source.
func (j *joining) take() (from []*source, held bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.out = j.out[:0]
	for len(j.out) < joinSize && len(j.sources) == j.all() { // fewer sources: some are starting or ending
		var s *source
		if s, held = j.oldest(); s == nil {
			break
		}
		e := &s.block[0]
		if !e.skip {
			j.out = append(j.out, e.record)
		}
		if e.next > 0 {
			s.taken = e.next
		}
		if s.block = s.block[1:]; len(s.block) == 0 {
			s.since = time.Now()
		}
		if !slices.Contains(from, s) {
			from = append(from, s)
		}
	}
	if len(from) > 0 {
		j.sending = make(chan struct{})
	}
	return from, held
}

// oldest returns the source of the oldest record; nil: there is no record, or it is held.
func (j *joining) oldest() (first *source, held bool) {
	for _, s := range j.sources {
		waiting := s.partition.Waiting() // must be read before the blocks
		if len(s.block) == 0 {
			select {
			case s.block = <-s.blocks:
				s.told = false
			default:
			}
		}
		switch {
		case len(s.block) > 0:
			if first == nil || s.block[0].time < first.block[0].time {
				first = s
			}
		case waiting:
		case time.Since(s.since) < j.patience:
			held = true
		case !s.told:
			s.told = true
			j.log.Warn("a partition has messages and does not deliver them; the others do not wait for it any longer, and what it has may come late",
				"topic", s.topic, "partition", s.number, "for", j.patience.String())
		}
	}
	if held {
		return nil, true
	}
	return first, false
}

// splitter splits messages into entries.
type splitter struct {
	decoder stream.Decoder
	log     *slog.Logger

	record stream.Record
	block  []entry
	last   int64 // time of the previous record
}

// read passes the records of a partition to j until ctx ends.
func (p *splitter) read(ctx context.Context, s *source, j *joining) error {
	from := s.partition.(stream.Source)
	p.last = math.MinInt64
	messages := make([]stream.Message, 500)
	for {
		n, err := from.Read(ctx, messages)
		if err != nil {
			return err
		}
		select {
		case s.blocks <- p.split(messages[:n]):
			j.wake()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// split returns the records of messages, each with its series as key.
func (p *splitter) split(messages []stream.Message) []entry {
	p.block = make([]entry, 0, len(messages))
	for i := range messages {
		msg, before := &messages[i], len(p.block)
		if msg.Refused != nil {
			p.log.Warn("message refused", "message", msg.Origin(), "reason", msg.Refused.Reason, "detail", msg.Refused.Detail)
		} else {
			p.decode(msg)
		}
		if len(p.block) == before {
			p.block = append(p.block, entry{skip: true, time: p.last})
		}
		p.block[len(p.block)-1].next = msg.Offset + 1
	}
	// A single time stamp in the future must not hold the other partitions back.
	for i := range p.block[1:] {
		p.block[i].time = min(p.block[i].time, p.block[i+1].time)
	}
	return p.block
}

func (p *splitter) decode(msg *stream.Message) {
	splitter, ok := p.decoder.(stream.Splitter)
	if !ok {
		p.append(msg, p.decoder.Decode(&p.record, msg))
		return
	}
	splitter.Split(msg)
	for {
		err := splitter.Next(&p.record)
		if errors.Is(err, io.EOF) {
			return
		}
		p.append(p.record.Message, err)
		var bad *refuse.Error
		if err != nil && !errors.As(err, &bad) {
			return
		}
	}
}

// append adds one record. A message that cannot be decoded keeps its key, and gets the time of the previous record.
func (p *splitter) append(part *stream.Message, err error) {
	key := part.Key
	if err == nil {
		key, p.last = []byte(p.record.Series), p.record.Time
	}
	p.block = append(p.block, entry{
		record: stream.Message{Key: slices.Clone(key), Value: slices.Clone(part.Value), Time: part.Time}, time: p.last,
	})
}
