package scoring

import (
	"math"

	"github.com/orffvar/forecaster/internal/lanes"
)

// newMeans returns the Scorer of the errors at the horizons 1 to c.MeanTo, nil if MeanTo is 0.
func newMeans(c ScorerConfig) *Scorer {
	if c.MeanTo == 0 {
		return nil
	}
	means := ScorerConfig{Dim: c.Dim, Horizons: make([]int, c.MeanTo), Scale: c.Scale}
	for k := range means.Horizons {
		means.Horizons[k] = k + 1
	}
	return newScorer(means, lanes.TallyErrors)
}

// pushErrors is Push for forecasts if only their errors are scored.
func (s *Scorer) pushErrors(forecast []float64) {
	d := s.c.Dim
	for k := range s.next {
		row := s.slot(k)
		copy(row, forecast[k*d:(k+1)*d])
		s.rescale(row)
	}
	for j, v := range s.last {
		for k := 0; k < len(s.next) && math.IsNaN(v); k++ {
			s.slot(k)[j] = v // not observed yet
		}
	}
}

// MeanErrors returns MSE and NMSE of [Pool], averaged over the horizons 1 to MeanTo. NaN: some horizon has no
// scored forecast.
func MeanErrors(scorers []*Scorer) (mse, nmse float64) {
	means := make([]*Scorer, len(scorers))
	for i, s := range scorers {
		means[i] = s.means
	}
	n := float64(scorers[0].c.MeanTo)
	for k := range scorers[0].c.MeanTo {
		score := Pool(means, k)
		mse += score.MSE / n
		nmse += score.NMSE / n
	}
	return mse, nmse
}
