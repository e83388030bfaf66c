package kafka

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/kafka/internal/retry"
)

// chunkBytes is the size of a chunk. It is below the message limit of every broker.
const chunkBytes = 512 << 10

// Store returns the checkpoints of a partition. It is valid as long as the partition is assigned.
func (t *StateTopic) Store(p *Partition) *Store {
	return &Store{topic: t, p: p, unused: make(map[string]int)}
}

// Store keeps the checkpoints of one partition in a StateTopic. Save also commits the offset; a later Commit of the
// Partition for the same offset does nothing.
type Store struct {
	topic             *StateTopic
	p                 *Partition
	current, previous manifest       // snapshot loaded or saved last, and the snapshot before it
	sum               hash.Hash      // checksum of the chunks of current; nil = the next checkpoint must be whole
	unused            map[string]int // number of chunks of each snapshot to be removed after the next commit
	damaged           atomic.Int64
}

var _ checkpoint.Store = (*Store)(nil)

// Damaged returns the number of damaged snapshots found by Load. Any goroutine may call it.
func (s *Store) Damaged() int64 { return s.damaged.Load() }

// Load implements checkpoint.Store. It returns the committed snapshot. If the snapshot is damaged, it returns the
// part before the damage or, if there is none, the previous snapshot. Without a commit it returns the newest
// snapshot: all points before it were accepted, whichever member wrote it. Load writes nothing; see collect.
func (s *Store) Load(ctx context.Context) ([]checkpoint.Checkpoint, error) {
	s.sum = nil
	if s.p.tp.partition >= s.topic.count {
		return nil, fmt.Errorf("kafka: the state topic %s has %d partitions, too few for %s", s.topic.topic, s.topic.count, s.p.tp)
	}
	offset, text, err := s.p.Committed(ctx)
	switch {
	case err != nil:
		return nil, err
	case offset < 0:
		return s.newest(ctx)
	case text == startMark:
		return nil, checkpoint.ErrNoCheckpoint
	}
	list, err := parseManifests(text)
	if err != nil {
		return nil, fmt.Errorf("%w (%s, offset %d: %w)", ErrNoState, s.p.tp, offset, err)
	}
	var damage error
	for i := range min(2, len(list)) {
		chain, found, err := s.use(ctx, list[i])
		switch {
		case len(chain) > 0:
			s.current, s.unused = list[i], found
			if len(list) > 1 {
				s.previous = list[1-i] // so that the damaged snapshot is removed first
			}
			if len(list) > 2 {
				s.discard(list[2])
			}
			return chain, nil
		case !errors.Is(err, checkpoint.ErrCorrupt):
			return nil, err
		}
		damage = errors.Join(damage, err)
	}
	return nil, fmt.Errorf("kafka: no checkpoint of %s can be read: %w", s.p.tp, damage)
}

// use calls read. It counts and logs damage, and returns the intact part.
func (s *Store) use(ctx context.Context, m manifest) (list []checkpoint.Checkpoint, found map[string]int, err error) {
	list, found, err = s.read(ctx, m)
	switch {
	case errors.Is(err, checkpoint.ErrVersion):
		return nil, nil, fmt.Errorf("kafka: snapshot %s of %s: %w", m.id, s.p.tp, err)
	case errors.Is(err, checkpoint.ErrCorrupt):
		s.damaged.Add(1)
		s.topic.reader.config.Log.Warn("a checkpoint is damaged; what comes before it is used",
			"partition", s.p.tp.String(), "snapshot", m.id, "good", len(list), "error", err)
	}
	return list, found, err
}

// read returns the checkpoints of snapshot m. found is the number of chunks of every snapshot in the topic from the
// first chunk of m on. If the error wraps checkpoint.ErrCorrupt, list has the checkpoints before the damage.
func (s *Store) read(ctx context.Context, m manifest) (list []checkpoint.Checkpoint, found map[string]int, err error) {
	parts := make(chunks, m.chunks)
	found = make(map[string]int)
	err = s.scan(ctx, m.first, func(id string, chunk int, msg *stream.Message) {
		if msg.Value != nil {
			found[id] = max(found[id], chunk+1)
		} else if chunk < 0 {
			delete(found, id) // a tombstone
		}
		if id == m.id && chunk >= 0 && chunk < m.chunks {
			parts[chunk] = slices.Clone(msg.Value) // copies of one chunk are equal
		}
	})
	if err != nil {
		return nil, nil, err
	}
	missing := slices.IndexFunc(parts, func(c []byte) bool { return c == nil })
	if missing >= 0 {
		parts = parts[:missing]
	}
	list, _, err = checkpoint.Parse(parts, parts.size())
	switch {
	case missing >= 0:
		err = fmt.Errorf("%w: chunk %d of %d of snapshot %s is missing", checkpoint.ErrCorrupt, missing, m.chunks, m.id)
	case err == nil && parts.sum() != m.sum:
		// The checkpoints are valid, but differ from the committed ones.
		list, err = nil, fmt.Errorf("%w: the checksum of snapshot %s does not match", checkpoint.ErrCorrupt, m.id)
	}
	return list, found, err
}

// newest returns the newest snapshot in the topic.
func (s *Store) newest(ctx context.Context) ([]checkpoint.Checkpoint, error) {
	list, err := s.manifests(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range list {
		chain, found, err := s.use(ctx, m)
		switch {
		case len(chain) > 0:
			s.current, s.unused = m, found
			s.topic.reader.config.Log.Warn("the group has no committed offset; its last checkpoint is used",
				"partition", s.p.tp.String(), "offset", chain[len(chain)-1].Next)
			return chain, nil
		case !errors.Is(err, checkpoint.ErrCorrupt):
			return nil, err
		}
	}
	return nil, checkpoint.ErrNoCheckpoint
}

// manifests returns the manifests of the snapshots in the topic, newest first.
func (s *Store) manifests(ctx context.Context) ([]manifest, error) {
	last := make(map[string]manifest)
	err := s.scan(ctx, 0, func(id string, chunk int, msg *stream.Message) {
		if chunk >= 0 {
			return
		}
		if m, err := parseManifest(string(msg.Value)); err == nil {
			m.written = time.Unix(0, msg.Time).UTC()
			last[id] = m
		} else {
			delete(last, id) // a tombstone
		}
	})
	return slices.SortedFunc(maps.Values(last), func(a, b manifest) int {
		return cmp.Or(cmp.Compare(b.next, a.next), cmp.Compare(b.first, a.first))
	}), err
}

var errChanges = errors.New("kafka: changes to a checkpoint that this store has not saved")

// Save implements checkpoint.Store.
func (s *Store) Save(ctx context.Context, c checkpoint.Checkpoint) error {
	ctx, cancel := s.p.owned(ctx)
	defer cancel()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	m, before, old, sum := s.current, s.previous, manifest{}, s.sum
	s.sum = nil // until Save succeeds: no changes may follow an incomplete snapshot
	switch {
	case c.Since == 0:
		m = manifest{id: fmt.Sprintf("%d-%d-%08x", c.Next, s.generation(), rand.Uint32())}
		before, old, sum = s.current, s.previous, sha256.New()
	case sum == nil:
		return errChanges
	}
	w := &chunkWriter{write: func(chunk []byte) error {
		sum.Write(chunk)
		at, err := s.produce(ctx, record{key: s.key(m.id, m.chunks), value: chunk})
		if err == nil && m.chunks == 0 {
			m.first = at
		}
		m.chunks++
		return err
	}}
	if err := c.Encode(w); err != nil {
		return err
	}
	if err := w.flush(); err != nil {
		return err
	}
	m.next, m.sum = c.Next, [sha256.Size]byte(sum.Sum(nil))
	if _, err := s.produce(ctx, record{key: s.key(m.id, -1), value: []byte(m.String())}); err != nil {
		return err
	}
	if err := s.p.CommitMetadata(ctx, c.Next, formatManifests(m, before, old)); err != nil {
		return err
	}
	s.p.saved = c.Next + 1
	s.current, s.previous = m, before
	s.discard(old)
	if err := s.collect(ctx); err != nil {
		return err
	}
	s.sum = sum
	return nil
}

// chunkWriter divides its input into chunks of chunkBytes.
type chunkWriter struct {
	chunk []byte
	write func(chunk []byte) error // may keep chunk
}

// Write implements io.Writer.
func (w *chunkWriter) Write(p []byte) (n int, err error) {
	for n < len(p) {
		part := p[n:min(len(p), n+chunkBytes-len(w.chunk))]
		w.chunk = append(w.chunk, part...)
		n += len(part)
		if len(w.chunk) == chunkBytes {
			if err := w.flush(); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// flush writes the last chunk.
func (w *chunkWriter) flush() error {
	if len(w.chunk) == 0 {
		return nil
	}
	chunk := w.chunk
	w.chunk = nil // an abandoned request may still use it
	return w.write(chunk)
}

func (s *Store) generation() int {
	if s.p.member == nil {
		return 0
	}
	return s.p.member.generation
}

// keyPrefix returns the prefix of the keys of the group and the partition. Neither the topic nor the rest of a key
// contains a slash, so no key has the prefix of another group.
func (s *Store) keyPrefix() string {
	group := ""
	if s.p.member != nil {
		group = s.p.member.group
	}
	return fmt.Sprintf("%s/%s/%d/", group, s.p.tp.topic, s.p.tp.partition)
}

// key returns the key of a chunk. A negative chunk means the manifest.
func (s *Store) key(id string, chunk int) []byte {
	last := "manifest"
	if chunk >= 0 {
		last = strconv.Itoa(chunk)
	}
	return fmt.Appendf(nil, "%s%s/%s", s.keyPrefix(), id, last)
}

// parseKey reverses key. ok is false for a key of another group or partition.
func (s *Store) parseKey(key []byte) (id string, chunk int, ok bool) {
	rest, ok := strings.CutPrefix(string(key), s.keyPrefix())
	id, last, cut := strings.Cut(rest, "/")
	if !ok || !cut || id == "" {
		return "", 0, false
	}
	if last == "manifest" {
		return id, -1, true
	}
	chunk, err := strconv.Atoi(last)
	return id, chunk, err == nil && chunk >= 0 && chunk < maxChunks
}

// record is a message of the state topic. A nil value makes it a tombstone.
type record struct{ key, value []byte }

// produce writes records to the state partition and returns the offset of the first. It repeats failed requests
// until ctx ends, so a record may be written twice.
func (s *Store) produce(ctx context.Context, batch ...record) (at int64, err error) {
	err = s.p.try(ctx, "write a checkpoint", func(ctx context.Context) error {
		records := make([]kafkago.Record, len(batch))
		for i, m := range batch {
			records[i] = kafkago.Record{Key: kafkago.NewBytes(m.key), Value: nullable(m.value)}
		}
		resp, err := s.topic.reader.client.Produce(ctx, &kafkago.ProduceRequest{
			Topic: s.topic.topic, Partition: s.p.tp.partition, RequiredAcks: kafkago.RequireAll,
			Records: kafkago.NewRecordReader(records...),
		})
		if err == nil {
			err = resp.Error
		}
		if retry.Unacceptable(err) {
			return &permanent{fmt.Errorf("kafka: writing to the state topic %s: %w", s.topic.topic, retry.Explain(err))}
		}
		if err == nil {
			at = resp.BaseOffset
		}
		return err
	})
	return at, err
}

// nullable returns a null value for nil.
func nullable(b []byte) protocol.Bytes {
	if b == nil {
		return nil
	}
	return kafkago.NewBytes(b)
}

// scan calls f for every record of the partition in the state topic, from an offset to the present end of the log.
// chunk is negative for a manifest.
func (s *Store) scan(ctx context.Context, from int64, f func(id string, chunk int, msg *stream.Message)) error {
	q := s.topic.partition(s.p.tp.partition)
	defer q.expire(nil)
	first, end, err := q.bounds(ctx)
	if err != nil {
		return err
	}
	for q.fetched = max(from, first); q.fetched < end; {
		err := q.try(ctx, "read a checkpoint", func(ctx context.Context) error { return q.fetch(ctx, false) })
		if err != nil {
			return err
		}
		for i := range q.pending {
			if id, chunk, ok := s.parseKey(q.pending[i].Key); ok {
				f(id, chunk, &q.pending[i])
			}
		}
		q.pending, q.arena = q.pending[:0], q.arena[:0]
	}
	return nil
}
