package file_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream/file"
)

// TestRandomBytesAreNoText: no file of random bytes has columns, whatever its first line is; a text
// that ends in the NULs of a crash, or has a control character in a line, is read.
func TestRandomBytesAreNoText(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		b := make([]byte, 300+rng.IntN(70_000))
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		copy(b, "a,b\n") // as text begins
		_, err := file.OpenSource(write(t, "random.csv", string(b)), file.SourceConfig{})
		if err == nil || !strings.Contains(err.Error(), "is no text") {
			t.Fatalf("%d random bytes: %v", len(b), err)
		}
	}
	rows := "time,a\n" + strings.Repeat("2026-01-01,1\n", 20)
	for _, end := range []string{strings.Repeat("\x00", 4096), "2026-01-02,\x01\x02\n", "\x1a"} {
		s, err := file.OpenSource(write(t, "text.csv", rows+end), file.SourceConfig{})
		if err != nil {
			t.Errorf("%q at the end: %v", end[:1], err)
			continue
		}
		s.Close()
	}
}
