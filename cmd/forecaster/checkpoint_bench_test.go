//go:build unix && !race

package main

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/file/filestore"
	"github.com/orffvar/forecaster/stream/streamtest"
)

// BenchmarkCheckpoint is a checkpoint of 10,000 series of which 1 in 100 has got a
// sample since the last one, into a directory: all of it, and what has changed. Then
// it reads the last of them, with its changes, and restores an engine.
//
//	go test -run '^$' -bench 'Checkpoint$' ./cmd/forecaster
func BenchmarkCheckpoint(b *testing.B) {
	const series = 10_000
	c := config.Default()
	c.Model.Type, c.Model.Order, c.Model.Frequencies = "orffvar", 1, 10
	c.Evaluate.Window = 10
	e, err := wire.NewEngine(c, stream.AllSeries)
	if err != nil {
		b.Fatal(err)
	}
	var batch engine.Results
	next := int64(0)
	sample := func(k int) {
		r := stream.Record{Message: &stream.Message{Offset: next}, Series: fmt.Sprint("s", k), Time: next + 1, Values: []float64{float64(k % 7), float64(next % 5)}}
		if err := streamtest.Apply(e, &batch, &r); err != nil {
			b.Fatal(err)
		}
		next++
		batch.Reset()
	}
	for range 3 {
		for k := range series {
			sample(k)
		}
	}
	e.Saved()
	store, err := filestore.Open(b.TempDir(), slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	defer store.Close()
	for _, whole := range []bool{true, false} {
		b.Run(fmt.Sprint("whole=", whole), func(b *testing.B) {
			if !whole {
				save(b, store, e, 0)
			}
			size := int64(0)
			for b.Loop() {
				since := e.Next()
				for k := range series / 100 {
					sample(k * 97)
				}
				if whole {
					since = 0
				}
				size = save(b, store, e, since)
			}
			b.ReportMetric(float64(size), "bytes")
		})
	}
	b.Run("restore", func(b *testing.B) {
		for b.Loop() {
			list, err := store.Load(context.Background())
			if err != nil {
				b.Fatal(err)
			}
			var changes []checkpoint.State
			for _, c := range list[1:] {
				changes = append(changes, c.State)
			}
			fresh, err := wire.NewEngine(c, stream.AllSeries)
			if err == nil {
				err = fresh.Restore(list[0].State, changes...)
			}
			if err != nil || fresh.Next() != e.Next() {
				b.Fatal(fresh.Next(), err)
			}
			b.ReportMetric(float64(len(changes)), "changes")
		}
	})
}

func save(b *testing.B, store checkpoint.Store, e *engine.Engine, since int64) int64 {
	b.Helper()
	c := checkpoint.Checkpoint{Next: e.Next(), Since: since, State: e.Encoded(since == 0)}
	if err := store.Save(context.Background(), c); err != nil {
		b.Fatal(err)
	}
	e.Saved()
	return c.State.Size
}
