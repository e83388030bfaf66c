// Package report draws the results of a run over a data set, as one self-contained HTML page, or as SVG and PNG files.
// It draws the last forecasts with their intervals, the errors over time, the measured against the nominal coverage of
// intervals, the weights of the experts, and the anomaly scores.
//
// A Trace collects the steps of a model in bounded memory, for any length of the series. A Report has tables, and the
// plots of one or more traces. The same input gives the same bytes.
package report
