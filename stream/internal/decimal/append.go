package decimal

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strconv"
)

// Append appends v as strconv.AppendFloat does with format 'g' and precision -1: the
// fewest digits that read back as the same float64. The method is Schubfach (Giulietti
// 2021, The Schubfach way to render doubles). Append may write to the capacity of dst
// beyond the returned length.
func Append(dst []byte, v float64) []byte {
	u := math.Float64bits(v)
	exponent, fraction := int(u>>52)&0x7ff, u&(1<<52-1)
	if exponent == 0 || exponent == 0x7ff { // zero, subnormal, infinite, NaN
		return strconv.AppendFloat(dst, v, 'g', -1, 64)
	}
	digits, k := shortest(exponent, fraction)
	return appendDecimal(dst, int(u>>63), digits, k)
}

// AppendDigits appends v with n significant digits, n in [1, 17]. It rounds the result of Append, half away from
// zero. An integer that a float64 holds exactly, such as a counter, keeps all its digits.
func AppendDigits(dst []byte, v float64, n int) []byte {
	u := math.Float64bits(v)
	exponent, fraction := int(u>>52)&0x7ff, u&(1<<52-1)
	if exponent == 0 || exponent == 0x7ff || math.Abs(v) < 1<<53 && v == math.Trunc(v) {
		return Append(dst, v)
	}
	digits, k := shortest(exponent, fraction)
	unit := integerPowers[width-n]
	digits += unit / 2
	digits -= digits % unit
	if digits >= 1e17 {
		digits, k = digits/10, k+1
	}
	return appendDecimal(dst, int(u>>63), digits, k)
}

// width is the largest number of significant digits of a float64.
const width = 17

// shortest returns the shortest decimal digits·10^k in the rounding interval of a normal number; of several, the
// closest. digits is padded with zeros to width digits.
func shortest(exponent int, fraction uint64) (digits uint64, k int) {
	c, q := 1<<52|fraction, exponent-1075
	if -53 < q && q <= 0 && bits.TrailingZeros64(c) >= -q { // an integer
		c >>= -q
		zeros := width - numDigits(c)
		return c * integerPowers[zeros], -zeros
	}
	closer := 0 // 1 for a power of two, below which the interval is shorter
	k = q * 1262611
	if fraction == 0 && exponent > 1 {
		closer = 1
		k -= 524031
	}
	k >>= 22 // floor(log10(2^q)), or floor(log10(3/4 2^q)) with closer
	h := q + (-k*1741647)>>19 + 1
	g := &powers[-k-minPower]
	odd := c & 1 // 1: the interval is open
	lower := multiplyToOdd(g, (4*c-2+uint64(closer))<<h) + odd
	middle := multiplyToOdd(g, 4*c<<h)
	upper := multiplyToOdd(g, (4*c+2)<<h) - odd

	// At most one of the two multiples of ten around middle lies in the interval. If none
	// does, the result is the integer beside middle that lies in the interval, or the
	// closer one of two. The processor cannot predict which, so there is no branch.
	s, ten := middle/4, middle/40
	tenBelow, tenAbove := one(lower <= 40*ten), one(40*ten+40 <= upper)
	below, above := one(lower <= 4*s), one(4*s+4 <= upper)
	up := one(middle+s&1 > 4*s+2)
	if below != above {
		up = above
	}
	digits = s + up
	if tenBelow != tenAbove {
		digits = 10 * (ten + tenAbove)
	}
	if digits < 1e16 { // digits has 16 or 17 digits, because c has 16
		digits, k = 10*digits, k-1
	}
	return digits, k
}

// one returns 1 if b, else 0, without a branch.
func one(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// multiplyToOdd returns floor(g·c / 2^128), made odd if that is not exact.
func multiplyToOdd(g *[2]uint64, c uint64) uint64 {
	x, _ := bits.Mul64(g[1], c)
	hi, lo := bits.Mul64(g[0], c)
	lo, carry := bits.Add64(lo, x, 0)
	hi += carry
	if lo > 1 {
		hi |= 1
	}
	return hi
}

// minPower and maxPower are the least and largest exponent of ten in shortest.
const minPower, maxPower = -292, 324

// powers has g_i = ceil(p 2^(127 - floor(log2 p))) with p = 10^(minPower+i), in two words.
var powers = func() (p [maxPower - minPower + 1][2]uint64) {
	var (
		one, ten    = big.NewInt(1), big.NewInt(10)
		d, v, r     big.Int // d = 10^|k|
		high, words big.Int
	)
	set := func(k int, v *big.Int) {
		high.Rsh(v, 64)
		words.Sub(v, words.Lsh(&high, 64))
		p[k-minPower] = [2]uint64{high.Uint64(), words.Uint64()}
	}
	d.Set(one)
	for k := 0; k <= maxPower; k++ {
		if n := d.BitLen() - 128; n > 0 {
			r.Sub(r.Lsh(one, uint(n)), one)
			v.Rsh(v.Add(&d, &r), uint(n))
		} else {
			v.Lsh(&d, uint(-n))
		}
		set(k, &v)
		d.Mul(&d, ten)
	}
	d.Set(ten)
	for k := -1; k >= minPower; k-- {
		n := uint(d.BitLen() + 127) // 2^127 <= 2^n / d < 2^128, because d is not a power of two
		v.Lsh(one, n)
		v.Div(v.Add(&v, &d).Sub(&v, one), &d)
		set(k, &v)
		d.Mul(&d, ten)
	}
	return p
}()

// maxLen is the length of the longest text, -1.2345678901234567e-308, including bytes that appendDecimal writes
// beyond its end.
const maxLen = 32

// appendDecimal appends digits·10^k, of width digits, in format 'g', with a minus sign if
// negative is 1. It writes eight digits at a time and then cuts the text: copies of
// variable length, and branches on sign and size that the processor cannot predict, take
// longer.
func appendDecimal(dst []byte, negative int, digits uint64, k int) []byte {
	exponent := k + width - 1 // power of ten of the first digit
	high := digits / 1e8
	first := high / 1e8
	middle, last := eightDigits(high-1e8*first), eightDigits(digits-1e8*high)
	n := 0 // number of digits without trailing zeros
	if last != 0 {
		n = width - bits.LeadingZeros64(last)/8
	} else {
		n = width - 8 - bits.LeadingZeros64(middle)/8
	}
	const zeros = 0x3030303030303030
	first, middle, last = first|'0', middle|zeros, last|zeros

	from := len(dst)
	dst = slices.Grow(dst, maxLen)[:from+maxLen]
	dst[from] = '-'
	from += negative
	to := (*[maxLen - 1]byte)(dst[from:])
	if exponent < -4 || exponent >= 6 {
		to[0], to[1] = byte(first), '.'
		binary.LittleEndian.PutUint64(to[2:], middle)
		binary.LittleEndian.PutUint64(to[10:], last)
		if n > 1 {
			n++ // decimal point
		}
		return appendExponent(dst[:from+n], exponent)
	}
	// whole digits precede the point. If there are none, "0." and zeros precede the digits,
	// and the last of these characters stands in the place of the point.
	point, whole, before := uint64('.'), max(0, exponent+1), max(0, -exponent)
	if exponent < -1 {
		point = '0'
	}
	head := first | middle<<8 // eight digits; those after the point move by one place
	left := uint64(1)<<(8*whole) - 1
	binary.LittleEndian.PutUint64(to[:], zeros&^0xff00|'.'<<8)
	text := (*[18]byte)(to[before:])
	binary.LittleEndian.PutUint64(text[2:], middle)
	binary.LittleEndian.PutUint64(text[10:], last)
	binary.LittleEndian.PutUint64(text[:], head&left|point<<(8*whole)|head&^left<<8)
	if n <= whole {
		return dst[:from+whole]
	}
	return dst[:from+before+n+1]
}

// appendExponent appends e, the sign and the exponent with at least two digits.
func appendExponent(dst []byte, exponent int) []byte {
	sign := byte('+')
	if exponent < 0 {
		sign, exponent = '-', -exponent
	}
	dst = append(dst, 'e', sign)
	if exponent < 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendUint(dst, uint64(exponent), 10)
}

// numDigits returns the number of decimal digits of v > 0.
func numDigits(v uint64) int {
	n := bits.Len64(v) * 1233 >> 12 // exact, or one too few
	return n + int(one(v >= integerPowers[n]))
}

// integerPowers are the powers of ten that a uint64 holds.
var integerPowers = [...]uint64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

// eightDigits returns the eight digits of v < 10^8, one in each byte, the first one in the
// lowest byte. It splits v into numbers of four, of two and of one digit, which stand side
// by side in the word.
func eightDigits(v uint64) uint64 {
	v = v/1e4 | v%1e4<<32
	hundreds := v * 10486 >> 20 & 0x7f0000007f
	v = hundreds | (v-100*hundreds)<<16
	tens := v * 103 >> 10 & 0xf000f000f000f
	return tens | (v-10*tens)<<8
}
