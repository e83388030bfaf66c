package eval

import "github.com/orffvar/forecaster/eval/snapshot"

// Forecaster is one series as seen by a model. Evaluation and the stream engine use it. It is not safe for
// concurrent use.
//
// Calls alternate: ForecastTo, then Observe of the next sample, and so on. A forecast depends only on the samples
// observed before it.
type Forecaster interface {
	// Observe learns the next sample, y of length dim; NaN = missing. It does not keep y. An error means that y was
	// refused (an infinite value, a wrong length) and the state is unchanged.
	Observe(y []float64) error

	// ForecastTo writes the forecasts of the next H samples into dst, row-major H x dim, for the horizon H of the
	// model. ok is false, and dst unspecified, until enough samples for a forecast were observed. All values are
	// finite. A second call gives the same result, and no call changes later forecasts.
	ForecastTo(dst []float64) (ok bool)

	// State saves or restores the state of this series, without the state that series share.
	State(c *snapshot.Codec)
}

// Model owns weights and makes the Forecasters that learn them. A model for one series has one Forecaster. A global
// model has one per series: they share the weights, and each has its own lags and scaler.
type Model interface {
	// NewSeries returns the Forecaster of a new series.
	NewSeries() Forecaster

	// State saves or restores the state shared by the series.
	State(c *snapshot.Codec)
}
