package decimal

import (
	"errors"
	"math"
	"strconv"
)

// ErrSyntax is the error of text that is not a number.
var ErrSyntax = errors.New("decimal: not a number")

// Parse is strconv.ParseFloat in less than half the time for most decimals.
// The error is ErrSyntax, or nil; what is out of range is infinite.
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

// ParsePlain reads digits with at most a sign and a point. Where they make an
// integer up to 2^53 and are not more than 19, the quotient of that and a power of
// ten is the nearest float64 (Clinger 1990). It leaves all else to strconv.
func ParsePlain(text []byte) (v float64, ok bool) {
	i, negative := 0, false
	if len(text) > 0 && text[0] == '-' {
		i, negative = 1, true
	}
	var mantissa uint64
	first := i
	for ; i < len(text) && text[i]-'0' < 10; i++ {
		mantissa = 10*mantissa + uint64(text[i]-'0')
	}
	digits, fraction := i-first, 0
	if i < len(text) && text[i] == '.' {
		i++
		first = i
		for ; i < len(text) && text[i]-'0' < 10; i++ {
			mantissa = 10*mantissa + uint64(text[i]-'0')
		}
		fraction = i - first
		digits += fraction
	}
	if i < len(text) || digits == 0 || digits > 19 || mantissa > 1<<53 {
		return 0, false
	}
	v = float64(mantissa)
	if fraction > 0 {
		v /= powersOfTen[fraction]
	}
	if negative {
		v = -v
	}
	return v, true
}

// powersOfTen are exact in a float64.
var powersOfTen = [20]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}
