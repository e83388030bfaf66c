// Package report draws what a run over a data set has shown: the last forecasts
// with their intervals, the errors over time, the measured coverage of intervals
// against the nominal one, the weights of the experts and the anomaly scores; as one
// HTML page that needs nothing else, or as SVG and PNG files.
//
// A Trace follows a model step by step in bounded memory, whatever the length of
// the series; a Report has tables and the plots of one or more traces. The same
// input gives the same bytes.
package report
