package kafka

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/orffvar/forecaster/stream/kafka/cluster"
)

// Offset is the first position in a partition without a committed offset.
type Offset string

// Offsets.
const (
	Oldest Offset = "oldest"
	Newest Offset = "newest"
)

// GroupConfig configures a Group. Zero durations and sizes mean their defaults.
type GroupConfig struct {
	cluster.Connection

	// Topics are read together. The Group waits until all of them exist.
	Topics []string

	// Group is the name of the consumer group. If empty, all partitions are read and nothing is committed.
	Group string

	// OneMember assigns all partitions to one member of the group; the others stand by.
	OneMember bool

	// Offset is the first position in a partition without a committed offset; "" means Oldest. Newest is resolved
	// and committed at once, so that a restart misses no message.
	Offset Offset

	// Isolation selects the messages of transactions. "" means ReadCommitted: aborted messages are dropped, and an
	// open transaction delays the messages behind it.
	Isolation Isolation

	// Stateful declares that work restores a state and calls Seek. If an offset is committed, Read without Seek
	// then fails, because the state for the offset is missing.
	Stateful bool

	// StopOnLoss makes lost records an error: records that retention removed before they were read. Otherwise they
	// are counted and logged.
	StopOnLoss bool

	// MaxMessageBytes is the largest message, key and value together, that is delivered whole; default 1 MiB. See
	// stream.Message.Refused.
	MaxMessageBytes int

	// FetchBytes is the requested size of an answer; default 1 MiB. A larger batch is still delivered. MaxWait is
	// the time that the broker holds a request without messages; default 500 ms.
	FetchBytes int
	MaxWait    time.Duration

	// SessionTimeout is the time without a heartbeat after which the group reassigns the partitions of a member;
	// default 30 s. Heartbeat is the time between two heartbeats; default 3 s. HandOver is the time for the work on
	// a partition to finish when the partition moves to another member or the process ends; default 10 s.
	// Invariant: HandOver + Heartbeat < SessionTimeout.
	SessionTimeout time.Duration
	Heartbeat      time.Duration
	HandOver       time.Duration

	// Log receives messages for operators; nil means slog.Default().
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
