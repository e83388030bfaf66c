//go:build unix

package filesink

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// appending makes every write go to the end of a file.
const appending = os.O_APPEND

// lock makes this process the only one that writes f, until f is closed. File systems without locks
// have none.
func lock(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return ErrInUse
		default:
			return nil
		}
	}
}
