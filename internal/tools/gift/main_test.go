package main

import (
	"math"
	"testing"

	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/varmodel/auto"
)

// The past 1, 2, 3, 5 with a season of two has steps of 2 and 3: a scale of 5/2. For the truth 4, 4 the forecast
// 4, 6 has a mean error of 1, and the season before, 3, 5, of 1.
func TestScoreByHand(t *testing.T) {
	var r result
	r.score([][]float64{{1}, {2}, {3}, {5}}, [][]float64{{4}, {4}}, []float64{4, 6}, 2)
	if r.mase != 1/2.5 || r.naive != 1/2.5 {
		t.Errorf("MASE %v and %v, not 2/5", r.mase, r.naive)
	}
}

// All nine quantiles 3 for a truth of 4: the losses q add up to 4.5, twice the mean is 1.
func TestQuantileLossByHand(t *testing.T) {
	three := []float64{3, 3, 3, 3, 3, 3, 3, 3, 3}
	loss, size := quantileLoss([][]float64{{4}}, three)
	if math.Abs(loss-1) > 1e-15 || size != 4 { // nine roundings of numbers up to 1
		t.Errorf("loss %v of %v, not 1 of 4", loss, size)
	}
}

// A sine told nothing is far ahead of nothing: its seasonal naive forecast is exact, so the error is small in the
// steps of half a period. Windows are the last tenth.
func TestWindowsAreTheLastTenth(t *testing.T) {
	s := &scoring.Series{Name: "sine"}
	for i := range 1000 {
		s.Rows = append(s.Rows, []float64{10 + math.Sin(2*math.Pi*float64(i)/24)})
		s.Times = append(s.Times, 1767225600e9+int64(i)*3600e9)
	}
	r, err := evaluate(s, 12, 24, auto.TierLight)
	if err != nil {
		t.Fatal(err)
	}
	if r.windows != 4 || r.mase > .1 || r.naive < .5 || r.crps > .02 {
		t.Errorf("%+v", r)
	}
}
