package stream_test

import (
	"context"
	"fmt"

	"github.com/orffvar/forecaster/stream"
)

// table is a sink that prints forecasts.
type table struct{}

func (table) Write(_ context.Context, b *stream.Batch) error {
	for _, f := range b.Forecasts {
		for j, name := range f.Series.Variables {
			fmt.Printf("%s %s in %d steps: %g\n", f.Series.Name, name, f.Horizon, f.Yhat[j])
		}
	}
	return nil
}

func (table) Close() error { return nil }

// An output of one's own is a Sink.
func ExampleSink() {
	var sink stream.Sink = table{}
	host := &stream.Series{Name: "host1", Variables: []string{"cpu", "mem"}}
	batch := stream.Batch{Forecasts: []stream.Forecast{{Series: host, Horizon: 2, Yhat: []float64{0.5, 0.25}}}}
	if err := sink.Write(context.Background(), &batch); err != nil {
		fmt.Println(err)
	}
	// Output:
	// host1 cpu in 2 steps: 0.5
	// host1 mem in 2 steps: 0.25
}
