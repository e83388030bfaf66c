//go:build unix

package testserver

import "syscall"

func freeze(pid int)      { _ = syscall.Kill(pid, syscall.SIGSTOP) }
func thaw(pid int)        { _ = syscall.Kill(pid, syscall.SIGCONT) }
func askToStop(pid int)   { _ = syscall.Kill(pid, syscall.SIGTERM) }
func exists(pid int) bool { return syscall.Kill(pid, 0) == nil }
