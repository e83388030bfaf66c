// Package sgd has the learning methods:
//
//   - online over random features: DoublyStochastic (Algorithm 4 of Brault 2017 with its
//     learning rates), BlockNewton and BlockDescent (steps on a block without a rate), RLS
//     (recursive least squares), HandOver (RLS first, BlockNewton from then on), and
//     FourierNLMS (normalised gradient steps);
//   - online in kernel space: ONORMA;
//   - in batch: Ridge, the closed form for decomposable maps, and Objective, any
//     map and any loss, by conjugate gradients or L-BFGS;
//   - function-valued: Quantile and LevelSet, online and in batch.
//
// There is one ridge convention, called H: with N samples the objective is
//
//	R(theta) = 1/(2N) sum_i ||h(x_i) - y_i||^2 + lambda/2 ||theta||^2.
//
// Convention converts the lambda of the other conventions of the literature.
//
// Samples are stored row-major, one sample per row. A NaN coordinate of a target
// is missing: it has no loss and no gradient.
//
// The package imports no feature map: it learns with any Map, which
// package orff implements.
package sgd
