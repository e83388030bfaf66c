package format

import (
	"fmt"

	"github.com/orffvar/forecaster/stream/refuse"
)

const (
	defaultMaxBytes = 1 << 20
	defaultMaxDepth = 8
	defaultMaxDim   = 1024
)

// fault refuses a malformed message. The detail ends with the remedy.
func fault(f refuse.Facts, format string, args ...any) *refuse.Error {
	return &refuse.Error{Reason: refuse.Malformed, Detail: fmt.Sprintf(format, args...) + f.Remedy, Facts: f}
}
