// Package study holds the offline work on data sets: evaluation and comparison of
// models, detection of anomalies, graphs of influence and comparison of kernels.
package study
