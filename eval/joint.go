package eval

// JointBounder is a Forecaster that also has a region for all variables at once.
type JointBounder interface {
	Forecaster

	// JointTo writes the ends of a box, row-major H x dim: at each horizon the whole
	// sample is inside, in every coordinate, with the probability of the first level.
	// It returns false until enough errors were seen to calibrate.
	JointTo(lower, upper []float64) (ok bool)
}
