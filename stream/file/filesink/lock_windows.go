package filesink

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// appending is no flag on Windows: a handle that appends cannot cut a file there, and the lock excludes other writers.
const appending = 0

// lock makes this process the only one that writes f, until f is closed. The locked byte lies far
// behind the end, so that others can read the file.
func lock(f *os.File) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 30})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrInUse
	}
	return nil
}
