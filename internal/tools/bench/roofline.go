package main

import (
	"time"
	"unsafe"

	"github.com/orffvar/forecaster/internal/isa"
)

// roofline holds the measured peak rates of processor and memory.
type roofline struct {
	runs  int
	least time.Duration
	flops float64 // operations per ns
	rates map[int]rates
}

// rates holds the rates of loops over memory, in bytes per ns: in one direction, and back and forth. A loop back and
// forth finds the end of the last pass in the caches.
type rates struct{ read, readWrite, readBackAndForth, readWriteBackAndForth float64 }

func newRoofline(runs int, least time.Duration) *roofline {
	r := &roofline{runs: runs, least: least, rates: make(map[int]rates)}
	r.flops = flopsOf(measure(runs, least, peak)[0])
	return r
}

const peakCalls = 1000

// peak is a workload of multiply-adds only.
var peak = work{"peak", 1, func() { multiplyAdds(peakCalls) }}

func flopsOf(t timing) float64 { return 2 * 12 * peakCalls * float64(lanes()) / t.median() }

// beside times the workloads alternately with peak, and discards the memory rates. Bounds and workloads are measured at
// the same time, because other programs slow down both.
func (r *roofline) beside(works ...work) []timing {
	t := measure(r.runs, r.least, append(works, peak)...)
	r.flops = flopsOf(t[len(works)])
	clear(r.rates)
	return t[:len(works)]
}

// memory returns the rates of loops over the given number of bytes.
func (r *roofline) memory(bytes int) rates {
	bytes = max(512, (bytes+511)/512*512)
	if v, ok := r.rates[bytes]; ok {
		return v
	}
	b := make([]float64, bytes/8+8)
	for uintptr(unsafe.Pointer(&b[0]))%64 != 0 {
		b = b[1:]
	}
	p := &b[0]
	t := measure(r.runs, r.least,
		work{"", 1, func() { read(p, bytes) }},
		work{"", 1, func() { readWrite(p, bytes) }},
		work{"", 2, func() { backAndForth(b, bytes, read) }},
		work{"", 2, func() { backAndForth(b, bytes, readWrite) }})
	rate := func(i int) float64 { return float64(bytes) / t[i].median() }
	v := rates{rate(0), rate(1), rate(2), rate(3)}
	r.rates[bytes] = v
	return v
}

// backAndForth calls over for pieces of the first bytes of b, in ascending and then in descending order.
func backAndForth(b []float64, bytes int, over func(p *float64, n int)) {
	const piece = 32 << 10
	at := func(i int) { over(&b[i/8], min(piece, bytes-i)) }
	last := (bytes - 1) / piece * piece
	for i := 0; i <= last; i += piece {
		at(i)
	}
	for i := last; i >= 0; i -= piece {
		at(i)
	}
}

// bound returns a lower bound in ns for flops operations, and for reading and writing the given numbers of bytes, at
// the rates of a loop over both together.
func (r *roofline) bound(flops float64, readBytes, writeBytes int) float64 {
	m := r.memory(readBytes + writeBytes)
	return max(flops/r.flops, float64(readBytes)/m.read+float64(writeBytes)/m.readWrite)
}

// lanes returns the number of float64 in a register of the active instruction set.
func lanes() int {
	switch isa.Active.String() {
	case "avx512":
		return 8
	case "avx2":
		return 4
	}
	return 1
}
