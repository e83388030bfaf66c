package kafka

import (
	"crypto/sha256"
	"io"
)

// chunks are the parts of a snapshot, read as one file. A joined copy would double their memory.
type chunks [][]byte

func (c chunks) size() (n int64) {
	for _, part := range c {
		n += int64(len(part))
	}
	return n
}

func (c chunks) sum() [sha256.Size]byte {
	h := sha256.New()
	for _, part := range c {
		h.Write(part)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// ReadAt implements io.ReaderAt. It searches from the first part, which is fast enough: a snapshot of 1 GiB has
// 2,000 parts and is read 256 KiB at a time.
func (c chunks) ReadAt(p []byte, off int64) (n int, err error) {
	for _, part := range c {
		if skip := min(off, int64(len(part))); n < len(p) {
			n += copy(p[n:], part[skip:])
			off -= skip
		}
	}
	if n < len(p) {
		err = io.EOF
	}
	return n, err
}
