package scoring

// CRPS returns the continuous ranked probability score of the outcome y (Matheson and Winkler 1976), the integral of
// twice the quantile loss over the orders 0 to 1, by Simpson's rule: given the quantiles of the orders .1, .2, … .9, each
// stride numbers behind the one before. At the orders 0 and 1 the loss of an outcome within the distribution is 0.
// It is in the units of y, lower is better; of the best forecast of Gaussian outcomes sigma/sqrt(pi), to within .2 %.
func CRPS(y float64, quantiles []float64, stride int) (sum float64) {
	const orders = 10
	for i := 1; i < orders; i++ {
		tau, e := float64(i)/orders, y-quantiles[(i-1)*stride]
		sum += 2 * max(tau*e, (tau-1)*e) * float64(2+2*(i%2)) / (3 * orders)
	}
	return sum
}
