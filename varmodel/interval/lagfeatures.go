package interval

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
	"github.com/orffvar/forecaster/varmodel/series"
	"github.com/orffvar/forecaster/varmodel/units"
)

// lagFeatures are random Fourier features of the Gaussian kernel on the scaled
// lags of a series, for intervals and anomaly scores.
type lagFeatures struct {
	input  *units.Lags
	scalar *orff.Fourier
	x      []float64 // scratch
}

func newLagFeatures(dim, order, draws int, bandwidth float64, seed uint64) (*lagFeatures, error) {
	input, err := units.NewLags(dim, order, units.Standardised, bandwidth)
	if err != nil {
		return nil, err
	}
	s, err := orff.NewFourier(spectrum.Gaussian{Sigma: 1}, dim*order, draws, random.Block(seed, 1))
	if err != nil {
		return nil, err
	}
	return &lagFeatures{input: input, scalar: s, x: make([]float64, dim*order)}, nil
}

// to writes the features. It returns false while the bandwidth is unknown.
func (f *lagFeatures) to(phi []float64, s *series.Scaler, past *series.History) (ok bool) {
	f.input.FeaturesTo(f.x, s, past)
	if math.IsNaN(f.x[0]) {
		return false
	}
	f.scalar.FeaturesTo(phi, f.x)
	return true
}

func (f *lagFeatures) State(c *snapshot.Codec) {
	f.input.State(c)
	f.scalar.State(c)
}

// lagSeries is the past of one series, for lagFeatures. A missing value is replaced by the
// last one.
type lagSeries struct {
	scaler *series.Scaler
	past   *series.History
	last   []float64 // scratch
}

func newLagSeries(dim, order int) lagSeries {
	return lagSeries{series.NewScaler(dim), series.NewHistory(dim, order), make([]float64, dim)}
}

func (s *lagSeries) Push(y []float64) {
	copy(s.last, s.past.Lag(0))
	s.past.Push(y, s.last)
	s.scaler.Add(y)
}

// Reset drops the samples and leaves the statistics.
func (s *lagSeries) Reset() {
	s.past.Reset()
	s.scaler.Break()
}

func (s *lagSeries) State(c *snapshot.Codec) {
	s.scaler.State(c)
	s.past.State(c)
}
