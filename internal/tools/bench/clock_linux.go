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

// mostMemory returns the peak memory of a finished process, in MB. Linux includes the memory of this process at
// the start of the other process.
func mostMemory(p *os.ProcessState) string {
	return fmt.Sprintf("%.0f", float64(p.SysUsage().(*syscall.Rusage).Maxrss)*1024/1e6)
}
