package main

import (
	"time"
	"unsafe"

	"github.com/orffvar/forecaster/internal/isa"
)

// roofline has the measured peak rates of processor and memory.
type roofline struct {
	runs  int
	least time.Duration
	flops float64 // per nanosecond
	rates map[int]rates
}

// rates are bytes per nanosecond of loops over memory: in one direction, and back and
// forth, which finds the end of the last pass in the caches.
type rates struct{ read, readWrite, readBackAndForth, readWriteBackAndForth float64 }

func newRoofline(runs int, least time.Duration) *roofline {
	r := &roofline{runs: runs, least: least, rates: make(map[int]rates)}
	r.flops = flopsOf(measure(runs, least, peak)[0])
	return r
}

const peakCalls = 1000

// peak does nothing but multiply-adds.
var peak = work{"peak", 1, func() { multiplyAdds(peakCalls) }}

func flopsOf(t timing) float64 { return 2 * 12 * peakCalls * float64(lanes()) / t.median() }

// beside times the works alternately with peak, and discards the memory rates: bounds and
// works are measured at the same time, since other programs slow down both.
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

// backAndForth goes over the given number of bytes of b in pieces, forth and back.
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

// bound returns the least time of flops operations and of reading and writing the given
// numbers of bytes, at the rates of a loop over both together.
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
