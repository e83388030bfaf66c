// Package sgd has the learning methods: mini-batch doubly stochastic gradient
// descent over random features and its learning rates, batch fits of the same
// objective, losses, and the function-valued models.
//
// There is one ridge convention, called H: with N samples the objective is
//
//	R(theta) = 1/(2N) sum_i ||h(x_i) - y_i||^2 + lambda/2 ||theta||^2.
//
// Convention converts the lambda of the other conventions of the literature.
//
// Samples are stored row-major, one sample a row. A NaN coordinate of a target
// is missing: it has no loss and no gradient.
//
// The package knows no feature map. It declares the interface Map that it
// consumes; package orff satisfies it.
package sgd
