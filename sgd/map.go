package sgd

// Dims are the sizes of a feature map. orff.Dims converts to it.
type Dims struct {
	In       int // d, length of the input x
	Out      int // p, length of the output y
	Features int // length of phi: what FeaturesTo computes once per x
	Params   int // length of theta
}

// Map is a feature operator Phi: h(x) = Phi(x)^T theta. Every orff.Map is one.
type Map interface {
	// FeaturesTo computes what depends on x alone: phi, len Features.
	FeaturesTo(phi, x []float64)

	// PredictTo sets y = Phi(x)^T theta.
	PredictTo(y, phi, theta []float64)

	// AddGradient adds alpha Phi(x) r to g, len Params.
	AddGradient(g []float64, alpha float64, phi, r []float64)
}
