// Package streamtest tests the contracts of the edges of package stream. Every implementation runs these tests. The
// package also has a small model for tests of engines.
package streamtest
