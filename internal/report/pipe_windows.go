package report

import (
	"errors"
	"syscall"
)

const errorNoData = syscall.Errno(232) // ERROR_NO_DATA: the pipe is being closed

// isClosedPipe reports whether err is that of a pipe without a reader.
func isClosedPipe(err error) bool {
	return errors.Is(err, syscall.ERROR_BROKEN_PIPE) || errors.Is(err, errorNoData)
}
