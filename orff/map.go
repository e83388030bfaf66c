package orff

// Dims are the sizes of a feature map.
type Dims struct {
	In       int // d, length of the input x
	Out      int // p, length of the output y
	Features int // length of phi: what FeaturesTo computes once per x
	Params   int // length of theta
}

// Map is a feature operator Phi with Phi(x)^T Phi(z) ~ K(x, z), a p x p
// operator-valued kernel. Phi(x), a Params x Out matrix, is never formed: the
// three methods apply it.
type Map interface {
	Dims() Dims

	// FeaturesTo computes the part that depends on x alone: phi, len Features.
	FeaturesTo(phi, x []float64)

	// PredictTo sets y = Phi(x)^T theta.
	PredictTo(y, phi, theta []float64)

	// AddGradient adds alpha Phi(x) r to g, len Params. With r = h(x) - y this
	// is the gradient of half the squared error.
	AddGradient(g []float64, alpha float64, phi, r []float64)
}
