package file_test

import (
	"path/filepath"
	"testing"

	"github.com/orffvar/forecaster/internal/corpus"
	"github.com/orffvar/forecaster/stream/file"
)

// TestCorpus: every cell of the files of other programs is read right without any setting.
func TestCorpus(t *testing.T) {
	dir := filepath.Join("..", "..", "internal", "wire", "testdata", "corpus")
	for name, want := range corpus.Files(t, dir) {
		if want.Refused || len(want.Settings) > 0 {
			continue // internal/wire knows the settings
		}
		t.Run(name, func(t *testing.T) {
			src, err := file.OpenSource(filepath.Join(dir, name), file.SourceConfig{})
			if err != nil {
				t.Fatal(err)
			}
			defer src.Close()
			got, err := corpus.Read(src)
			if err != nil {
				t.Fatal(err)
			}
			corpus.Compare(t, got, want.Series)
		})
	}
}
