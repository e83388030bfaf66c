package decimal

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// Append appends v as strconv does with the format 'g' and the precision -1,
// the fewest digits that read back as the same float64, in less than half the time.
// The method is Schubfach (Giulietti 2021, The Schubfach way to render doubles).
func Append(dst []byte, v float64) []byte {
	u := math.Float64bits(v)
	exponent, fraction := int(u>>52)&0x7ff, u&(1<<52-1)
	if exponent == 0 || exponent == 0x7ff { // zero, subnormal, infinite, NaN
		return strconv.AppendFloat(dst, v, 'g', -1, 64)
	}
	if u>>63 != 0 {
		dst = append(dst, '-')
	}
	digits, k := shortest(exponent, fraction)
	return appendDecimal(dst, digits, k)
}

// shortest returns the shortest decimal digits·10^k in the rounding interval of a
// normal number, the closest one to it of several, maybe with zeros at its end.
func shortest(exponent int, fraction uint64) (digits uint64, k int) {
	c, q := 1<<52|fraction, exponent-1075
	if -53 < q && q <= 0 && bits.TrailingZeros64(c) >= -q {
		return c >> -q, 0 // an integer
	}
	closer := 0 // the interval is shorter below a power of two
	k = q * 1262611
	if fraction == 0 && exponent > 1 {
		closer = 1
		k -= 524031
	}
	k >>= 22 // floor(log10(2^q)), or of 3/4 of it
	h := q + (-k*1741647)>>19 + 1
	g := &powers[-k-minPower]
	odd := c & 1 // then the ends do not belong to the interval
	lower := multiplyToOdd(g, (4*c-2+uint64(closer))<<h) + odd
	middle := multiplyToOdd(g, 4*c<<h)
	upper := multiplyToOdd(g, (4*c+2)<<h) - odd

	s := middle / 4
	if s >= 10 {
		ten := s / 10
		below, above := lower <= 40*ten, 40*ten+40 <= upper
		if below != above {
			if above {
				ten++
			}
			return ten, k + 1
		}
	}
	below, above := lower <= 4*s, 4*s+4 <= upper
	up := above
	if below == above {
		up = middle > 4*s+2 || middle == 4*s+2 && s&1 != 0
	}
	if up {
		s++
	}
	return s, k
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

// minPower and maxPower are the smallest and largest exponent of ten that shortest
// needs.
const minPower, maxPower = -292, 324

// powers are 10^(minPower+i) / 2^(floor(log2) - 127), rounded up, in two words.
var powers = func() (p [maxPower - minPower + 1][2]uint64) {
	var (
		one, ten   = big.NewInt(1), big.NewInt(10)
		v, r, mask big.Int
	)
	mask.Sub(mask.Lsh(one, 64), one)
	for i := range p {
		k := minPower + i
		if k >= 0 {
			v.Exp(ten, big.NewInt(int64(k)), nil)
			if n := v.BitLen() - 128; n > 0 {
				r.Sub(r.Lsh(one, uint(n)), one)
				v.Rsh(v.Add(&v, &r), uint(n))
			} else {
				v.Lsh(&v, uint(-n))
			}
		} else {
			d := r.Exp(ten, big.NewInt(int64(-k)), nil)
			n := uint(d.BitLen() + 127) // 2^127 <= 2^n / d < 2^128: d is no power of two
			v.Lsh(one, n)
			v.Div(v.Add(&v, d).Sub(&v, one), d)
		}
		p[i] = [2]uint64{new(big.Int).Rsh(&v, 64).Uint64(), new(big.Int).And(&v, &mask).Uint64()}
	}
	return p
}()

// appendDecimal appends digits·10^k, 0 < digits < 10^17, in the layout of the format 'g'.
func appendDecimal(dst []byte, digits uint64, k int) []byte {
	if k == 0 && digits < 1e6 {
		return strconv.AppendUint(dst, digits, 10)
	}
	var buf [17]byte
	high, low := digits/1e8, uint32(digits%1e8)
	first, middle := high/1e8, uint32(high%1e8)
	buf[0] = '0' + byte(first)
	write8((*[8]byte)(buf[1:9]), middle)
	write8((*[8]byte)(buf[9:17]), low)
	from, to := 0, 17
	if low == 0 {
		to, k = 9, k+8
	}
	for buf[from] == '0' {
		from++
	}
	for buf[to-1] == '0' {
		to--
		k++
	}
	text := buf[from:to]
	exponent := len(text) + k - 1
	switch {
	case exponent < -4 || exponent >= 6:
		dst = append(dst, text[0])
		if len(text) > 1 {
			dst = append(append(dst, '.'), text[1:]...)
		}
		dst = append(dst, 'e')
		if exponent < 0 {
			dst = append(dst, '-')
			exponent = -exponent
		} else {
			dst = append(dst, '+')
		}
		if exponent < 10 {
			dst = append(dst, '0')
		}
		return strconv.AppendUint(dst, uint64(exponent), 10)
	case exponent < 0:
		return append(append(dst, "0.000"[:1-exponent]...), text...)
	case k >= 0:
		return append(append(dst, text...), "00000"[:k]...)
	}
	dst = append(append(dst, text[:exponent+1]...), '.')
	return append(dst, text[exponent+1:]...)
}

// write8 writes eight digits.
func write8(dst *[8]byte, v uint32) {
	a, b := v/1e4, v%1e4
	for i, pair := range [4]uint32{a / 100, a % 100, b / 100, b % 100} {
		dst[2*i], dst[2*i+1] = pairs[2*pair], pairs[2*pair+1]
	}
}

// pairs are the numbers below 100.
const pairs = "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899"
