package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/run"
)

// elapsed divides the rows of f among partitions, and sends each partition through a pipeline of its own: reading,
// models, scorer, and a sink that drops the points. It returns the time per row in ns.
func (f fleet) elapsed(tier string, partitions int, shards bool) float64 {
	part := f
	part.series /= partitions
	var all sync.WaitGroup
	begin := time.Now()
	for range partitions {
		ec := part.configured(tier, 1)
		if shards {
			ec.Together = run.Together
		}
		e, err := engine.New(ec)
		check(err)
		source := part.source()
		r, err := run.NewRunner(run.Config{
			Source: source, Decoder: source, Engine: e, Sink: stream.Discard{}, BatchBytes: wire.BatchBytes(ec.Memory) / partitions,
		})
		check(err)
		all.Go(func() { check(r.Run(context.Background())) })
	}
	all.Wait()
	return float64(time.Since(begin)) / float64(f.rows*part.series*partitions)
}

// partitionTable prints the time per row of a backlog, on all processors of this machine.
func partitionTable(*roofline) {
	processors := runtime.GOMAXPROCS(0)
	table(fmt.Sprintf("A backlog on %d processors: 100 series x 300 rows, seven variables, best of three by the clock", processors),
		"tier", "partitions", "goroutines for the models", "rows per second:", "ratio:")
	f := fleet{100, 300, 7}
	for _, tier := range []string{"full", "light"} {
		rows := []struct {
			partitions int
			shards     bool
			processors int
			ns         []float64
		}{{1, false, 1, nil}, {1, false, processors, nil}, {1, true, processors, nil}, {4, false, processors, nil}, {4, true, processors, nil}}
		for range 3 {
			for i := range rows {
				r := &rows[i]
				runtime.GOMAXPROCS(r.processors)
				r.ns = append(r.ns, f.elapsed(tier, r.partitions, r.shards))
				runtime.GOMAXPROCS(processors)
			}
		}
		for _, r := range rows {
			goroutines := "one per partition"
			switch {
			case r.processors == 1:
				goroutines = "one, on one processor"
			case r.shards:
				goroutines = fmt.Sprintf("one per partition and %d more", processors-1)
			}
			ns := slices.Min(r.ns)
			row(tier, fmt.Sprint(r.partitions), goroutines, fmt.Sprintf("%.0f", 1e9/ns), fmt.Sprintf("%.2f", slices.Min(rows[0].ns)/ns))
		}
	}
}
