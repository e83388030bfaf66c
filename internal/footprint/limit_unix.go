//go:build unix

package footprint

import "golang.org/x/sys/unix"

func addressSpace() (uint64, error) {
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &l); err != nil {
		return 0, err
	}
	if l.Cur >= 1<<62 {
		return 0, errUnlimited
	}
	return uint64(l.Cur), nil //nolint:unconvert // signed on some systems
}
