// Package isatest has helpers for tests of kernels: runs with each instruction set of this
// machine, and guarded memory, which ends at an inaccessible page.
package isatest
