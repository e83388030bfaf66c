// Package online learns weights of least squares sample by sample: RLS (recursive least squares),
// BlockNewton and BlockDescent (steps on a block of the weights without a rate), HandOver (RLS
// first, BlockNewton from then on), and FourierNLMS (normalised gradient steps).
//
// The ridge convention is H of package sgd. A learner takes features and the error of its own
// prediction; a NaN coordinate of an error is missing.
package online
