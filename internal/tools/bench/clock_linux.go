package main

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// now returns the processor time of this thread.
func now() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}

// mostMemory returns the most memory that a process that has ended had, in MB. Linux counts what
// this process had when it started that one, too.
func mostMemory(p *os.ProcessState) string {
	return fmt.Sprintf("%.0f", float64(p.SysUsage().(*syscall.Rusage).Maxrss)*1024/1e6)
}
