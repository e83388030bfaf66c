package job

import (
	"context"

	"github.com/orffvar/forecaster/stream"
)

// NewestForecasts is a tap that keeps the forecasts after the last sample of each series.
type NewestForecasts struct {
	order     []string
	forecasts map[string][]stream.Forecast
}

// Write implements stream.Sink.
func (n *NewestForecasts) Write(_ context.Context, b *stream.Batch) error {
	for i := range b.Forecasts {
		f := b.Forecasts[i] // its slices belong to the batch, and are copied
		name := f.Series.Name
		old, seen := n.forecasts[name]
		if !seen {
			n.order = append(n.order, name)
		}
		if len(old) > 0 && old[0].Origin != f.Origin {
			old = old[:0]
		}
		f.Yhat = append([]float64(nil), f.Yhat...)
		f.Lower = append([]float64(nil), f.Lower...)
		f.Upper = append([]float64(nil), f.Upper...)
		f.Reach = append([]float64(nil), f.Reach...)
		f.JointLower = append([]float64(nil), f.JointLower...)
		f.JointUpper = append([]float64(nil), f.JointUpper...)
		n.forecasts[name] = append(old, f)
	}
	return nil
}

// Close implements stream.Sink.
func (n *NewestForecasts) Close() error { return nil }

// NewNewestForecasts returns an empty NewestForecasts.
func NewNewestForecasts() *NewestForecasts {
	return &NewestForecasts{forecasts: make(map[string][]stream.Forecast)}
}

// All returns the forecasts, series in order of appearance.
func (n *NewestForecasts) All() (all []stream.Forecast) {
	for _, series := range n.order {
		all = append(all, n.forecasts[series]...)
	}
	return all
}
