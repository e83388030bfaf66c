// Package sgd has the learning methods, those of least squares online aside (package sgd/online):
//
//   - online over random features: DoublyStochastic (Algorithm 4 of Brault 2017 with its
//     learning rates);
//   - online in kernel space: ONORMA;
//   - in batch: Ridge, the closed form for decomposable maps, and Objective, any
//     map and any loss, by conjugate gradients or L-BFGS;
//   - function-valued: Quantile and LevelSet, online and in batch.
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
