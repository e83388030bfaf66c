// Package kafkatest has a broker, connections and messages for the tests of groups and of sinks.
package kafkatest

import (
	"strconv"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/orffvar/forecaster/internal/devbroker"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/kafka/cluster"
)

// Topic is the topic of every broker.
const Topic = "in"

// NewBroker starts a broker in the process with Topic.
func NewBroker(t testing.TB, partitions int, options ...kfake.Opt) *devbroker.Broker {
	t.Helper()
	b, err := devbroker.Start(partitions, []string{Topic}, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// Connection returns a connection with a long time limit. On a busy machine a shorter limit would fail requests, or
// repeat them and write messages twice.
func Connection(addr string) cluster.Connection {
	return cluster.Connection{Brokers: []string{addr}, ClientID: "test", Timeout: 30 * time.Second}
}

// Numbered returns messages n to m-1: each has its number as value and the number modulo 10 as key.
func Numbered(n, m int) []stream.Message {
	var messages []stream.Message
	for i := n; i < m; i++ {
		messages = append(messages, stream.Message{
			Key: strconv.AppendInt(nil, int64(i%10), 10), Value: strconv.AppendInt(nil, int64(i), 10),
		})
	}
	return messages
}
