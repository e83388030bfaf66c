// Package scoring scores forecasts and compares models.
//
// A [Scorer] scores one model on one series, step by step and without allocation. The stream engine uses it as
// well:
//
//	NewScorer(ScorerConfig{Dim, Horizons, Window, Level})
//	Observe(y)                            score the forecasts whose target is y
//	Push(forecast, lower, upper, ref)     add the forecasts made after it
//	Running(variable, k), Windowed(…)     the Score at the k-th scored horizon
//	Errors(k)                             target - forecast of the last Observe
//	State(*snapshot.Codec)
//
// [Score] holds the figures. The Scorer computes the forecasts of persistence itself; Push takes the forecasts of
// the second reference, VAR(1). Every relative score therefore compares errors of the same targets, even with
// missing values.
//
// [Prequential] runs a model over a [Dataset] in one pass: each row is forecast before it is learnt. Options select
// the scored rows, and can divide the errors by the scale used in published online benchmarks. In contrast,
// internal/thesis refits a model to a sliding window before each row, like Brault 2017 for the SCV-MSE of its
// tables.
//
// [Compare] tests whether the difference between two models exceeds chance. [Losses] has a standard error that
// allows for dependence. [WindowedCoverage] finds periods in which intervals fail. [Summarize] pools repetitions
// over seeds.
package scoring
