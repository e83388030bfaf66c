package scoring

// CRPS returns the continuous ranked probability score of the outcome y (Matheson and Winkler 1976), the integral of
// twice the quantile loss over the orders 0 to 1, by Simpson's rule: given the quantiles of the orders .1, .2, … .9, each
// stride numbers behind the one before. At the orders 0 and 1 the loss of an outcome within the distribution is 0.
// The score is in the units of y; lower is better. The best forecast of Gaussian outcomes has sigma/sqrt(pi), to within
// .2 %.
func CRPS(y float64, quantiles []float64, stride int) (sum float64) {
	for i, tau := range [...]float64{.1, .2, .3, .4, .5, .6, .7, .8, .9} {
		e := y - quantiles[i*stride]
		loss := max(tau*e, (tau-1)*e)
		if sum += loss; i%2 == 0 { // Simpson's weights: 4, 2, … 4, in units of 2
			sum += loss
		}
	}
	return sum * (2 * 2. / 30)
}
