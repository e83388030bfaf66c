//go:build !linux

package main

import (
	"os"
	"time"
)

var start = time.Now()

// now returns the time since the program started.
func now() time.Duration { return time.Since(start) }

// mostMemory returns "", because the peak memory of a process is not known on this system.
func mostMemory(*os.ProcessState) string { return "" }
