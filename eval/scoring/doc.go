// Package scoring scores forecasts and compares models.
//
// A [Scorer] follows one model on one series, step by step and without allocation; the stream
// engine uses it as it is:
//
//	NewScorer(ScorerConfig{Dim, Horizons, Window, Level})
//	Observe(y)                            score the forecasts whose target is y
//	Push(forecast, lower, upper, ref)     add the forecasts made after it
//	Running(variable, k), Windowed(…)     the Score at the k-th scored horizon
//	Errors(k)                             target - forecast of the last Observe
//	State(*snapshot.Codec)
//
// [Score] lists the figures. The Scorer makes the forecasts of persistence itself; Push
// takes the forecasts of the second reference, VAR(1). So every relative score compares errors of the
// same targets, missing values or not.
//
// [Prequential] runs a model over a [Dataset]: one pass, each row forecast before it is learnt
// from. Options select the scored rows and divide the errors by the scale that the published
// online benchmarks use. internal/thesis refits a model to a sliding window before each row
// instead, as Brault 2017 does for the SCV-MSE of its tables.
//
// [Compare] tests whether two models differ by more than chance, [Losses] have a standard error that
// allows for dependence, [WindowedCoverage] finds the times when intervals fail, and [Summarize] pools
// repetitions over seeds.
package scoring
