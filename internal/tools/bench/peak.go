package main

import "unsafe"

var sink float64 //nolint:unused // written so that the compiler keeps the loop

func multiplyAddsPortable(n int) {
	var a, b, c, d, e, f float64
	for range 2 * n {
		a = float64(a*a) + a
		b = float64(b*b) + b
		c = float64(c*c) + c
		d = float64(d*d) + d
		e = float64(e*e) + e
		f = float64(f*f) + f
	}
	sink = a + b + c + d + e + f
}

func readPortable(p *float64, n int) {
	var s0, s1, s2, s3 float64
	x := unsafe.Slice(p, n/8)
	for ; len(x) >= 4; x = x[4:] {
		s0 += x[0]
		s1 += x[1]
		s2 += x[2]
		s3 += x[3]
	}
	sink = s0 + s1 + s2 + s3
}

func readWritePortable(p *float64, n int) {
	x := unsafe.Slice(p, n/8)
	for i := range x {
		x[i]++
	}
}
