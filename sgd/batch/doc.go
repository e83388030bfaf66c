// Package batch fits the weights of a feature map to all samples at once: Ridge, the closed
// form for decomposable maps, and Objective, any map and any loss, by conjugate gradients or
// L-BFGS. The convention of lambda is H of package sgd.
package batch
