// Package orff has operator-valued random Fourier features: feature maps whose
// inner products approximate a kernel, so that a model in a space of functions
// becomes a linear model with a fixed number of weights.
//
// # Two interfaces
//
// A Scalar is a map phi with phi(x).phi(z) ~ k(x, z) for a scalar kernel k. A Map (declared
// in package sgd, which learns with it) is an operator Phi with Phi(x)^T Phi(z) ~
// K(x, z) for a kernel K whose values are p x p matrices; it predicts h(x) = Phi(x)^T theta
// in R^p. Phi(x) is never formed: FeaturesTo computes what depends on x alone, once;
// PredictTo applies Phi(x)^T and AddGradient applies Phi(x).
//
//	m.FeaturesTo(phi, x)              // phi
//	m.PredictTo(h, phi, theta)        // h = Phi(x)^T theta
//	                                  // r = h - y
//	m.AddGradient(g, 1, phi, r)       // g += Phi(x) r
//
// # Maps
//
// Scalars of shift-invariant kernels: NewFourier and NewPhase, with frequencies of package
// spectrum, or with fast transforms (NewSORF, NewFastfood). Of other kernels:
// NewSkewedChiSquared, NewAngular, NewLinear, and packages maclaurin (power series), semigroup
// (kernels of x + z) and nystroem (any kernel, through landmarks).
//
// Maps: NewDecomposable (k Gamma) and package vectorfield. Package algebra combines scalars and
// maps. NewBlocks makes a map block by block for doubly stochastic descent. Package coupling
// has the Gamma of a Decomposable.
//
// More about a map: CheckInput, its domain; KernelTo, the exact kernel; NewJacobian, the
// derivative of h; NewKernelSlope, the derivative of the exact kernel. Package accuracy has the
// number of draws for an accuracy, and the accuracy reached.
//
// Maps of other packages can have the optional methods, too: those that derivatives need
// (SmoothScalar), and Check, Kernel or KernelTo, Variance or VarianceTo, RedrawFrom and Weigh,
// as the maps here have them.
//
// # Rules
//
// Matrices are row-major and samples are rows. Slices of the wrong length panic.
// Constructors return an error that gives the reason when parameters are
// impossible. Outside the domain of a kernel every feature is NaN.
//
// A map keeps scratch memory: one goroutine at a time. Methods that take dst or
// phi do not allocate; constructors and KernelTo do.
//
// Everything random comes from a random.Rand, by convention from random.Block(seed, block).
// The same build on the same machine always draws the same bits; State saves the draws, so
// that a restored map does not depend on how they were made.
//
// Sources: Brault, "Large-scale operator-valued kernel regression" (thesis, 2017);
// Rahimi and Recht (2007); Kar and Karnick (2012). Where a source is wrong the
// corrected formula is used and the comment says so. Labels such as C2.9 name
// checks: the comment of the test of that name has the formula.
package orff
