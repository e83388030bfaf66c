//go:build !amd64

package isa

// Active is the instruction set in use.
const Active = Portable
