package engine_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/file/filesink"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/streamtest"
)

func ExampleEngine() {
	e, err := engine.New(engine.Config{
		Model: "drift", Horizon: 2,
		NewModel: func(dim int) (eval.Model, error) { return streamtest.NewDrift(dim, 2, 0), nil },
	})
	if err != nil {
		log.Fatal(err)
	}
	decoder, err := format.NewCSV(format.CSVConfig{Header: []string{"time", "level"}})
	if err != nil {
		log.Fatal(err)
	}
	var (
		results engine.Results
		decoded engine.Decoded
	)
	for i, line := range []string{"2026-01-01,10", "2026-01-02,12", "2026-01-03,high", "2026-01-04,16"} {
		m := stream.Message{Topic: "river", Offset: int64(i), Key: []byte("rhine"), Value: []byte(line)}
		decoded.Decode(decoder, &m)
		if err := errors.Join(e.LearnMessage(&results, &decoded, 0), e.Settle(&results), e.Score(&results)); err != nil {
			log.Fatal(err)
		}
		decoded.Reset()
		for _, l := range results.DeadLetters {
			fmt.Println(l.Message.Origin(), l.Reason)
		}
		fmt.Printf("%s", filesink.CSV{}.AppendBatch(nil, &results.Batch))
		results.Reset()
	}
	// Output:
	// 2026-01-03T00:00:00Z,rhine,level,1,drift,14,,
	// 2026-01-04T00:00:00Z,rhine,level,2,drift,16,,
	// river[0]@2 malformed
	// 2026-01-05T00:00:00Z,rhine,level,1,drift,19,,
	// 2026-01-06T00:00:00Z,rhine,level,2,drift,22,,
}
