// Package eval declares what a model is and scores models: prequential errors, comparisons of
// models and detections with labels, and the simulators of the literature. Package eval/anomaly
// scores single samples.
//
// A model enters as a [Model], which makes a [Forecaster] for each series; the
// two stand here because this is the lowest package that needs them. What a
// Forecaster can do besides forecast (intervals, drift, influences) is an optional
// interface; [As] finds it in the Forecaster or in what it wraps.
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
//
// [Score] lists the figures. Persistence is followed by the Scorer itself,
// the second reference (VAR(1)) is handed to Push; so every relative score is
// one on the very same targets, missing values or not.
//
// # Two protocols
//
// [Prequential] runs an online model over a [Dataset]: one pass, each row
// forecast before it is learnt from. Options select the scored rows and divide
// the errors by the scale that the published online benchmarks use.
//
// internal/thesis refits a model to a sliding window before each row instead, as Brault 2017
// does for the SCV-MSE of its tables.
//
// # Comparing
//
// [Compare] tests whether two models differ by more than chance, [StandardError] allows for
// dependent losses, [Summarize] pools repetitions over seeds. [Detect], [AUPRC], [AUROC],
// [BestF1], [ScoreNAB] and [VUSPR] compare anomaly scores and edges with labels.
//
// # Simulation
//
// A [Generator] yields rows without end: [Setting] (Brault 2017, section
// 8.3.2), [WhiteNoise], [RandomWalk], [Oscillators], [Network] with known edges,
// and [Hostile].
package eval
