package kafkasink_test

import (
	"context"
	"fmt"

	"github.com/orffvar/forecaster/internal/devbroker"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/kafka"
	"github.com/orffvar/forecaster/stream/kafka/cluster"
	"github.com/orffvar/forecaster/stream/kafka/kafkasink"
)

// A forecast of two variables becomes two messages, which a group without a name reads.
func ExampleSink() {
	broker, err := devbroker.Start(1, []string{"forecasts"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer broker.Close()
	ctx := context.Background()
	connection := cluster.Connection{Brokers: []string{broker.Addr()}}
	sink, err := kafkasink.New(connection, "forecasts", kafkasink.LongJSON{}, nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer sink.Close()
	forecast := stream.Forecast{
		Series: &stream.Series{Name: "host1", Variables: []string{"cpu", "mem"}}, Model: "auto",
		Origin: 0, Time: 60e9, Horizon: 1, Yhat: []float64{0.5, 0.25},
	}
	if err := sink.Write(ctx, &stream.Batch{Forecasts: []stream.Forecast{forecast}}); err != nil {
		fmt.Println(err)
		return
	}
	group, err := kafka.NewGroup(kafka.GroupConfig{Connection: connection, Topics: []string{"forecasts"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	err = group.Run(ctx, func(ctx context.Context, p *kafka.Partition) error {
		messages := make([]stream.Message, 2)
		n, err := p.Read(ctx, messages)
		for _, m := range messages[:n] {
			fmt.Printf("%s: %s\n", m.Key, m.Value)
		}
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// host1: {"series":"host1","target":"cpu","horizon":1,"model":"auto","origin":"1970-01-01T00:00:00Z","time":"1970-01-01T00:01:00Z","yhat":0.5,"yhat_lower":null,"yhat_upper":null}
	// host1: {"series":"host1","target":"mem","horizon":1,"model":"auto","origin":"1970-01-01T00:00:00Z","time":"1970-01-01T00:01:00Z","yhat":0.25,"yhat_lower":null,"yhat_upper":null}
}
