// Package eval scores forecasters: prequential errors, sequential
// cross-validation, comparisons of models and the simulators of the
// literature.
//
// A model enters as a [Model], which makes a [Forecaster] for each series; the
// two stand here because this is the lowest package that needs them.
//
// # Scores
//
// A [Scorer] follows one model on one series, step by step and without
// allocation; the stream engine uses it as it is:
//
//	NewScorer(ScorerConfig{Dim, Horizons, Window, Level})
//	Observe(y)                            score the forecasts whose target is y
//	Push(forecast, lower, upper, ref)     add the forecasts made after it
//	Running(variable, k), Windowed(…)     the Score at the k-th scored horizon
//	Errors(k)                             target - forecast of the last Observe
//	State(*snapshot.Codec)
package eval
