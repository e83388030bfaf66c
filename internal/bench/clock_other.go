//go:build !linux

package main

import "time"

var start = time.Now()

// now returns the time since the program started.
func now() time.Duration { return time.Since(start) }
