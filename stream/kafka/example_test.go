package kafka_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/orffvar/forecaster/internal/devbroker"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/kafka"
	"github.com/orffvar/forecaster/stream/kafka/cluster"
	"github.com/orffvar/forecaster/stream/kafka/kafkasink"
)

func ExampleGroup() {
	broker, err := devbroker.Start(1, []string{"metrics"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer broker.Close()
	ctx := context.Background()
	connection := cluster.Connection{Brokers: []string{broker.Addr()}}

	producer, err := kafkasink.NewProducer(connection, "metrics", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer producer.Close()
	if err := producer.Send(ctx, []stream.Message{{Key: []byte("host1"), Value: []byte(`{"cpu": 0.5}`)}}); err != nil {
		fmt.Println(err)
	}

	group, err := kafka.NewGroup(kafka.GroupConfig{Connection: connection, Topics: []string{"metrics"}, Group: "example"})
	if err != nil {
		fmt.Println(err)
		return
	}
	done := errors.New("done")
	err = group.Run(ctx, func(ctx context.Context, p *kafka.Partition) error {
		messages := make([]stream.Message, 100)
		n, err := p.Read(ctx, messages)
		if err != nil {
			return err
		}
		for _, m := range messages[:n] {
			fmt.Printf("%s: %s = %s\n", m.Origin(), m.Key, m.Value)
		}
		if err := p.Commit(ctx, messages[n-1].Offset+1); err != nil {
			return err
		}
		return done
	})
	fmt.Println(errors.Is(err, done))
	// Output:
	// metrics[0]@0: host1 = {"cpu": 0.5}
	// true
}
