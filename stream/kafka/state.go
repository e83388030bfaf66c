package kafka

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"log/slog"
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
)

// chunkBytes is less than what any broker accepts as a message.
const chunkBytes = 512 << 10

// StateTopic keeps the checkpoints of the partitions of a group in a compacted
// topic, where every member of the group finds them.
//
// A snapshot is a whole checkpoint and the changes to it, in chunks under keys that
// are used once: group/topic/partition/id/number. Groups that share a state topic do
// not see each other's. Only its owner adds to it, and a new
// owner begins a new one. A checkpoint counts from the moment in which the group
// commits its offset together with the name of the snapshot, the number of its
// chunks and their checksum. The broker refuses that commit when the partition has
// a new owner, so what the old one still writes stays without effect. The last two
// snapshots are kept; those before are removed after the commit, and so is what former
// owners have left.
type StateTopic struct {
	reader *Group // of all its partitions, in no consumer group
	topic  string
	count  int // partitions
}

// StateTopic opens a topic for the checkpoints of the group. A topic that exists is used
// as it is; another one is created. StateTopic checks that the topic keeps its messages: that it is
// compacted and has at least as many partitions as the input. It waits for the brokers and the
// input until ctx ends.
func (g *Group) StateTopic(ctx context.Context, topic string) (*StateTopic, error) {
	counts, err := g.waitForTopics(ctx)
	if err == nil {
		err = g.checkPartitions(ctx, counts) // else the state topic seems to be the one that is wrong
	}
	if err != nil {
		return nil, err
	}
	most := 0
	for _, n := range counts {
		most = max(most, n)
	}
	return openStateTopic(ctx, g.config.Connection, topic, most, g.config.Log)
}

func openStateTopic(ctx context.Context, c Connection, topic string, partitions int, log *slog.Logger) (*StateTopic, error) {
	t, exists, err := findStateTopic(ctx, c, topic, log)
	if err == nil && !exists {
		err = t.create(ctx, partitions, false)
	}
	if err == nil {
		err = t.check(ctx, partitions)
	}
	if err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// TryStateTopic makes the checks of Group.StateTopic, but creates nothing: it reports whether the topic
// exists, and returns an error when it cannot be used or created.
func (c *Connection) TryStateTopic(ctx context.Context, topic string, partitions int) (exists bool, err error) {
	t, exists, err := findStateTopic(ctx, *c, topic, slog.New(slog.DiscardHandler))
	if err == nil && exists {
		err = t.check(ctx, partitions)
	} else if err == nil {
		err = t.create(ctx, partitions, true)
	}
	return exists, errors.Join(err, t.Close())
}

// findStateTopic reports whether a topic exists. Close must be called also after an error.
func findStateTopic(ctx context.Context, c Connection, topic string, log *slog.Logger) (t *StateTopic, exists bool, err error) {
	t = &StateTopic{topic: topic}
	t.reader, err = NewGroup(GroupConfig{Connection: c, Topics: []string{topic}, FetchBytes: 4 << 20, Log: log})
	if err != nil {
		return t, false, err
	}
	t.reader.client.Timeout = t.reader.client.timeout // half of it is what the replicas may take
	err = t.try(ctx, "look for the state topic", func(ctx context.Context) error {
		_, err := t.reader.client.partitions(ctx, []string{topic})
		exists = err == nil
		switch {
		case errors.Is(err, kafkago.UnknownTopicOrPartition):
			return nil
		case refused(err):
			return &permanent{fmt.Errorf("kafka: the state topic: %w", explain(err))}
		}
		return err
	})
	return t, exists, err
}

// Close releases the connections.
func (t *StateTopic) Close() error {
	if t.reader != nil {
		t.reader.client.close()
	}
	return nil
}

// create creates the topic, or only asks whether that is possible.
func (t *StateTopic) create(ctx context.Context, partitions int, only bool) error {
	return t.try(ctx, "create the state topic", func(ctx context.Context) error {
		resp, err := t.reader.client.CreateTopics(ctx, &kafkago.CreateTopicsRequest{ValidateOnly: only, Topics: []kafkago.TopicConfig{{
			Topic: t.topic, NumPartitions: partitions, ReplicationFactor: -1,
			ConfigEntries: []kafkago.ConfigEntry{
				{ConfigName: "cleanup.policy", ConfigValue: "compact"},
				// Snapshots are replaced all the time: small segments let
				// compaction remove the old ones soon.
				{ConfigName: "segment.bytes", ConfigValue: strconv.Itoa(64 << 20)},
				{ConfigName: "min.cleanable.dirty.ratio", ConfigValue: "0.1"},
			},
		}}})
		if err == nil {
			err = resp.Errors[t.topic]
		}
		if errors.Is(err, kafkago.TopicAlreadyExists) {
			return nil
		}
		if refused(err) {
			return &permanent{fmt.Errorf("kafka: there is no state topic %s, and this client may not create it: "+
				"create it (kafka-topics.sh --create --topic %[1]s --partitions %d --config cleanup.policy=compact), or allow Create of the topic: %w", t.topic, partitions, explain(err))}
		}
		return err
	})
}

// check counts the partitions, and refuses a topic that forgets.
func (t *StateTopic) check(ctx context.Context, partitions int) error {
	counts, err := t.reader.waitForTopics(ctx)
	if err != nil {
		return err
	}
	if t.count = counts[t.topic]; t.count < partitions {
		return fmt.Errorf("kafka: the state topic %s has %d partitions, the input %d: add some, or use another one", t.topic, t.count, partitions)
	}
	var policy string
	err = t.try(ctx, "describe the state topic", func(ctx context.Context) error {
		resp, err := t.reader.client.DescribeConfigs(ctx, &kafkago.DescribeConfigsRequest{Resources: []kafkago.DescribeConfigRequestResource{{
			ResourceType: kafkago.ResourceTypeTopic, ResourceName: t.topic, ConfigNames: []string{"cleanup.policy"},
		}}})
		if err != nil {
			return err
		}
		for _, r := range resp.Resources {
			if refused(r.Error) {
				return &permanent{fmt.Errorf("kafka: this client may not see whether the state topic %s is compacted: allow DescribeConfigs of the topic: %w", t.topic, r.Error)}
			}
			if r.Error != nil {
				return r.Error
			}
			for _, e := range r.ConfigEntries {
				if e.ConfigName == "cleanup.policy" {
					policy = e.ConfigValue
				}
			}
		}
		return nil
	})
	if err == nil && policy != "compact" {
		err = fmt.Errorf("kafka: the state topic %s has cleanup.policy=%s, which removes checkpoints in use: set it to compact", t.topic, policy)
	}
	return err
}

// try repeats a request as Partition.try does.
func (t *StateTopic) try(ctx context.Context, what string, request func(ctx context.Context) error) error {
	p := t.partition(0)
	defer p.expire(nil)
	return p.try(ctx, what, request)
}

func (t *StateTopic) partition(number int) *Partition {
	return t.reader.newPartition(topicPartition{t.topic, number}, nil)
}

// Store returns the checkpoints of a partition. It is valid while the partition is
// assigned.
func (t *StateTopic) Store(p *Partition) *Store {
	return &Store{topic: t, p: p, unused: make(map[string]int)}
}

// Store keeps the checkpoints of one partition in a StateTopic. Save also commits the
// offset: a Commit of the Partition for the same offset does nothing then.
type Store struct {
	topic             *StateTopic
	p                 *Partition
	current, previous manifest       // loaded or saved last, and the next to be removed
	sum               hash.Hash      // of the chunks of current; nil = changes cannot follow
	unused            map[string]int // snapshots to remove after the next commit, and the number of their chunks
	damaged           atomic.Int64
}

var _ checkpoint.Store = (*Store)(nil)

// Damaged returns how many snapshots Load has found damaged. It may be called from
// any goroutine.
func (s *Store) Damaged() int64 { return s.damaged.Load() }

// Load implements checkpoint.Store. It returns the committed snapshot; of a damaged one the
// part before the damage, or else the snapshot before. Without a commit it returns the
// newest snapshot: all points before it were accepted, whoever wrote it. Load writes
// nothing: see collect.
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
				s.previous = list[1-i] // the damaged one goes first
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

// use is read, but counts and logs damage, and returns the intact part.
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

// read returns the checkpoints of a snapshot, and for all that is in the topic from
// its first chunk on the number of chunks. With an error that wraps checkpoint.ErrCorrupt come the
// checkpoints before the damage.
func (s *Store) read(ctx context.Context, m manifest) (list []checkpoint.Checkpoint, found map[string]int, err error) {
	parts := make(chunks, m.chunks)
	found = make(map[string]int)
	err = s.scan(ctx, m.first, func(id string, chunk int, msg *stream.Message) {
		if msg.Value != nil {
			found[id] = max(found[id], chunk+1)
		} else if chunk < 0 {
			delete(found, id) // removed
		}
		if id == m.id && chunk >= 0 && chunk < m.chunks {
			parts[chunk] = slices.Clone(msg.Value) // of a chunk that is there twice, both are equal
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
		// Each checkpoint is valid, but they are not those that were committed.
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
			delete(last, id) // removed
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
	s.sum = nil // until all is well: nothing may follow a part
	switch {
	case c.Since == 0:
		m = manifest{id: fmt.Sprintf("%d-%d-%08x", c.Next, s.generation(), rand.Uint32())}
		before, old, sum = s.current, s.previous, sha256.New()
	case sum == nil:
		return errChanges
	}
	w := &chunkWriter{write: func(chunk []byte) error {
		sum.Write(chunk)
		at, err := s.produce(ctx, outgoing{key: s.key(m.id, m.chunks), value: chunk})
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
	if _, err := s.produce(ctx, outgoing{key: s.key(m.id, -1), value: []byte(m.String())}); err != nil {
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

// chunkWriter divides what it gets into chunks.
type chunkWriter struct {
	chunk []byte
	write func(chunk []byte) error // may keep it
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
	w.chunk = nil // a request that was given up may still use it
	return w.write(chunk)
}

func (s *Store) generation() int {
	if s.p.member == nil {
		return 0
	}
	return s.p.member.generation
}

// keyPrefix begins the keys of the group and the partition. Neither a topic nor what
// follows has a slash, so no key has the prefix of another group.
func (s *Store) keyPrefix() string {
	group := ""
	if s.p.member != nil {
		group = s.p.member.group
	}
	return fmt.Sprintf("%s/%s/%d/", group, s.p.tp.topic, s.p.tp.partition)
}

// key returns the key of a chunk, or of the manifest when chunk is negative.
func (s *Store) key(id string, chunk int) []byte {
	last := "manifest"
	if chunk >= 0 {
		last = strconv.Itoa(chunk)
	}
	return fmt.Appendf(nil, "%s%s/%s", s.keyPrefix(), id, last)
}

// parseKey reverses key. It reports false for the keys of other groups and partitions.
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

// produce writes records to the state partition and returns the offset of the
// first. It repeats what fails until ctx ends: a record may be there twice.
func (s *Store) produce(ctx context.Context, batch ...outgoing) (at int64, err error) {
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
		if unacceptable(err) {
			return &permanent{fmt.Errorf("kafka: writing to the state topic %s: %w", s.topic.topic, explain(err))}
		}
		if err == nil {
			at = resp.BaseOffset
		}
		return err
	})
	return at, err
}

// nullable makes a tombstone of nil.
func nullable(b []byte) protocol.Bytes {
	if b == nil {
		return nil
	}
	return kafkago.NewBytes(b)
}

// scan calls f for every record of the partition in the state topic, from an
// offset to the end that the log has now; chunk is negative for a manifest.
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
