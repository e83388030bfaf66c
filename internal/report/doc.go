// Package report draws the results of a run over a data set: the last forecasts with their
// intervals, the errors over time, the measured coverage of intervals against the nominal
// one, the weights of the experts and the anomaly scores; as one self-contained HTML page,
// or as SVG and PNG files.
//
// A Trace collects the steps of a model in bounded memory, whatever the length of the
// series; a Report has tables and the plots of one or more traces. The same input gives the
// same bytes.
package report
