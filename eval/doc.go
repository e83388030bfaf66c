// Package eval declares the interfaces of a model.
//
// A model enters as a [Model], which makes a [Forecaster] for each series; the two stand here
// because this is the lowest package that needs them. What a Forecaster can do besides forecast
// (intervals, drift, influences) is an optional interface; [As] finds it in the Forecaster or in
// what it wraps.
//
// The rooms of the house:
//
//   - package eval/scoring scores forecasts step by step, runs a model over a data set and
//     compares models;
//   - package eval/anomaly scores single samples, package eval/detection compares such scores
//     with labels;
//   - package eval/simulate has simulated series, package eval/calendar inputs from the time;
//   - package eval/snapshot turns the state of a model into bytes.
package eval
