// Package sgd has the learners that descend along the gradient of one sample or mini-batch
// at a time: DoublyStochastic over random features (Algorithm 4 of Brault 2017), and ONORMA
// in kernel space. Losses, rates and penalties are packages beside it, as are least squares
// (sgd/online), fits to all samples (sgd/batch) and function-valued models (sgd/functional).
//
// There is one ridge convention, called H: with N samples the objective is
//
//	R(theta) = 1/(2N) sum_i ||h(x_i) - y_i||^2 + lambda/2 ||theta||^2.
//
// The lambda of another convention becomes one of H by
//
//	SSE/N + lambda ||h||^2               lambda      (Brault 2017, eq. 8.1)
//	SSE/N + lambda/2 ||h||^2             lambda/2    (eq. 6.2)
//	SSE/(2N) + lambda/(2N) ||h||^2       lambda/N    (section 6.4)
//	SSE + lambda ||h||^2                 lambda/N
//
// Samples are stored row-major, one sample per row. A NaN coordinate of a target
// is missing: it has no loss and no gradient.
//
// The package imports no feature map: it learns with any Map, which
// package orff implements.
package sgd
