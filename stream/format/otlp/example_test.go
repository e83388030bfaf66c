package otlp_test

import (
	"errors"
	"fmt"
	"io"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format/otlp"
)

// A message of the Collector's Kafka exporter, encoding otlp_json: the resource is the series.
func ExampleDecoder_Split() {
	const text = `{"resourceMetrics": [{
		"resource": {"attributes": [{"key": "host.name", "value": {"stringValue": "web1"}}]},
		"scopeMetrics": [{"metrics": [{"name": "load", "gauge": {"dataPoints": [
			{"timeUnixNano": "60000000000", "asDouble": 0.5}, {"timeUnixNano": "120000000000", "asDouble": 0.7}]}}]}]}]}`
	d, err := otlp.New(otlp.Config{JSON: true, MaxBytes: 1 << 20, MaxDim: 100})
	if err != nil {
		fmt.Println(err)
		return
	}
	d.Split(&stream.Message{Value: []byte(text)})
	var r stream.Record
	for {
		switch err := d.Next(&r); {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			fmt.Println(err)
		default:
			fmt.Println(r.Series, r.Time/1e9, r.Names, r.Values)
		}
	}
	// Output:
	// host.name=web1 60 [load] [0.5]
	// host.name=web1 120 [load] [0.7]
}
