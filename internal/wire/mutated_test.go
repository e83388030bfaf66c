package wire_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/internal/tools/corpus"
)

// checked are the endings of files with a check sum of all that they hold.
var checked = []string{".xlsx", ".gz"}

// TestMutatedFiles: files of every format with some bytes changed, cut or doubled do not panic. If a checksum covers the
// whole file, rows that are read without an error equal the original. FORECASTER_MUTATED=10000 reads 10,000 files, from
// FORECASTER_SEED on.
func TestMutatedFiles(t *testing.T) {
	number := func(name string, or int) int {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
			return n
		}
		return or
	}
	many, seed := number("FORECASTER_MUTATED", 320), number("FORECASTER_SEED", 1)
	dir := filepath.Join("testdata", "corpus")
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := corpus.Files(t, dir)
	var names []string
	for _, e := range entries {
		if _, ok := files[e.Name()]; ok {
			names = append(names, e.Name())
		}
	}
	to := t.TempDir()
	for i := range many {
		name := names[i%len(names)]
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(uint64(seed+i), 0))
		path := filepath.Join(to, name)
		if err := os.WriteFile(path, mutate(r, text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, failed := readMutated(path)
		if failed != nil && strings.HasPrefix(failed.Error(), "panic") {
			t.Fatalf("FORECASTER_SEED=%d FORECASTER_MUTATED=1 on %s: %v", seed+i, name, failed)
		}
		for _, ending := range checked {
			if want := files[name]; failed == nil && strings.HasSuffix(name, ending) && !want.Refused {
				corpus.Compare(t, got, want.Series)
			}
		}
		os.Remove(path)
	}
}

// readMutated makes an error of a panic.
func readMutated(path string) (got corpus.Cells, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	got, _, err = readCells(path)
	return got, err
}

// mutate changes a text at up to four places.
func mutate(r *rand.Rand, text []byte) []byte {
	text = append([]byte(nil), text...)
	for range 1 + r.IntN(4) {
		if len(text) == 0 {
			return text
		}
		at := r.IntN(len(text))
		switch r.IntN(5) {
		case 0:
			text[at] ^= 1 << r.IntN(8)
		case 1:
			text[at] = byte(r.IntN(256))
		case 2:
			text = text[:at]
		case 3:
			end := min(len(text), at+1+r.IntN(16))
			text = append(text[:at], text[end:]...)
		default:
			end := min(len(text), at+1+r.IntN(16))
			text = append(text[:end:end], text[at:]...)
		}
	}
	return text
}
