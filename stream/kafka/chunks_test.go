package kafka

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"testing"
)

// TestChunks: parts of any size are read as if they were joined.
func TestChunks(t *testing.T) {
	c := chunks{[]byte("abc"), nil, []byte("d"), []byte("efgh")}
	whole := bytes.NewReader([]byte("abcdefgh"))
	if c.size() != whole.Size() || c.sum() != sha256.Sum256([]byte("abcdefgh")) {
		t.Errorf("%d bytes with the sum %x", c.size(), c.sum())
	}
	for off := range whole.Size() + 3 {
		for n := range 12 {
			got, want := make([]byte, n), make([]byte, n)
			k, err := c.ReadAt(got, off)
			k2, err2 := whole.ReadAt(want, off)
			if k != k2 || !bytes.Equal(got, want) || (n > 0 && !errors.Is(err, err2)) || (err != nil && !errors.Is(err, io.EOF)) {
				t.Errorf("%d bytes at %d: %q, %v, want %q, %v", n, off, got[:k], err, want[:k2], err2)
			}
		}
	}
}
