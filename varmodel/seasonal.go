package varmodel

import (
	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/varmodel/internal/check"
	"github.com/orffvar/forecaster/varmodel/series"
)

// SeasonalConfig describes the forecast that the last season repeats.
type SeasonalConfig struct {
	Dim     int // d, coordinates of a sample
	Horizon int // H, forecasts 1 … H steps ahead
	Period  int // s, samples in a season
}

// NewSeasonal returns the seasonal-naive model: the forecast for t+h is the value at t+h-ks, for the least k >= 1 with
// ks >= h. During the first season it is persistence.
func NewSeasonal(cfg SeasonalConfig) (eval.Model, error) {
	if err := check.Shape(cfg.Dim, cfg.Horizon); err != nil {
		return nil, err
	}
	if err := check.Range("Period", cfg.Period, 1, check.MaxPeriod); err != nil {
		return nil, err
	}
	return statelessModel(func() eval.Forecaster {
		return &seasonal{dim: cfg.Dim, horizon: cfg.Horizon, past: series.NewHistory(cfg.Dim, cfg.Period)}
	}), nil
}

// seasonal repeats the last season of one series; with a season of one sample
// it is persistence.
type seasonal struct {
	dim, horizon int
	past         *series.History // one season
}

func (s *seasonal) Observe(y []float64) error {
	if err := check.Sample(y, s.dim, check.AnyFinite); err != nil {
		return err
	}
	s.past.Push(y, s.Next(1))
	return nil
}

// Next returns the forecast of horizon h, a view into the past.
func (s *seasonal) Next(h int) []float64 {
	period := s.past.Depth
	if s.past.Count < period {
		return s.past.Lag(0)
	}
	return s.past.Lag(period - 1 - (h-1)%period)
}

func (s *seasonal) ForecastTo(dst []float64) bool {
	if len(dst) != s.horizon*s.dim {
		panic("varmodel: ForecastTo: wrong length")
	}
	if !s.past.Any() {
		return false
	}
	for h := range s.horizon {
		copy(dst[h*s.dim:], s.Next(h+1))
	}
	return true
}

func (s *seasonal) State(c *snapshot.Codec) {
	c.Section("seasonal")
	s.past.State(c)
}
