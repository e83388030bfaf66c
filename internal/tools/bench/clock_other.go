//go:build !linux

package main

import (
	"os"
	"time"
)

var start = time.Now()

// now returns the time since the program started.
func now() time.Duration { return time.Since(start) }

// mostMemory returns the most memory that a process had: not known here.
func mostMemory(*os.ProcessState) string { return "" }
