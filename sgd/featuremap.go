package sgd

// Dims are the sizes of a Map.
type Dims struct {
	In       int // d, length of the input x
	Out      int // p, length of the output y
	Features int // length of phi: what FeaturesTo computes once per x
	Params   int // length of theta
}

// Map is a feature operator Phi: the model h(x) = Phi(x)^T theta in R^p has the kernel
// K(x, z) ~ Phi(x)^T Phi(z), whose values are p x p matrices. Phi(x), a Params x Out
// matrix, is never formed: FeaturesTo computes what depends on x alone, once per x;
// PredictTo applies Phi(x)^T and AddGradient applies Phi(x).
//
// Matrices are row-major. Methods do not allocate and panic when a length is wrong.
type Map interface {
	// Dims returns the sizes, which never change.
	Dims() Dims

	// FeaturesTo writes the features of x, len In, to phi, len Features.
	FeaturesTo(phi, x []float64)

	// PredictTo sets y = Phi(x)^T theta, given the features phi of x.
	PredictTo(y, phi, theta []float64)

	// AddGradient sets g += alpha Phi(x) r for g of length Params, given the features
	// phi of x. With r = h(x) - y it adds the gradient of half the squared error.
	AddGradient(g []float64, alpha float64, phi, r []float64)
}
