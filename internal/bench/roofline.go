package main

import (
	"time"
	"unsafe"

	"github.com/orffvar/forecaster/internal/isa"
)

// roofline is what the processor can do at most, as measured.
type roofline struct {
	runs  int
	least time.Duration
	flops float64 // a nanosecond
	rates map[int]rates
}

// rates are bytes a nanosecond: of going over memory again and again, and of
// going to and fro, which finds the end of the last pass in the caches.
type rates struct{ read, readWrite, readToAndFro, readWriteToAndFro float64 }

func newRoofline(runs int, least time.Duration) *roofline {
	r := &roofline{runs: runs, least: least, rates: make(map[int]rates)}
	r.flops = flopsOf(measure(runs, least, peak)[0])
	return r
}

const peakCalls = 1000

// peak is what the processor can multiply and add at most.
var peak = work{"peak", 1, func() { multiplyAdds(peakCalls) }}

func flopsOf(t timing) float64 { return 2 * 12 * peakCalls * float64(lanes()) / t.median() }

// beside times the works in turns with the peak, by which the bounds of this row
// are then told, and with the memory rates of now: other programs slow down both.
func (r *roofline) beside(works ...work) []timing {
	t := measure(r.runs, r.least, append(works, peak)...)
	r.flops = flopsOf(t[len(works)])
	clear(r.rates)
	return t[:len(works)]
}

// memory returns the rates of loops over so many bytes.
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
		work{"", 2, func() { toAndFro(b, bytes, read) }},
		work{"", 2, func() { toAndFro(b, bytes, readWrite) }})
	rate := func(i int) float64 { return float64(bytes) / t[i].median() }
	v := rates{rate(0), rate(1), rate(2), rate(3)}
	r.rates[bytes] = v
	return v
}

// toAndFro goes over so many bytes of b in pieces, first to last and back.
func toAndFro(b []float64, bytes int, over func(p *float64, n int)) {
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

// bound returns the least time of flops operations and of going over memory: so many bytes are read, so many
// read and written, at the rates of the two together.
func (r *roofline) bound(flops float64, readBytes, writeBytes int) float64 {
	m := r.memory(readBytes + writeBytes)
	return max(flops/r.flops, float64(readBytes)/m.read+float64(writeBytes)/m.readWrite)
}

// lanes is the number of float64 in a register of the implementation in use.
func lanes() int {
	switch isa.Active.String() {
	case "avx512":
		return 8
	case "avx2":
		return 4
	}
	return 1
}
