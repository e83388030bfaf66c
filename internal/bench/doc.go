// Command bench prints how fast the kernels and the learners are on this
// machine: time a sample, allocations, the bound that processor and memory set,
// and the same work done with gonum in the same run.
//
//	go run ./internal/bench
//
// Times are of the thread's own clock, so that other programs on the machine
// disturb them little; what is compared runs in turns, and every number is the
// median of several runs. Nevertheless only ratios of one run mean much.
//
// The bound of a step is the larger of two times: that of its multiply-adds at
// the rate that a loop of nothing else reaches, and that of its weights, read
// and written once, at the rate that a loop over as much memory reaches. What goes
// over its memory to and fro is compared with a loop that does so, too.
package main

//go:generate go run -C ../vec/gen ./roof -out ../../bench/roof_amd64.s -stubs ../../bench/roof_amd64.go -pkg main
