// Package eval declares the interfaces of a model.
//
// A [Model] makes a [Forecaster] for each series. Further abilities of a Forecaster (intervals, drift, influences)
// are optional interfaces; [As] finds them in the Forecaster or in a Forecaster that it wraps.
//
// Packages below:
//   - package eval/scoring scores forecasts step by step, runs a model over a data set and
//     compares models;
//   - package eval/anomaly scores single samples, package eval/detection compares such scores
//     with labels;
//   - package eval/simulate has synthetic series, package eval/calendar inputs from the time;
//   - package eval/snapshot turns the state of a model into bytes.
package eval
