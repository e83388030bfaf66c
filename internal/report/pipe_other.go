//go:build !windows

package report

import (
	"errors"
	"syscall"
)

// isClosedPipe reports whether err is that of a pipe without a reader.
func isClosedPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
