package kafka

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	kafkago "github.com/segmentio/kafka-go"
)

// Offset says where reading starts when a group has committed nothing.
type Offset string

// The offsets.
const (
	Oldest Offset = "oldest"
	Newest Offset = "newest"
)

// GroupConfig says what a Group reads. The zero value of a duration or size
// means its default.
type GroupConfig struct {
	Connection

	// Topics are read together. While one of them does not exist, the Group waits.
	Topics []string

	// Group is the name of the consumer group. Without a name all partitions of
	// the topics are read and nothing is committed.
	Group string

	// Offset is where a partition starts of which nothing is committed; "" means
	// Oldest. Newest is resolved once and committed at once, so that a restart
	// misses nothing.
	Offset Offset

	// Isolation says whether messages of transactions that were aborted, or have not
	// ended, are delivered; "" means ReadCommitted: they are not, and a transaction
	// that does not end holds up what follows it.
	Isolation Isolation

	// Stateful says that work restores a state and calls Seek. Then it is an
	// error to Read without Seek from a partition of which something is
	// committed: the state that belongs to the commit is missing.
	Stateful bool

	// StopOnLoss makes it an error when records were removed by retention
	// before they were read. Otherwise they are counted and logged.
	StopOnLoss bool

	// MaxMessageBytes is the largest key and value together that is delivered
	// whole; default 1 MiB. See stream.Message.Refused.
	MaxMessageBytes int

	// FetchBytes is how much a request for messages asks for; default 1 MiB. A
	// larger batch is delivered nevertheless. MaxWait is how long the broker
	// holds a request while there is nothing; default 500 ms.
	FetchBytes int
	MaxWait    time.Duration

	// SessionTimeout is the time without a heartbeat after which the group gives
	// the partitions of a member to others; default 30 s. Heartbeat is the
	// time between two signs; default 3 s. HandOver is how long the function
	// of a partition may take to finish when the partition goes to another
	// member or the process ends; default 10 s. The sum of HandOver and
	// Heartbeat must be less than SessionTimeout.
	SessionTimeout time.Duration
	Heartbeat      time.Duration
	HandOver       time.Duration

	// Log receives what an operator should know; nil means slog.Default().
	Log *slog.Logger
}

func (c GroupConfig) withDefaults() (GroupConfig, error) {
	set := func(d *time.Duration, value time.Duration) {
		if *d == 0 {
			*d = value
		}
	}
	set(&c.MaxWait, 500*time.Millisecond)
	set(&c.SessionTimeout, 30*time.Second)
	set(&c.Heartbeat, min(3*time.Second, c.SessionTimeout/3))
	set(&c.HandOver, min(10*time.Second, c.SessionTimeout/3))
	if c.MaxMessageBytes == 0 {
		c.MaxMessageBytes = 1 << 20
	}
	if c.FetchBytes == 0 {
		c.FetchBytes = 1 << 20
	}
	if c.Offset == "" {
		c.Offset = Oldest
	}
	if c.Isolation == "" {
		c.Isolation = ReadCommitted
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf("kafka: "+format, args...))
		}
	}
	check(len(c.Topics) > 0, "Topics must not be empty")
	check(c.Offset == Oldest || c.Offset == Newest, "Offset must be %q or %q, got %q", Oldest, Newest, c.Offset)
	check(c.Isolation == ReadCommitted || c.Isolation == ReadUncommitted, "Isolation must be %q or %q, got %q", ReadCommitted, ReadUncommitted, c.Isolation)
	check(c.MaxMessageBytes > 0, "MaxMessageBytes must be > 0, got %d", c.MaxMessageBytes)
	check(c.FetchBytes > 0 && c.FetchBytes <= 1<<30, "FetchBytes must be in [1, 1 GiB], got %d", c.FetchBytes)
	check(c.MaxWait > 0, "MaxWait must be > 0, got %v", c.MaxWait)
	check(c.Heartbeat > 0 && c.HandOver > 0 && c.HandOver+c.Heartbeat < c.SessionTimeout,
		"HandOver + Heartbeat must be less than SessionTimeout, got %v + %v and %v", c.HandOver, c.Heartbeat, c.SessionTimeout)
	return c, errors.Join(errs...)
}

// The errors that end a Group, or the work on a partition.
var (
	// ErrFenced is returned by Commit when the partition may have another
	// owner. The state that was to be committed is void.
	ErrFenced = errors.New("kafka: the partition may have another owner by now")

	// ErrBeyondEnd means that the position is behind the end of the log: the
	// topic was truncated, or deleted and created again.
	ErrBeyondEnd = errors.New("kafka: the position lies beyond the end of the log; was the topic deleted and created again?")

	// ErrRecreated means that the log is not the one that was read before: a message
	// that was read has another content now.
	ErrRecreated = errors.New("kafka: the log has changed before the position: the topic was deleted and created again")

	// ErrNoState means that the group has read the partition before, but the
	// state that came of it is not there; see GroupConfig.Stateful.
	ErrNoState = errors.New("kafka: the group has committed an offset for which there is no checkpoint")

	// ErrLost means that retention removed records before they were read.
	ErrLost = errors.New("kafka: records were removed by retention before they were read")

	// ErrPartitions means that a topic has another number of partitions than
	// before, so that series may have moved from one to another.
	ErrPartitions = errors.New("kafka: the number of partitions has changed")

	// ErrStuck means that the function of a partition did not return within
	// HandOver. The process should end: the partition has another owner.
	ErrStuck = errors.New("kafka: the work on a partition did not end in time")
)

// Work processes a partition until ctx ends, then hands it over.
type Work func(ctx context.Context, p *Partition) error

// Group reads topics, alone or as a member of a consumer group.
type Group struct {
	config GroupConfig
	client *client
	dialer *kafkago.Dialer

	partitions atomic.Int64  // of all topics
	watchEvery time.Duration // between two looks at the number of partitions

	mu         sync.Mutex
	counts     map[string]int // partitions of the topics; nil before Run
	state      string
	generation int
	counters   map[topicPartition]*counters // of all partitions ever assigned
	assigned   map[topicPartition]*Partition
}

type topicPartition struct {
	topic     string
	partition int
}

func (t topicPartition) String() string { return fmt.Sprintf("%s[%d]", t.topic, t.partition) }

// NewGroup returns a Group that has not connected yet.
func NewGroup(c GroupConfig) (*Group, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	c.Topics = slices.Compact(slices.Sorted(slices.Values(c.Topics)))
	cl, err := c.newClient(c.Topics)
	if err != nil {
		return nil, err
	}
	dialer, err := c.dialer()
	if err != nil {
		return nil, err
	}
	return &Group{
		config: c, client: cl, dialer: dialer,
		watchEvery: 5 * time.Second,
		state:      "not started",
		counters:   make(map[topicPartition]*counters),
		assigned:   make(map[topicPartition]*Partition),
	}, nil
}

// Run waits until all topics exist, joins the group and calls work for each
// partition that is assigned, each in a goroutine of its own, again and again
// as the group changes. It returns nil when ctx has ended and all work returned
// nil, or when all work of a generation returned nil by itself; otherwise the
// first error, after the other work was handed over. Errors of work that has
// lost its partition are not returned: it is called again when the partition comes
// back. Failing connections are repeated for as long as ctx lives, but a client
// that the broker does not accept at the start is an error.
func (g *Group) Run(ctx context.Context, work Work) error {
	defer g.client.close()
	defer g.setState("ended")
	counts, err := g.waitForTopics(ctx)
	if err != nil {
		return g.orderly(ctx, err)
	}
	g.mu.Lock()
	g.counts = counts
	g.mu.Unlock()
	if err := g.checkPartitions(ctx, counts); err != nil {
		return g.orderly(ctx, err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	var watch sync.WaitGroup
	watch.Go(func() {
		if err := g.watch(ctx, counts); err != nil {
			cancel(err)
		}
	})
	defer watch.Wait()
	defer cancel(nil)
	if g.config.Group == "" {
		err = g.runAll(ctx, counts, work)
	} else {
		err = g.runGroup(ctx, work)
	}
	var verdict *permanent
	if errors.As(context.Cause(ctx), &verdict) {
		return verdict.err
	}
	return g.orderly(ctx, err)
}

// orderly is nil for the error of a context that has ended from outside.
func (g *Group) orderly(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// NumPartitions returns the number of partitions of all topics, 0 before Run has found them.
func (g *Group) NumPartitions() int { return int(g.partitions.Load()) }

// waitForTopics returns the number of partitions of each topic.
func (g *Group) waitForTopics(ctx context.Context) (map[string]int, error) {
	var b backoff
	var last string
	for {
		counts, err := g.client.partitions(ctx, g.config.Topics)
		if err == nil {
			n := 0
			for _, count := range counts {
				n += count
			}
			g.partitions.Store(int64(n))
			return counts, nil
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		fatal := refused(err)
		err = explainFirst(err)
		if fatal {
			return nil, fmt.Errorf("kafka: %w", err)
		}
		g.setState("waiting: " + err.Error())
		if s := kind(err); s != last {
			g.config.Log.Warn("waiting for Kafka", "error", err)
			last = s
		}
		if err := b.pause(ctx); err != nil {
			return nil, err
		}
	}
}

// checkPartitions compares the numbers of partitions with those that the topics had
// when the group committed its offsets, before anybody works.
func (g *Group) checkPartitions(ctx context.Context, now map[string]int) error {
	if g.config.Group == "" {
		return nil
	}
	all := make(map[string][]int)
	for topic, n := range now {
		for i := range n {
			all[topic] = append(all[topic], i)
		}
	}
	var b backoff
	for {
		rctx, cancel := g.client.bounded(ctx, 0)
		resp, err := g.client.committed(rctx, g.config.Group, all)
		cancel()
		if err == nil || errors.Is(err, kafkago.GroupIdNotFound) {
			for topic, list := range resp {
				for _, o := range list {
					if n := parseNote(o.Metadata); o.CommittedOffset >= 0 && n.partitions > 0 && n.partitions != now[topic] {
						return partitionsChanged(topic, n.partitions, now[topic])
					}
				}
			}
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if refused(err) {
			return fmt.Errorf("kafka: fetch the offsets of the group %s: %w", g.config.Group, explain(err))
		}
		g.setState("waiting for the offsets of the group: " + err.Error())
		if err := b.pause(ctx); err != nil {
			return err
		}
	}
}

func partitionsChanged(topic string, was, now int) error {
	return fmt.Errorf("%w: topic %s had %d and has %d; so series may have moved to "+
		"other partitions", ErrPartitions, topic, was, now)
}

// watch looks at the topics until ctx ends, also while the readers are held up. It
// returns a permanent error when a topic has been replaced, or when it has gained or
// lost partitions: the keys of its messages are then spread in another way.
func (g *Group) watch(ctx context.Context, was map[string]int) error {
	tick := time.NewTicker(g.watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		g.refreshEnds(ctx)
		if err := g.verify(ctx); err != nil {
			return err
		}
		now, err := g.client.partitions(ctx, g.config.Topics)
		if err != nil {
			continue // the readers notice and report what does not pass
		}
		for _, t := range g.config.Topics {
			if now[t] != was[t] {
				return &permanent{partitionsChanged(t, was[t], now[t])}
			}
		}
	}
}

// verify compares the logs of the assigned partitions with what was read. It returns
// only permanent errors; what else fails is noticed by the readers.
func (g *Group) verify(ctx context.Context) error {
	g.mu.Lock()
	list := slices.Collect(maps.Values(g.assigned))
	g.mu.Unlock()
	for _, p := range list {
		ctx, cancel := g.client.bounded(ctx, 0)
		err := p.verifyOnce(ctx)
		cancel()
		var verdict *permanent
		switch {
		case errors.As(err, &verdict):
			return err
		case err != nil:
			return nil //nolint:nilerr // the readers notice it
		}
	}
	return nil
}

// refreshEnds asks where the logs of the assigned partitions end, so that the lag
// of a reader that is held up grows.
func (g *Group) refreshEnds(ctx context.Context) {
	request := make(map[string][]kafkago.OffsetRequest)
	g.mu.Lock()
	for tp := range g.assigned {
		request[tp.topic] = append(request[tp.topic], kafkago.LastOffsetOf(tp.partition))
	}
	g.mu.Unlock()
	if len(request) == 0 {
		return
	}
	ctx, cancel := g.client.bounded(ctx, 0)
	defer cancel()
	resp, err := g.client.ListOffsets(ctx, &kafkago.ListOffsetsRequest{Topics: request})
	if err != nil {
		return // the readers notice
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for topic, list := range resp.Topics {
		for _, o := range list {
			if p := g.assigned[topicPartition{topic, o.Partition}]; p != nil && o.Error == nil {
				p.logEnd.Store(o.LastOffset)
			}
		}
	}
}

// runAll works on every partition, outside of any group.
func (g *Group) runAll(ctx context.Context, counts map[string]int, work Work) error {
	var list []*Partition
	for _, topic := range g.config.Topics {
		for i := range counts[topic] {
			list = append(list, g.newPartition(topicPartition{topic, i}, nil))
		}
	}
	return g.serve(ctx, list, work)
}

// runGroup works on what the group assigns, one generation after the other.
func (g *Group) runGroup(ctx context.Context, work Work) error {
	cg, err := kafkago.NewConsumerGroup(kafkago.ConsumerGroupConfig{
		ID:                g.config.Group,
		Brokers:           g.config.Brokers,
		Dialer:            g.dialer,
		Topics:            g.config.Topics,
		HeartbeatInterval: g.config.Heartbeat,
		SessionTimeout:    g.config.SessionTimeout,
		RebalanceTimeout:  g.config.SessionTimeout,
		JoinGroupBackoff:  time.Second,
		StartOffset:       kafkago.FirstOffset, // not used: see Partition.open
		Timeout:           g.config.timeout(),
	})
	if err != nil {
		return fmt.Errorf("kafka: %w", err)
	}
	left := make(chan struct{})
	leave := sync.OnceFunc(func() {
		go func() {
			cg.Close()
			close(left)
		}()
	})
	// Leaving before the work has ended keeps kafka-go from joining the next
	// generation only to leave it.
	defer context.AfterFunc(ctx, leave)()
	defer func() {
		leave()
		select {
		case <-left:
		case <-time.After(5 * time.Second): // a request to join can take as long as a session
			g.config.Log.Warn("the group did not answer to leaving it", "group", g.config.Group)
		}
	}()
	joined := false
	var problem string
	for {
		g.setState("joining the group " + g.config.Group)
		gen, err := cg.Next(ctx)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && refused(err) && !joined:
			return fmt.Errorf("kafka: joining the group %s: %w", g.config.Group, explain(err))
		case err != nil:
			if s := kind(err); s != problem {
				problem = s
				g.config.Log.Warn("joining the group", "group", g.config.Group, "error", explain(err))
			}
			continue // kafka-go pauses
		}
		joined, problem = true, ""
		err = g.runGeneration(ctx, gen, work, leave)
		switch {
		case !errors.Is(err, errEnded):
			return err
		case ctx.Err() != nil: // leaving has ended the generation
			return context.Cause(ctx)
		}
	}
}

// runGeneration works on the partitions of one generation, see serve. It calls
// leave when this is the last one.
func (g *Group) runGeneration(ctx context.Context, gen *kafkago.Generation, work Work, leave func()) error {
	m := &membership{group: gen.GroupID, generation: int(gen.ID), member: gen.MemberID}
	var list []*Partition
	for _, topic := range g.config.Topics {
		for _, a := range gen.Assignments[topic] {
			if n := g.counts[topic]; a.ID >= n { // sooner than the watcher
				leave()
				return partitionsChanged(topic, n, a.ID+1)
			}
			list = append(list, g.newPartition(topicPartition{topic, a.ID}, m))
		}
	}
	g.mu.Lock()
	g.generation = m.generation
	g.mu.Unlock()
	g.config.Log.Info("partitions were assigned", "group", m.group, "generation", m.generation, "partitions", fmt.Sprint(names(list)))
	result := make(chan error, 1)
	// One function serves all partitions: kafka-go ends a generation as soon as
	// one function returns, and joins the next when all have.
	gen.Start(func(generation context.Context) {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(generation, func() { cancel(errEnded) })()
		err := g.serve(ctx, list, work)
		if !errors.Is(err, errEnded) {
			leave()
		}
		result <- err
	})
	return <-result
}

// errEnded is the cause of the end of work whose generation is over.
var errEnded = errors.New("kafka: the generation of the group has ended")

// serve calls work for each partition and returns when all have returned, or
// when HandOver is over: nil when all returned nil by themselves, errEnded when
// the generation is over, the cause of ctx when that was something else, or the
// first error of work.
func (g *Group) serve(ctx context.Context, list []*Partition, work Work) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	g.assign(list)
	defer g.assign(nil)
	g.setState("")

	type result struct {
		p   *Partition
		err error
	}
	results := make(chan result, len(list))
	open := make(map[*Partition]bool)
	for _, p := range list {
		p.work = ctx
		open[p] = true
		go func() {
			err := work(ctx, p)
			p.expire(ErrFenced)
			results <- result{p, err}
		}()
	}

	var first error
	var late <-chan time.Time
	ended := ctx.Done()
	for len(open) > 0 || len(list) == 0 && ended != nil {
		select {
		case r := <-results:
			delete(open, r.p)
			switch {
			case r.err == nil:
			case errors.Is(r.err, ErrFenced), errors.Is(context.Cause(ctx), errEnded):
				g.config.Log.Warn("a partition was lost before its state was committed", "partition", r.p.tp.String(), "error", r.err)
				cancel(errEnded)
			case ctx.Err() != nil && errors.Is(r.err, context.Canceled):
			default:
				if first == nil {
					first = fmt.Errorf("%s: %w", r.p.tp, r.err)
				}
				cancel(first)
			}
		case <-ended:
			ended = nil
			timer := time.NewTimer(g.config.HandOver)
			defer timer.Stop()
			late = timer.C
		case <-late:
			list = slices.DeleteFunc(list, func(p *Partition) bool { return !open[p] })
			for _, p := range list {
				p.expire(ErrFenced)
			}
			return errors.Join(first, fmt.Errorf("%w: %v after %v", ErrStuck, names(list), g.config.HandOver))
		}
	}
	if first != nil {
		return first
	}
	return context.Cause(ctx)
}

func names(list []*Partition) []string {
	s := make([]string, len(list))
	for i, p := range list {
		s[i] = p.tp.String()
	}
	return s
}

func (g *Group) setState(s string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.state = s
}

func (g *Group) assign(list []*Partition) {
	g.mu.Lock()
	defer g.mu.Unlock()
	clear(g.assigned)
	for _, p := range list {
		g.assigned[p.tp] = p
	}
}

// Status is what a Group is doing now.
type Status struct {
	State      string // what it waits for; "" = working on the partitions
	Generation int    // of the group
	Partitions []PartitionStatus
}

// PartitionStatus describes a partition that is or was assigned.
type PartitionStatus struct {
	Topic     string
	Partition int
	Assigned  bool
	Position  int64  // offset of the next message to be delivered; -1 = not started
	End       int64  // offset after the last message of the log, when last heard
	Lost      int64  // records that retention removed before they were read
	Retries   int64  // requests that failed and were repeated
	Problem   string // why the last request failed; "" after a success
}

// Lag returns how many messages are not yet delivered.
func (p PartitionStatus) Lag() int64 {
	if p.Position < 0 {
		return 0
	}
	return max(0, p.End-p.Position)
}

// Status may be called at any time from any goroutine.
func (g *Group) Status() Status {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := Status{State: g.state, Generation: g.generation}
	tps := slices.SortedFunc(maps.Keys(g.counters), func(a, b topicPartition) int {
		if a.topic != b.topic {
			if a.topic < b.topic {
				return -1
			}
			return 1
		}
		return a.partition - b.partition
	})
	for _, tp := range tps {
		c := g.counters[tp]
		problem, _ := c.problem.Load().(string)
		s.Partitions = append(s.Partitions, PartitionStatus{
			Topic: tp.topic, Partition: tp.partition, Assigned: g.assigned[tp] != nil,
			Position: c.position.Load(), End: c.logEnd.Load(), Lost: c.lost.Load(), Retries: c.retries.Load(),
			Problem: problem,
		})
	}
	return s
}
