package kafka

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	kafkago "github.com/segmentio/kafka-go"

	"github.com/orffvar/forecaster/internal/tools/testserver"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/file/filestore"
	"github.com/orffvar/forecaster/stream/run"
)

// TestFault54_RecreatedWhileStopped: the topic is replaced while no process runs. The broker has deleted the commits with
// the topic; the checkpoint, in a directory or in Kafka, still has the processed offset.
func TestFault54_RecreatedWhileStopped(t *testing.T) {
	t.Parallel()
	t.Run("in memory", func(t *testing.T) { replacedWhileStopped(t, newBroker(t, 1).Addr()) })
	t.Run("Apache Kafka", func(t *testing.T) {
		if testing.Short() {
			t.Skip("a real broker takes some seconds to start")
		}
		k := testserver.StartKafka(t)
		k.CreateTopic(topic, 1)
		replacedWhileStopped(t, k.Addr)
	})
}

func replacedWhileStopped(t *testing.T, addr string) {
	c := quick(addr)
	c.Stateful = true
	dir, state := t.TempDir(), openState(t, addr)
	stores := map[string]func(p *Partition) checkpoint.Store{
		"state.dir": func(*Partition) checkpoint.Store {
			store, err := filestore.Open(filepath.Join(dir, "in-0"), quiet)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { store.Close() })
			return store
		},
		"state.topic": func(p *Partition) checkpoint.Store { return state.Store(p) },
	}
	work := func(name string) Work {
		return func(ctx context.Context, p *Partition) error {
			store := stores[name](p)
			if s, ok := store.(*filestore.Store); ok {
				defer s.Close()
			}
			runner, err := run.NewRunner(run.Config{
				Source: p, Decoder: newTestDecoder(t), Engine: newTestEngine(t, 0), Sink: stream.Discard{}, Store: store,
				CheckpointEvery: 20 * time.Millisecond,
			})
			if err != nil {
				return err
			}
			return runner.Run(ctx)
		}
	}
	sendSamples(t, addr, 0, 10)
	for name := range stores {
		c.Group = name
		stop := start(t, newGroup(t, c), work(name))
		observer := newGroup(t, c).newPartition(topicPartition{topic, 0}, &membership{group: name})
		eventually(t, "the samples are processed", func() bool {
			offset, _, err := observer.Committed(deadline(t))
			return err == nil && offset == 70
		})
		if err := stop(); err != nil {
			t.Fatal(err)
		}
	}
	client, err := c.NewClient(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	resp, err := client.DeleteTopics(deadline(t), &kafkago.DeleteTopicsRequest{Topics: []string{topic}})
	if err != nil || resp.Errors[topic] != nil {
		t.Fatal(err, resp)
	}
	eventually(t, "the topic can be created again", func() bool {
		resp, err := client.CreateTopics(deadline(t), &kafkago.CreateTopicsRequest{
			Topics: []kafkago.TopicConfig{{Topic: topic, NumPartitions: 1, ReplicationFactor: 1}},
		})
		return err == nil && resp.Errors[topic] == nil
	})
	sendSamples(t, addr, 100, 130)
	for name := range stores {
		c.Group = name
		wantReplaced(t, 30, false, runGroup(t, newGroup(t, c), work(name)))
	}
}
