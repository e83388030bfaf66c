package decimal

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"strconv"
)

// ErrSyntax is the error for text that is not a number.
var ErrSyntax = errors.New("decimal: not a number")

// Parse parses text like strconv.ParseFloat. It returns ErrSyntax or nil. A number out of range becomes infinite.
func Parse(text []byte) (float64, error) {
	if v, ok := ParsePlain(text); ok {
		return v, nil
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil && !math.IsInf(v, 0) {
		return 0, ErrSyntax
	}
	return v, nil
}

// Limits for the fast path; longer numbers go to strconv. maxDigits digits fit into a uint64, and 10^maxFraction is
// the largest power of ten that is exact in a float64.
const maxDigits, maxFraction = 19, 22

// ParsePlain parses digits with an optional minus sign and an optional point: at most maxDigits digits without
// leading zeros, at most maxFraction of them after the point. ok is false if text has another form.
func ParsePlain(text []byte) (v float64, ok bool) {
	if len(text) == 0 {
		return 0, false
	}
	negative := one(text[0] == '-')
	mantissa, fraction, ok := parseDigits(text[negative:])
	if !ok {
		return 0, false
	}
	if fraction = max(fraction, 0); mantissa <= 1<<53 {
		v = float64(int64(mantissa)) / powersOfTen[fraction] // both are exact, so the result is the nearest float64 (Clinger 1990)
	} else {
		v = quotient(mantissa, fraction)
	}
	return math.Float64frombits(math.Float64bits(v) | negative<<63), true
}

// quotient returns the float64 nearest to m / 10^k, for m > 0.
func quotient(m uint64, k int) float64 {
	d := powersOfFive[k] // the division by 2^k is exact
	i, j := bits.LeadingZeros64(m), bits.LeadingZeros64(d)
	m, d = m<<i, d<<j
	q, r := bits.Div64(m>>1, m<<63, d) // m 2^63 / d has 63 or 64 bits
	q |= one(r != 0)                   // sticky bit: the conversion below rounds once
	return float64(q) * math.Float64frombits(uint64(1023-63+j-i-k)<<52)
}

// parseDigits parses digits with at most one point. fraction is the number of digits after the point, -1 without a
// point. A word holds eight characters, the first in the lowest byte. No branch depends on the place of the point,
// and few on the number of digits, because the processor cannot predict them.
func parseDigits(text []byte) (mantissa uint64, fraction int, ok bool) {
	const zeros = 0x3030303030303030
	n := len(text)
	var first, last uint64 // last has the last eight characters, first those before, after zeros
	switch {
	case n < 4 || n > maxDigits+1:
		return parseOneByOne(text)
	case n < 8: // two overlapping halves
		front, back := binary.LittleEndian.Uint32(text), binary.LittleEndian.Uint32(text[n-4:])
		last = uint64(front^zeros>>32)<<(8*(8-n)) | uint64(back^zeros>>32)<<32
	case n <= 16:
		first = (binary.LittleEndian.Uint64(text) ^ zeros) << (8 * (16 - n))
		last = binary.LittleEndian.Uint64(text[n-8:]) ^ zeros
	default:
		if last = binary.LittleEndian.Uint64(text[n-8:]) ^ zeros; noDigits(last) != 0 {
			return parseOneByOne(text)
		}
		mantissa, fraction, ok = parseDigits(text[:n-8])
		if fraction >= 0 {
			n--
			fraction += 8
		}
		return 1e8*mantissa + eightDigitsOf(last), fraction, ok && n <= maxDigits
	}
	inFirst, inLast := noDigits(first), noDigits(last)
	switch {
	case inFirst|inLast == 0:
		fraction, ok = -1, true
	case inFirst == 0:
		last, fraction, ok = cutPoint(last, inLast)
		last |= first >> 56
		first <<= 8
	case inLast == 0:
		first, fraction, ok = cutPoint(first, inFirst)
		fraction += 8
	}
	return 1e8*eightDigitsOf(first) + eightDigitsOf(last), fraction, ok
}

// noDigits sets the highest bit of each byte of word that is not a digit. It may also set it in the byte after a
// non-ASCII byte.
func noDigits(word uint64) uint64 {
	return (word + 0x7676767676767676 | word) & 0x8080808080808080
}

// cutPoint removes the point from word by moving the digits before it. ok reports whether the point is the only
// byte marked by noDigits. behind is the number of digits after the point.
func cutPoint(word, marked uint64) (digits uint64, behind int, ok bool) {
	at := bits.TrailingZeros64(marked) &^ 7
	before := uint64(1)<<at - 1
	return word&before<<8 | word&^(before<<8|0xff), 7 - at/8, marked&(marked-1) == 0 && byte(word>>at) == '.'^'0'
}

// eightDigitsOf returns the number with the eight digits in word.
func eightDigitsOf(word uint64) uint64 {
	const pairs = 0xff000000ff
	word = 10*word + word>>8 // every other byte is a number of two digits
	return (word&pairs*(100+1e6<<32) + word>>16&pairs*(1+1e4<<32)) >> 32
}

// parseOneByOne is parseDigits for any length.
func parseOneByOne(text []byte) (mantissa uint64, fraction int, ok bool) {
	digits, point, zeros := 0, -1, 0
	for i, c := range text {
		switch {
		case c-'0' < 10:
			mantissa = 10*mantissa + uint64(c-'0')
			if c == '0' && zeros == digits {
				zeros++
			}
			digits++
		case c == '.' && point < 0:
			point = i
		default:
			return 0, 0, false
		}
	}
	fraction = -1
	if point >= 0 {
		fraction = digits - point
	}
	return mantissa, fraction, digits > 0 && digits-zeros <= maxDigits && fraction <= maxFraction
}

var (
	// powersOfTen are the powers of ten that are exact in a float64.
	powersOfTen = [maxFraction + 1]float64{
		1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
	}
	powersOfFive = func() (p [maxFraction + 1]uint64) {
		p[0] = 1
		for i := range maxFraction {
			p[i+1] = 5 * p[i]
		}
		return p
	}()
)
