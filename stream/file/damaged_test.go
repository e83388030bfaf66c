package file_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/orffvar/forecaster/stream/file"
)

// TestFault81_DamagedParquet: bytes of a Parquet file that are changed, cut off or written twice
// give rows, a refusal or an error, and no panic. Half of the changes fall on the index at the end.
func TestFault81_DamagedParquet(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("testdata", "*", "*.p*q*"))
	if err != nil || len(paths) == 0 {
		t.Fatal("no files", err)
	}
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(81, 0))
	for _, path := range paths {
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for range max(20, 500/len(paths)) {
			b := damage(rng, whole)
			bad := filepath.Join(dir, "bad.parquet")
			if err := os.WriteFile(bad, b, 0o600); err != nil {
				t.Fatal(err)
			}
			src, err := file.OpenSource(bad, file.SourceConfig{})
			if err != nil {
				continue
			}
			readAll(src)
			src.Close()
		}
	}
}

// damage returns a copy of b with one to four faults.
func damage(rng *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	for range 1 + rng.IntN(4) {
		at := rng.IntN(len(b))
		if rng.IntN(2) == 0 {
			at = max(0, len(b)-1-rng.IntN(600))
		}
		switch n := min(len(b)-at, 1+rng.IntN(40)); rng.IntN(5) {
		case 0:
			b[at] ^= 1 << rng.IntN(8)
		case 1:
			b[at] = byte(rng.Uint32())
		case 2:
			clear(b[at : at+n])
		case 3:
			b = append(b[:at], b[at+n:]...)
		default:
			b = append(b[:at], append(bytes.Clone(b[at:at+n]), b[at:]...)...)
		}
		if len(b) == 0 {
			return b
		}
	}
	return b
}
