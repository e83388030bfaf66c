package file

import (
	"archive/zip"
	"bufio"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"
)

// packed are the extensions of compressed texts.
var packed = []string{".gz", ".zst", ".zip"}

func isPacked(extension string) bool { return slices.Contains(packed, extension) }

// decompress decompresses a text whose first bytes are those of gzip or zstd, whatever its extension is. read
// counts the compressed bytes.
func decompress(r *bufio.Reader, read *atomic.Int64) (*bufio.Reader, error) {
	begin, _ := r.Peek(4)
	u := &unpacked{packed: read}
	var err error
	switch {
	case len(begin) > 1 && string(begin[:2]) == "\x1f\x8b":
		u.text, err = gzip.NewReader(r)
	case string(begin) == "\x28\xb5\x2f\xfd":
		u.text, err = zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
		u.zstd = true
	default:
		return r, nil
	}
	if err != nil {
		return nil, u.explain(err)
	}
	return bufio.NewReaderSize(u, sampleBytes), nil
}

// unpacked reads a compressed text, within the limits below.
type unpacked struct {
	text   io.Reader
	zstd   bool
	zip    bool
	packed *atomic.Int64 // compressed bytes so far
	n      int64         // bytes of text so far
}

// A text is refused if it is longer than leastRefused bytes and than mostUnpacked times the compressed file: such
// a file is made to fill memory or disk.
const mostUnpacked, leastRefused = 1000, 1 << 28

// longestText is the largest length of a compressed text after decompression, in bytes.
const longestText = 64 << 30

var errLongText = fmt.Errorf("the compressed file is longer than %d GiB when it is unpacked, which is the limit: unpack it first", longestText>>30)

func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.text.Read(p)
	if u.n += int64(n); u.n > leastRefused && u.n/mostUnpacked > u.packed.Load() {
		return n, fmt.Errorf("the compressed file is %d times as long when it is unpacked, at most %d are read: unpack it first", u.n/max(u.packed.Load(), 1), mostUnpacked)
	}
	if u.n > longestText {
		return n, errLongText
	}
	return n, u.explain(err)
}

// explain adds the kind of damage and the remedy to an error of the decompressor.
func (u *unpacked) explain(err error) error {
	remedy := "copy it again, or read what is whole with  gzip -dc IN > OUT"
	switch {
	case u.zip:
		remedy = "copy it again"
	case u.zstd:
		remedy = "copy it again, or read what is whole with  zstd -dc IN > OUT"
	}
	switch damage := flate.CorruptInputError(0); {
	case err == nil || errors.Is(err, io.EOF):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the compressed file is truncated, its end is missing: " + remedy)
	case u.zstd || errors.Is(err, zip.ErrChecksum) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) || errors.As(err, &damage):
		return errors.New("the compressed file is damaged: " + remedy)
	}
	return err
}
