package eval

// Influencer is a Forecaster that knows which variables drive which: the graph of
// influences of Brault 2017, section 8.4 (after Lim et al. 2015).
//
// Influence is predictive, in the presence of the other variables: it is not
// causation, and variables that move together share it.
type Influencer interface {
	Forecaster

	// InfluenceTo writes the influence of variable j on the next value of
	// variable i into dst[i*dim+j], len dim*dim: the mean over the recent past of
	// the absolute derivative of the one-step forecast of i in j, summed over the
	// lags of j, in standard deviations of i for one standard deviation of j. Its
	// sign is that of the mean derivative. The diagonal holds what a variable
	// says about itself. It returns false while there is nothing to average.
	InfluenceTo(dst []float64) (ok bool)
}
