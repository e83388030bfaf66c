package report

import (
	"encoding/json"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	"github.com/orffvar/forecaster/internal/plural"
)

// CountsOf lists counts with their names, sorted as text.
func CountsOf(counts map[string]int64) string {
	var parts []string
	for name, n := range counts {
		parts = append(parts, fmt.Sprintf("%s %s", plural.Thousands(n), name))
	}
	sort.Strings(parts)
	return strings.Join(parts, ", ")
}

// Number is a float64 that is null in JSON when it is not finite.
type Number float64

func (n Number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// String returns n with six significant digits, and all digits before the point; a dash if n is not finite.
func (n Number) String() string { return n.Digits(6) }

// Digits returns n with the given number of significant digits, and all digits before the point; a dash if n is not
// finite.
func (n Number) Digits(digits int) string {
	v := math.Abs(float64(n))
	switch {
	case math.IsNaN(v):
		return "-"
	case v == 0:
		return "0" // without the sign of -0
	case v >= math.Pow10(digits) && v < mostWhole:
		return strconv.FormatFloat(float64(n), 'f', 0, 64)
	}
	return strconv.FormatFloat(float64(n), 'g', digits, 64)
}

// mostWhole bounds the numbers whose digits before the point are all printed: float64 is exact to an integer up to 2^53.
const mostWhole = 1 << 53

// Apart returns numbers with the given number of significant digits, or more: the smallest difference between two
// numbers has two digits, as in 104452.31, 104452.11 and 104452.51.
func Apart(digits int, numbers ...Number) []string {
	texts := make([]string, len(numbers))
	largest, difference := 0., math.Inf(1)
	for i, v := range numbers {
		if texts[i] = v.Digits(digits); v == v {
			largest = max(largest, math.Abs(float64(v)))
		}
		for _, w := range numbers[:i] {
			if d := math.Abs(float64(v - w)); d > 0 && d < difference {
				difference = d
			}
		}
	}
	if math.IsInf(difference, 1) || !(largest < mostWhole) || difference < largest*1e-14 {
		return texts
	}
	decimals := 1 - int(math.Floor(math.Log10(difference)))
	if places := digits - 1 - int(math.Floor(math.Log10(largest))); decimals <= max(places, 0) || decimals > 15 {
		return texts
	}
	for i, v := range numbers {
		texts[i] = v.Fixed(decimals)
	}
	return texts
}

// Fixed returns n with the given number of decimals. A value that rounds to 0 has no sign.
func (n Number) Fixed(decimals int) string {
	if math.IsNaN(float64(n)) {
		return "-"
	}
	s := strconv.FormatFloat(float64(n), 'f', decimals, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return s
}

// Rate returns a rate, in samples per second, with three digits.
func Rate(perSecond float64) string {
	if math.IsNaN(perSecond) || math.IsInf(perSecond, 0) {
		return "-"
	}
	if perSecond < 1000 {
		return fmt.Sprintf("%.3g/s", perSecond)
	}
	digits := math.Pow(10, math.Floor(math.Log10(perSecond))-2)
	return plural.Thousands(int64(math.Round(perSecond/digits)*digits)) + "/s"
}
