package varmodel

import (
	"math"
	"testing"
)

// The forecast for t+h is the value at the last time up to t that is a whole number of
// seasons earlier; before a season has passed it is the last value.
func TestSeasonalRepeatsTheLastSeason(t *testing.T) {
	const horizon = 11
	value := func(t, j int) float64 { return float64(10*t+j) + math.Sin(float64(t)) }
	for _, period := range []int{1, 2, 3, 5, 7} {
		m, err := NewSeasonal(SeasonalConfig{Dim: 2, Horizon: horizon, Period: period})
		if err != nil {
			t.Fatal(err)
		}
		f, dst := m.NewSeries(), make([]float64, 2*horizon)
		for now := range 4 * period {
			if err := f.Observe([]float64{value(now, 0), value(now, 1)}); err != nil {
				t.Fatal(err)
			}
			if !f.ForecastTo(dst) {
				t.Fatal("no forecast")
			}
			for h := 1; h <= horizon; h++ {
				from := now
				if now+1 >= period {
					for from = now + h; from > now; from -= period {
					}
				}
				for j := range 2 {
					if got := dst[(h-1)*2+j]; got != value(from, j) {
						t.Fatalf("period %d, %d steps after sample %d: %v, not the value at %d", period, h, now, got, from)
					}
				}
			}
		}
	}
}
