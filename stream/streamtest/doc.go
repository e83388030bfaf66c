// Package streamtest has the contracts of the edges of package stream as tests
// that every implementation runs, and a small model to run engines with.
package streamtest
