// Package thesis repeats the experiments of Brault 2017: the tables and figures of chapters
// 6, 8 and 9, with the published figures beside ours. `forecaster tables` prints them.
//
// [SCV] refits a [Fitter] to a sliding window before each row, as the thesis does for the
// SCV-MSE of its tables. [Persistence], [VAR1], [KernelRidge] and [BlockRidge] (the windowed
// ORFFVAR) are the fitters of Tables 8.1 to 8.3; [Experiments] lists the rows with their data,
// preparation and printed figures, and [Experiment.Run] repeats one, with online models on
// the same targets beside it.
package thesis
