package scoring

import (
	"math"
	"testing"
)

// Two variables: the first is always inside but for 200 forecasts in a row, the second
// outside in every tenth one, and not scored in every third.
func TestWindowedCoverage(t *testing.T) {
	c := WindowedCoverage{Window: 500, Limit: .75}
	n := 0
	for i := range 3000 {
		inside := []float64{1, 1}
		if i >= 1000 && i < 1200 {
			inside[0] = 0
		}
		switch {
		case i%3 == 0:
			inside[1] = math.NaN()
		default:
			if n++; n%10 == 0 {
				inside[1] = 0
			}
		}
		c.Add("a", inside)
	}
	if want := .6; !(math.Abs(c.Lowest()-want) <= 1e-12) {
		t.Errorf("lowest %v, want %v", c.Lowest(), want)
	}
	// The second variable has 50 misses in every window, the first more than 125 in some.
	low, windows := 0., 2501.+1501.
	for end := 499; end < 3000; end++ {
		misses := max(0, min(end, 1199)-max(end-499, 1000)+1)
		if misses > 125 {
			low++
		}
	}
	if got := c.LowShare(); !(math.Abs(got-low/windows) <= 1e-12) {
		t.Errorf("share %v, want %v", got, low/windows)
	}
	short := WindowedCoverage{Window: 500, Limit: .75}
	if short.Add("a", []float64{1}); !math.IsNaN(short.LowShare()) || !math.IsNaN(short.Lowest()) {
		t.Error("a coverage without a window")
	}
}
