package eval

import "github.com/orffvar/forecaster/eval/snapshot"

// Forecaster is one series seen by a model: what evaluation and the stream
// engine need of it. It is not safe for concurrent use.
//
// The order is strict: ForecastTo, then Observe of the next sample, and so on.
// A forecast depends on the samples observed before it and on nothing else.
type Forecaster interface {
	// Observe learns from the next sample, y of length dim; NaN marks a missing
	// coordinate. It does not keep y. An error means that the sample was
	// refused (an infinite value, a wrong length) and the state is unchanged.
	Observe(y []float64) error

	// ForecastTo writes the forecasts of the next H samples into dst, row-major
	// H x dim, where H is the horizon that the model was built for and len(dst)
	// = H*dim. It returns false, and leaves dst unspecified, while nothing has
	// been observed that a forecast could be based on. Every value is finite.
	// Calling it twice gives the same result and changes no later forecast.
	ForecastTo(dst []float64) (ok bool)

	// State saves or restores everything that belongs to this series alone.
	State(c *snapshot.Codec)
}

// Model owns weights and makes the Forecasters that learn them. A model for
// one series has one Forecaster; a global model has one per series, all
// sharing the weights (each with its own lags and scaler).
type Model interface {
	// NewSeries returns the Forecaster of a new series.
	NewSeries() Forecaster

	// State saves or restores the state that the series share.
	State(c *snapshot.Codec)
}
