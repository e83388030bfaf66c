// Package losses has the losses of one coordinate of a prediction: squared, Huber, pinball and
// insensitive. The learners of package sgd and the fits of package batch take each of them.
package losses
