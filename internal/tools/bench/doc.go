// Command bench reports the speed of the kernels, the learners and the stages of the
// pipeline on this machine: time per sample, allocations, the bound set by processor and
// memory, and the same work with gonum in the same run.
//
//	go run ./internal/tools/bench
//
// Times are processor times of one thread. Compared workloads alternate, and every number is
// the median of several runs. Only ratios within one run are reliable.
//
// The bound of a step is the larger of two times. The first is the time of its multiply-adds,
// at the rate of a loop of multiply-adds only. The second is the time to read and write its
// weights once, at the rate of a loop over the same amount of memory. A workload that goes
// back and forth over its memory is compared with a loop that goes back and forth.
package main

//go:generate go run -C ../asmgen ./roof -out ../bench/roof_amd64.s -stubs ../bench/roof_amd64.go -pkg main
