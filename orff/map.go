package orff

import "github.com/orffvar/forecaster/sgd"

// Map is a feature operator Phi with Phi(x)^T Phi(z) ~ K(x, z), a p x p
// operator-valued kernel; see sgd.Map.
type Map = sgd.Map
