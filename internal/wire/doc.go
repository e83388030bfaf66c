// Package wire constructs the parts that a configuration names: models, engines, sources,
// sinks and dead letters. Only here does the name of a model, a kernel or an output become
// a type.
//
// A new input, output or format is one file and one row: see inputs and outputs in kinds.go, and
// formats in formats.go. The file has the settings with their documentation, defaults and checks,
// the constructor and the check of lint --connect; kinds_test.go is an example of each.
//
// A new model, kernel, sampling, operator, Gamma or loss is a constructor, in varmodel,
// orff or sgd, and one row in the table of its kind: models.go, kernels.go, samplings.go,
// operators.go, gammas.go, losses.go. The row has its name, documentation, settings, checks
// and constructor; `make reference` writes the pages.
package wire
