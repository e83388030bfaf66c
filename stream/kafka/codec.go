package kafka

import (
	"errors"
	"io"

	"github.com/segmentio/kafka-go/compress"
)

// maxExpanded is the largest size of a decompressed batch in bytes. At the usual batch size of 1 MiB, only a
// compression ratio above 64 exceeds it.
const maxExpanded = 64 << 20

// errExpanded is returned by a decompressor after maxExpanded bytes.
var errExpanded = errors.New("kafka: a compressed batch expands beyond 64 MiB")

func init() {
	for i, c := range compress.Codecs {
		if c != nil {
			compress.Codecs[i] = cappedCodec{c, maxExpanded}
		}
	}
}

// cappedCodec limits the size of a decompressed batch; kafka-go has no limit.
type cappedCodec struct {
	compress.Codec
	limit int
}

func (c cappedCodec) NewReader(r io.Reader) io.ReadCloser {
	return &cappedReader{ReadCloser: c.Codec.NewReader(r), left: c.limit}
}

type cappedReader struct {
	io.ReadCloser
	left int
}

func (r *cappedReader) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, errExpanded
	}
	n, err := r.ReadCloser.Read(p[:min(len(p), r.left)])
	r.left -= n
	return n, err
}
