package filestore_test

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"os"

	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/file/filestore"
)

// A restart loads the newest checkpoint; the file of the one before stays as a reserve.
func ExampleStore() {
	dir, err := os.MkdirTemp("", "state")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := filestore.Open(dir, slog.New(slog.DiscardHandler))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	ctx := context.Background()
	for _, next := range []int64{1000, 2000} {
		if err := s.Save(ctx, checkpoint.Checkpoint{Next: next, State: checkpoint.StateOf([]byte("state"))}); err != nil {
			log.Fatal(err)
		}
	}
	all, err := s.Load(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range all {
		fmt.Println(c.Next)
	}
	// Output:
	// 2000
}
