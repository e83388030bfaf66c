package scoring

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/internal/vec"
)

// Summary is the mean, spread and range of repetitions over seeds.
type Summary struct {
	N        int
	Mean, SD float64 // SD has the divisor N-1, and is 0 for one value
	Min, Max float64
}

// Summarize returns the summary of v. Without values, all fields except N are NaN.
func Summarize(v ...float64) Summary {
	if len(v) == 0 {
		nan := math.NaN()
		return Summary{0, nan, nan, nan, nan}
	}
	s := Summary{N: len(v), Min: v[0], Max: v[0]}
	var t tally
	for _, x := range v {
		t.add(x, 0, 0)
		s.Min, s.Max = min(s.Min, x), max(s.Max, x)
	}
	s.Mean = t.yMean
	if s.N > 1 {
		s.SD = math.Sqrt(t.yM2 / float64(s.N-1))
	}
	return s
}

// String formats "mean +- sd". The mean has the decimals of the first two digits of the deviation, and at most six
// significant digits.
func (s Summary) String() string {
	decimals := 5 - digits(s.Mean)
	if s.SD > 0 {
		decimals = min(decimals, 1-digits(s.SD))
	}
	decimals = max(decimals, 0)
	if !(s.SD > 0) {
		return fmt.Sprintf("%.*f", decimals, s.Mean)
	}
	return fmt.Sprintf("%.*f +- %.*f", decimals, s.Mean, decimals, s.SD)
}

// digits returns the decimal exponent of v: 0 for [1, 10).
func digits(v float64) int {
	if v == 0 || !vec.Finite(v) {
		return 0
	}
	return int(math.Floor(math.Log10(math.Abs(v))))
}
