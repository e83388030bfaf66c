package varmodel

import (
	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/snapshot"
)

// SeasonalConfig describes the forecast that the last season repeats.
type SeasonalConfig struct {
	Dim     int // d, coordinates of a sample
	Horizon int // H, forecasts 1 … H steps ahead
	Period  int // s, samples in a season
}

// NewSeasonal returns the seasonal-naive model: the forecast for t+h is the
// value at the last time before t+1 that is a whole number of seasons earlier.
// During the first season it is persistence.
func NewSeasonal(cfg SeasonalConfig) (eval.Model, error) {
	if err := checkShape(cfg.Dim, cfg.Horizon); err != nil {
		return nil, err
	}
	if err := checkRange("Period", cfg.Period, 1, maxPeriod); err != nil {
		return nil, err
	}
	return statelessModel(func() eval.Forecaster {
		return &seasonal{dim: cfg.Dim, horizon: cfg.Horizon, past: newHistory(cfg.Dim, cfg.Period)}
	}), nil
}

// seasonal repeats the last season of one series; with a season of one sample
// it is persistence.
type seasonal struct {
	dim, horizon int
	past         *history // one season
}

func (s *seasonal) Observe(y []float64) error {
	if err := checkSample(y, s.dim, anyFinite); err != nil {
		return err
	}
	s.past.push(y, s.next(1))
	return nil
}

// next is the forecast of horizon h, a view into the past.
func (s *seasonal) next(h int) []float64 {
	period := s.past.depth
	if s.past.count < period {
		return s.past.lag(0)
	}
	return s.past.lag(period - 1 - (h-1)%period)
}

func (s *seasonal) ForecastTo(dst []float64) bool {
	if len(dst) != s.horizon*s.dim {
		panic("varmodel: ForecastTo: wrong length")
	}
	if !s.past.any() {
		return false
	}
	for h := range s.horizon {
		copy(dst[h*s.dim:], s.next(h+1))
	}
	return true
}

func (s *seasonal) State(c *snapshot.Codec) {
	c.Section("seasonal")
	s.past.State(c)
}
