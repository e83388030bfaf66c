package wire_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/tools/corpus"
	"github.com/orffvar/forecaster/internal/wire"
)

// load applies settings such as "model.type=okvar".
func load(sets ...string) (*config.Config, error) {
	var src config.Sources
	for _, s := range sets {
		path, value, _ := strings.Cut(s, "=")
		src.Set = append(src.Set, config.Setting{Path: path, Value: value, From: "--set"})
	}
	return wire.Load(src)
}

// readCells reads a file with settings.
func readCells(path string, settings ...string) (corpus.Cells, string, error) {
	c, err := load(append(settings, "input.file.path="+path)...)
	if err != nil {
		return nil, "", err
	}
	src, err := wire.OpenFile(c)
	if err != nil {
		return nil, "", err
	}
	defer src.Close()
	found, err := corpus.Read(src)
	assumed, noted := wire.Assumed(src)
	return found, assumed + noted, err
}

// setting matches one of an error, in quotes or not.
var setting = regexp.MustCompile(`--set (?:"([^"]+)"|'([^']+)'|([^\s;,)]+))`)

// TestCorpus: each file, written by the programs that people use, is read right, every cell of it, and
// the assumptions are listed; or it is refused, and the setting that the error names makes it right.
func TestCorpus(t *testing.T) {
	dir := filepath.Join("testdata", "corpus")
	for name, want := range corpus.Files(t, dir) {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name)
			got, said, err := readCells(path)
			if want.Refused {
				if err == nil || !strings.Contains(err.Error(), want.Says) {
					t.Fatalf("%v, want an error with %q", err, want.Says)
				}
				if len(want.Series) == 0 {
					return
				}
				m := setting.FindStringSubmatch(err.Error())
				if m == nil {
					t.Fatalf("no setting in %v", err)
				}
				got, _, err = readCells(path, m[1]+m[2]+m[3])
			} else if err == nil && !strings.Contains(said, want.Says) {
				t.Errorf("said %q, want %q", said, want.Says)
			}
			if len(want.Settings) > 0 {
				got, _, err = readCells(path, want.Settings...)
			}
			if err != nil {
				t.Fatal(err)
			}
			corpus.Compare(t, got, want.Series)
		})
	}
}
