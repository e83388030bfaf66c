// Package orff has operator-valued random Fourier features. The inner products of these feature maps approximate a
// kernel: a model in a space of functions becomes a linear model with a fixed number of weights.
//
// # Two interfaces
//
// A Scalar is a map phi with phi(x).phi(z) ~ k(x, z) for a scalar kernel k. A Map (declared in package sgd, which learns
// with it) is an operator Phi with Phi(x)^T Phi(z) ~ K(x, z) for a kernel K whose values are p x p matrices. It predicts
// h(x) = Phi(x)^T theta in R^p. Phi(x) is never formed: FeaturesTo computes the features once per x, PredictTo applies
// Phi(x)^T, and AddGradient applies Phi(x).
//
//	m.FeaturesTo(phi, x)              // phi
//	m.PredictTo(h, phi, theta)        // h = Phi(x)^T theta
//	                                  // r = h - y
//	m.AddGradient(g, 1, phi, r)       // g += Phi(x) r
//
// # Maps
//
// Scalars of shift-invariant kernels: NewFourier and NewPhase, with frequencies of package spectrum, or with fast
// transforms (NewSORF, NewFastfood). Scalars of other kernels: NewSkewedChiSquared, NewAngular, NewLinear, and packages
// maclaurin (power series), semigroup (kernels of x + z) and nystroem (any kernel, through landmarks).
//
// Maps: NewDecomposable (k Gamma) and package vectorfield. Package algebra combines scalars and maps. NewBlocks makes a
// map block by block for doubly stochastic descent. Package coupling has the Gamma of a Decomposable.
//
// Properties of a map: CheckInput checks that an input is in the domain, KernelTo writes the exact kernel, NewJacobian
// prepares the derivative of h, and NewKernelSlope the derivative of the exact kernel. Package accuracy computes the
// number of draws for an accuracy, and measures the accuracy of a map.
//
// Maps of other packages can have the optional methods, too: the methods for derivatives (SmoothScalar), and Check,
// Kernel or KernelTo, Variance or VarianceTo, RedrawFrom and Weigh, with the signatures of the maps here.
//
// # Rules
//
// Matrices are row-major and samples are rows. Slices of a wrong length panic. Constructors return an error for
// impossible parameters. Outside the domain of a kernel every feature is NaN.
//
// A map keeps scratch memory: only one goroutine may use it at a time. Methods with a destination slice or phi do not
// allocate; constructors and KernelTo do.
//
// All random numbers come from a random.Rand, by convention from random.Block(seed, block). The same build on the same
// machine always draws the same bits. State saves the draws: a restored map does not depend on how they were made.
//
// Sources: Brault, "Large-scale operator-valued kernel regression" (thesis, 2017); Rahimi and Recht (2007); Kar and
// Karnick (2012). Where a source is wrong, the code has the corrected formula, and a comment reports it. A label such as
// C2.9 names a check: the comment of the test with this label has the formula.
package orff
