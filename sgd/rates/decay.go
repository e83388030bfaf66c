package rates

// Decay selects the coefficients that a step of sgd.DoublyStochastic shrinks.
type Decay int

const (
	// DecayAll shrinks every coefficient at every step and scales the gradient
	// of the visited block by the number of blocks (Dai et al. 2014). With a
	// fresh block at each step it is an unbiased step for the true kernel. With
	// all blocks in use and a constant rate it has a cyclic bias O(gamma).
	DecayAll Decay = iota

	// DecayBlock shrinks the visited block only (Brault 2017, Algorithm 4, line
	// 11). Its fixed point is the ridge solution.
	DecayBlock
)
