// Package isatest has what the tests of kernels share: every instruction set of this
// machine in turn, and memory that ends where memory ends.
package isatest
