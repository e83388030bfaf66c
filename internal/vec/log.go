package vec

import "math"

// LogTo sets dst_i = log(x_i). Each x_i must be a positive normal number or NaN. dst may be x. All instruction sets
// give the same bits.
func LogTo(dst, x []float64) {
	if len(dst) != len(x) {
		panic("vec: LogTo: lengths differ")
	}
	logTo(dst, x)
}

func logToPortable(dst, x []float64) {
	for i, v := range x {
		if v == v {
			v = log(v)
		}
		dst[i] = v
	}
}

// log is math.Log for positive normal numbers, with the method of FreeBSD's e_log.c: x = 2^k (1+f) with
// sqrt(2)/2 <= 1+f < sqrt(2), and log(1+f) = f - f²/2 + s (f²/2 + R) with s = f/(2+f) and a polynomial R in s².
func log(x float64) float64 {
	const (
		ln2Hi    = 6.93147180369123816490e-01
		ln2Lo    = 1.90821492927058770002e-10
		l1       = 6.666666666666735130e-01
		l2       = 3.999999999940941908e-01
		l3       = 2.857142874366239149e-01
		l4       = 2.222219843214978396e-01
		l5       = 1.818357216161805012e-01
		l6       = 1.531383769920937332e-01
		l7       = 1.479819860511658591e-01
		halfRoot = 0x3fe6a09e667f3bcd // bits of sqrt(2)/2
	)
	bits := math.Float64bits(x)
	exponent := int64(bits-halfRoot) >> 52
	f := math.Float64frombits(bits-uint64(exponent)<<52) - 1
	k := float64(exponent)
	s := f / (2 + f)
	s2 := s * s
	s4 := s2 * s2
	odd := float64(s2 * (l1 + float64(s4*(l3+float64(s4*(l5+float64(s4*l7)))))))
	even := float64(s4 * (l2 + float64(s4*(l4+float64(s4*l6)))))
	half := float64(0.5 * f * f)
	inner := float64(s*(half+(odd+even))) + float64(k*ln2Lo)
	return float64(k*ln2Hi) - ((half - inner) - f)
}
