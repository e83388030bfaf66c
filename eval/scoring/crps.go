package scoring

// CRPS returns the continuous ranked probability score of the outcome y (Matheson and Winkler 1976), in units of y;
// lower is better. quantiles has the quantiles of the orders .1, .2, ..., .9 at the indices 0, stride, 2 stride,
// ...
//
//	CRPS = integral over the orders 0 to 1 of twice the quantile loss, by Simpson's rule
//
// The loss at the orders 0 and 1 counts as 0, as for an outcome within the distribution. The best forecast of
// Gaussian outcomes scores sigma/sqrt(pi), to within .2 %.
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
