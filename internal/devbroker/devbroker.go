// Package devbroker is a Kafka broker inside the process, for the demo and for
// tests. It is a fake: it speaks the protocol of a broker to any client, on
// loopback, and keeps its log in memory; it has no replication and is not meant
// to be reached from elsewhere.
package devbroker

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kfake"
)

// Broker is a running broker.
type Broker struct{ cluster *kfake.Cluster }

// Start starts a broker on a free port with the given number of partitions of
// each topic. Options of the underlying package may be added.
func Start(partitions int, topics []string, options ...kfake.Opt) (*Broker, error) {
	options = append([]kfake.Opt{
		kfake.NumBrokers(1),
		kfake.SeedTopics(int32(partitions), topics...),
	}, options...)
	c, err := kfake.NewCluster(options...)
	if err != nil {
		return nil, fmt.Errorf("starting the broker: %w", err)
	}
	return &Broker{cluster: c}, nil
}

// Addr returns host:port of the broker.
func (b *Broker) Addr() string { return b.cluster.ListenAddrs()[0] }

// Cluster returns what the broker is made of, for faults and inspection.
func (b *Broker) Cluster() *kfake.Cluster { return b.cluster }

// Close stops the broker; its log is gone.
func (b *Broker) Close() { b.cluster.Close() }
