package avro_test

import (
	"context"
	"fmt"

	avrolib "github.com/twmb/avro"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format/avro"
	"github.com/orffvar/forecaster/stream/format/timestamp"
)

// Messages of a schema that is in a file: the fields beside the time are the values.
func ExampleNew() {
	schema, err := avrolib.Parse(`{"type": "record", "name": "reading", "fields": [
		{"name": "time", "type": {"type": "long", "logicalType": "timestamp-millis"}},
		{"name": "temperature", "type": "double"}, {"name": "humidity", "type": "double"}]}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := avro.New(context.Background(), avro.Config{Schema: schema, TimeUnit: timestamp.Auto, MaxBytes: 1 << 20, MaxDim: 100})
	if err != nil {
		fmt.Println(err)
		return
	}
	value, err := schema.Encode(map[string]any{"time": int64(60000), "temperature": 21.5, "humidity": .4})
	if err != nil {
		fmt.Println(err)
		return
	}
	var r stream.Record
	if err := d.Decode(&r, &stream.Message{Key: []byte("kitchen"), Value: value}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Series, r.Time/1e9, r.Names, r.Values)
	// Output: kitchen 60 [temperature humidity] [21.5 0.4]
}
