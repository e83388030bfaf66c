package format_test

import (
	"fmt"
	"log"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
)

func ExampleJSON() {
	d, err := format.NewJSON(format.JSONConfig{})
	if err != nil {
		log.Fatal(err)
	}
	var r stream.Record
	for _, text := range []string{
		`{"time": "2026-01-01T00:00:00Z", "values": {"cpu": 0.5, "mem": null}}`,
		`{"time": "2026-01-01T00:00:01Z", "values": {"cpu": "high"}}`,
	} {
		m := stream.Message{Key: []byte("host1"), Value: []byte(text)}
		if err := d.Decode(&r, &m); err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(r.Series, r.Names, r.Values)
	}
	// Output:
	// host1 [cpu mem] [0.5 NaN]
	// malformed: the value of "cpu" is of type string, not a number, true, false or null
}
