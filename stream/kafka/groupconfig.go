package kafka

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/orffvar/forecaster/stream/kafka/cluster"
)

// Offset is the start of reading in a group without committed offsets.
type Offset string

// The offsets.
const (
	Oldest Offset = "oldest"
	Newest Offset = "newest"
)

// GroupConfig has the topics of a Group and its way of reading them. The zero value
// of a duration or size means its default.
type GroupConfig struct {
	cluster.Connection

	// Topics are read together. While one of them does not exist, the Group waits.
	Topics []string

	// Group is the name of the consumer group. Without a name all partitions of
	// the topics are read and nothing is committed.
	Group string

	// OneMember gives all partitions to one member of the group; the others stand by.
	OneMember bool

	// Offset is the start of a partition without a committed offset; "" means Oldest.
	// Newest is resolved once and committed at once, so that a restart misses nothing.
	Offset Offset

	// Isolation decides about messages of aborted and open transactions. "" means
	// ReadCommitted: they are not delivered, and an open transaction delays the messages
	// behind it.
	Isolation Isolation

	// Stateful declares that work restores a state and calls Seek. Read without Seek is
	// then an error if an offset is committed: the state for the offset is missing.
	Stateful bool

	// StopOnLoss makes it an error when records were removed by retention
	// before they were read. Otherwise they are counted and logged.
	StopOnLoss bool

	// MaxMessageBytes is the largest key and value together that is delivered
	// whole; default 1 MiB. See stream.Message.Refused.
	MaxMessageBytes int

	// FetchBytes is the size that a request for messages asks for; default 1 MiB. A larger
	// batch is delivered nevertheless. MaxWait is the time that the broker holds a request
	// without messages; default 500 ms.
	FetchBytes int
	MaxWait    time.Duration

	// SessionTimeout is the time without a heartbeat after which the group gives
	// the partitions of a member to others; default 30 s. Heartbeat is the
	// time between two heartbeats; default 3 s. HandOver is the time in which
	// the function of a partition has to finish when the partition goes to
	// another member or the process ends; default 10 s.
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
