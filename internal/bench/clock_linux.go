package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// now is the processor time that this thread has used.
func now() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}
