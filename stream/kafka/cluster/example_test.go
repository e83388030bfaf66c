package cluster_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/orffvar/forecaster/internal/devbroker"
	"github.com/orffvar/forecaster/stream/kafka/cluster"
)

func ExampleConnection() {
	broker, err := devbroker.Start(3, []string{"metrics"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer broker.Close()
	ctx := context.Background()
	connection := cluster.Connection{Brokers: []string{broker.Addr()}, ClientID: "example"}
	counts, err := connection.Partitions(ctx, []string{"metrics"})
	fmt.Println(counts, err)
	_, err = connection.Partitions(ctx, []string{"other"})
	var topic *cluster.TopicError
	fmt.Println(errors.As(err, &topic) && topic.Missing(), err)
	// Output:
	// map[metrics:3] <nil>
	// true there is no topic other
}
