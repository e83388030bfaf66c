// Package thesis repeats the experiments of Brault 2017: the tables and figures of chapters 6, 8 and 9. `forecaster
// tables` prints the results beside the published figures.
//
// [SCV] refits a [Fitter] to a sliding window before each row, as the thesis does for the SCV-MSE of its tables.
// [Persistence], [VAR1], [KernelRidge] and [BlockRidge] (the windowed ORFFVAR) are the fitters of Tables 8.1 to 8.3.
// [Experiments] lists the rows of these tables with their data, preparation and published figures. [Experiment.Run]
// repeats one experiment, and runs online models on the same targets.
package thesis
