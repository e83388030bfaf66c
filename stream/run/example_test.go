package run_test

import (
	"context"
	"fmt"
	"log"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/file"
	"github.com/orffvar/forecaster/stream/file/filesink"
	"github.com/orffvar/forecaster/stream/run"
	"github.com/orffvar/forecaster/stream/streamtest"
)

func ExampleRunner() {
	e, err := engine.New(engine.Config{
		Model: "drift", Horizon: 2,
		NewModel: func(dim int) (eval.Model, error) { return streamtest.NewDrift(dim, 2, 0), nil },
	})
	if err != nil {
		log.Fatal(err)
	}
	source, err := file.OpenSource("testdata/river.csv", file.SourceConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer source.Close()
	sink, err := filesink.Create("-", filesink.CSV{})
	if err != nil {
		log.Fatal(err)
	}
	defer sink.Close()
	runner, err := run.NewRunner(run.Config{
		Source: source, Decoder: source.Decoder(), Engine: e, Sink: sink,
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := runner.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(runner.Stats().Records, "records")
	// Output:
	// time,series,target,horizon,model,yhat,yhat_lower,yhat_upper
	// 2026-01-03T00:00:00Z,river,level,1,drift,14,,
	// 2026-01-04T00:00:00Z,river,level,2,drift,16,,
	// 3 records
}
