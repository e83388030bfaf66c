package format

import (
	"fmt"

	"github.com/orffvar/forecaster/stream"
)

const (
	defaultMaxBytes = 1 << 20
	defaultMaxDepth = 8
	defaultMaxDim   = 1024
)

func refuse(reason stream.Reason, format string, args ...any) *stream.DataError {
	return &stream.DataError{Reason: reason, Detail: fmt.Sprintf(format, args...)}
}

// fault refuses a malformed message. The detail ends with the remedy.
func fault(f stream.Facts, format string, args ...any) *stream.DataError {
	return &stream.DataError{Reason: stream.Malformed, Detail: fmt.Sprintf(format, args...) + f.Remedy, Facts: f}
}
