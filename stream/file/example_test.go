package file_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/file"
)

// The form of the file is found from its first lines.
func ExampleSource() {
	dir, err := os.MkdirTemp("", "data")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "data.csv")
	if err := os.WriteFile(path, []byte("time;a\n2026-01-01;1,5\n2026-01-02;2,5\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	s, err := file.OpenSource(path, file.SourceConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	decoder := s.Decoder()
	messages := make([]stream.Message, 1)
	for {
		n, err := s.Read(context.Background(), messages)
		if n == 1 {
			var r stream.Record
			if err := decoder.Decode(&r, &messages[0]); err != nil {
				log.Fatal(err)
			}
			fmt.Println(r.Names, r.Values)
		}
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// [a] [1.5]
	// [a] [2.5]
}
