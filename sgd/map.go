package sgd

// Map is a feature operator Phi: h(x) = Phi(x)^T theta. Every orff.Map is one.
type Map interface {
	// FeaturesTo computes what depends on x alone.
	FeaturesTo(phi, x []float64)

	// PredictTo sets y = Phi(x)^T theta.
	PredictTo(y, phi, theta []float64)

	// AddGradient adds alpha Phi(x) r to g.
	AddGradient(g []float64, alpha float64, phi, r []float64)
}

// Blocks is a sequence of feature operators Phi_0, Phi_1, ... of equal sizes,
// each of b independent frequencies and each by itself an estimate of the
// kernel: E Phi_i(x)^T Phi_i(z) = K(x, z), hence scaled by 1/sqrt(b). Block i is
// a function of a seed and i alone, so that it may be cached or regenerated
// without a change of any bit.
type Blocks interface {
	// BlockDims returns the lengths of x, y, the features of one block and the
	// parameters of one block.
	BlockDims() (in, out, features, params int)

	// BlockFeaturesTo computes the features of block i at x.
	BlockFeaturesTo(phi []float64, i int, x []float64)

	// AddBlockPrediction adds Phi_i(x)^T theta to y.
	AddBlockPrediction(y []float64, i int, phi, theta []float64)

	// AddBlockGradient adds alpha Phi_i(x) r to g.
	AddBlockGradient(g []float64, i int, alpha float64, phi, r []float64)
}
