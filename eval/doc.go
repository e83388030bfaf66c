// Package eval scores forecasters: prequential errors, sequential
// cross-validation, comparisons and the simulators of the literature.
package eval
