package orff

import "github.com/orffvar/forecaster/featuremap"

// Map is a feature operator Phi with Phi(x)^T Phi(z) ~ K(x, z), a p x p
// operator-valued kernel; see featuremap.Map.
type Map = featuremap.Map

// Dims has the sizes of a Map.
type Dims = featuremap.Dims
