package file_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/file"
)

// TestZstd: a text of zstd is read whatever its name says, a cut one is an error with its remedy, and
// one that would unpack to more than 1,000 times its size is refused.
func TestZstd(t *testing.T) {
	pack := func(text []byte) []byte {
		w, err := zstd.NewWriter(nil)
		if err != nil {
			t.Fatal(err)
		}
		return w.EncodeAll(text, nil)
	}
	var text strings.Builder
	text.WriteString("time,a\n")
	for i := range 5000 {
		fmt.Fprintf(&text, "%d,%d\n", 1767225600+60*i, i*i%97)
	}
	whole := pack([]byte(text.String()))
	for _, name := range []string{"x.csv.zst", "x.csv"} {
		if got, err := readBytes(t, name, whole); err != nil || got.rows != 5000 || got.series[0] != "x" {
			t.Errorf("%s: %d rows of %v, %v", name, got.rows, got.series, err)
		}
	}
	if _, err := readBytes(t, "x.csv.zst", whole[:len(whole)/2]); err == nil || !strings.Contains(err.Error(), "zstd -dc") {
		t.Errorf("a cut file: %v", err)
	}
	line := []byte("1767225600,1\n")
	bomb := append([]byte("time,a\n"), bytes.Repeat(line, 1<<21)...)
	many := bytes.Repeat(pack(bomb), 12) // frames one after the other, 330 MB of text
	if _, err := readBytes(t, "bomb.csv.zst", many); err == nil || !strings.Contains(err.Error(), "at most 1000 are read") {
		t.Errorf("%d bytes: %v", len(many), err)
	}
}

// TestProgress: the bytes that were read rise up to the length of the file, also of a compressed one.
func TestProgress(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("time,a\n")
	for i := range 100_000 {
		fmt.Fprintf(&b, "%d,%d\n", i, rng.Uint32())
	}
	text := b.String()
	var gz bytes.Buffer
	z := gzip.NewWriter(&gz)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for name, packed := range map[string]string{"p.csv": text, "p.csv.gz": gz.String(), "p.zip": string(zipOf(t, "p.csv", text))} {
		s, err := file.OpenSource(write(t, name, packed), file.SourceConfig{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if h := s.Variables(); len(h) != 1 || h[0] != "a" {
			t.Errorf("variables %q", h)
		}
		var last int64
		steps := 0
		dst := make([]stream.Message, 1000)
		for {
			read, total := s.Progress()
			if read < last || read > total || total != int64(len(packed)) {
				t.Fatalf("%s: %d of %d after %d", name, read, total, last)
			}
			if read > last {
				steps++
			}
			last = read
			if _, err := s.Read(t.Context(), dst); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if last != int64(len(packed)) || steps < 3 {
			t.Errorf("%s: %d of %d at the end, in %d steps", name, last, len(packed), steps)
		}
	}
}
