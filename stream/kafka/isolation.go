package kafka

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
	"github.com/segmentio/kafka-go/protocol/fetch"

	"github.com/orffvar/forecaster/stream/kafka/cluster"
)

// Isolation selects which messages of transactions are read.
type Isolation string

// Isolation levels, with Kafka's names.
const (
	ReadCommitted   Isolation = "read_committed"
	ReadUncommitted Isolation = "read_uncommitted"
)

// level returns the isolation level for a request.
func (i Isolation) level() kafkago.IsolationLevel {
	if i == ReadUncommitted {
		return kafkago.ReadUncommitted
	}
	return kafkago.ReadCommitted
}

// fetched is the answer to a fetch request for one partition.
type fetched struct {
	end     int64 // end of the log
	stable  int64 // offset before which all transactions have ended
	aborted abortedTransactions
	records protocol.RecordReader
}

// fetchFrom sends one fetch request. It replaces Client.Fetch of kafka-go, which drops the list of aborted
// transactions.
func fetchFrom(ctx context.Context, c *cluster.Client, tp topicPartition, offset int64, maxBytes int, wait time.Duration, isolation Isolation) (*fetched, error) {
	m, err := c.Transport.RoundTrip(ctx, c.Addr, &fetch.Request{
		ReplicaID:      -1,
		MaxWaitTime:    int32(wait.Milliseconds()),
		MinBytes:       1,
		MaxBytes:       math.MaxInt32, // PartitionMaxBytes limits the only partition
		IsolationLevel: int8(isolation.level()),
		SessionID:      -1,
		SessionEpoch:   -1,
		Topics: []fetch.RequestTopic{{
			Topic: tp.topic,
			Partitions: []fetch.RequestPartition{{
				Partition:          int32(tp.partition),
				CurrentLeaderEpoch: -1,
				FetchOffset:        offset,
				LogStartOffset:     -1,
				PartitionMaxBytes:  int32(maxBytes),
			}},
		}},
	})
	if err != nil {
		return nil, fmt.Errorf("fetch: %w", err)
	}
	r := m.(*fetch.Response)
	if r.ErrorCode != 0 {
		return nil, kafkago.Error(r.ErrorCode)
	}
	if len(r.Topics) == 0 || len(r.Topics[0].Partitions) == 0 {
		return nil, errNoPartition
	}
	p := &r.Topics[0].Partitions[0]
	if p.ErrorCode != 0 {
		return nil, kafkago.Error(p.ErrorCode)
	}
	f := &fetched{end: p.HighWatermark, stable: p.HighWatermark, records: p.RecordSet.Records}
	if isolation != ReadUncommitted {
		f.stable, f.aborted = p.LastStableOffset, p.AbortedTransactions
	}
	return f, nil
}

// batches yields the record batches of an answer.
func (f *fetched) batches(yield func(protocol.RecordReader) bool) {
	switch r := f.records.(type) {
	case nil:
	case *protocol.RecordStream:
		for _, b := range r.Records {
			if !yield(b) {
				return
			}
		}
	default:
		yield(r)
	}
}

// abortedTransactions are the aborted transactions of an answer whose end has not been read yet.
type abortedTransactions []fetch.ResponseTransaction

// skip reports whether the next batch has no messages: it belongs to an aborted transaction, or is the marker at
// the end of a transaction.
func (a *abortedTransactions) skip(batch protocol.RecordReader) bool {
	switch b := batch.(type) {
	case *protocol.ControlBatch:
		*a = slices.DeleteFunc(*a, func(t fetch.ResponseTransaction) bool { return begun(t, b.ProducerID, b.BaseOffset) })
		return true
	case *protocol.RecordBatch:
		return b.Attributes.Transactional() &&
			slices.ContainsFunc(*a, func(t fetch.ResponseTransaction) bool { return begun(t, b.ProducerID, b.BaseOffset) })
	}
	return false
}

// begun reports whether t is a transaction of the producer that began at or before the offset.
func begun(t fetch.ResponseTransaction, producer, offset int64) bool {
	return t.ProducerID == producer && t.FirstOffset <= offset
}
