//go:build !amd64

package lanes

func tally(totals, sums, errs, waiting []float64, offsets []int, target []float64, rows, size int) {
	tallyPortable(totals, sums, errs, waiting, offsets, target, rows, size)
}
func cusum(c *Cusum, x []float64) (sum, length float64) { return cusumPortable(c, x) }
func moments(m *Moments, x []float64)                   { momentsPortable(m, x) }
func conformal(c *Conformal, scale, count, own, half, forecast, y, voting, steps []float64, stride int) {
	conformalPortable(c, scale, count, own, half, forecast, y, voting, steps, stride)
}
func aggregate(m *Mixture, f, x, inverse []float64, limit float64, row int) {
	aggregatePortable(m, f, x, inverse, limit, row)
}
func regrets(m *Mixture, out, y []float64) { regretsPortable(m, out, y) }
func standardise(dst, x, mean, inverse []float64, limit float64) {
	standardisePortable(dst, x, mean, inverse, limit)
}
func bound(m *Moments, dst, v, origin, unit, last, floor, ceiling []float64, limit float64) {
	boundPortable(m, dst, v, origin, unit, last, floor, ceiling, limit)
}
func localMean(l *LocalMean, x []float64)                 { localMeanPortable(l, x) }
func steps(s *Steps, x, last []float64)                   { stepsPortable(s, x, last) }
func errors(e *Errors, y, forecast []float64)             { errorsPortable(e, y, forecast) }
func noise(e *Errors, variance []float64)                 { noisePortable(e, variance) }
func levels(l *Levels, x, profile, scale []float64)       { levelsPortable(l, x, profile, scale) }
func learnLevels(l *Levels, x, profile, others []float64) { learnLevelsPortable(l, x, profile, others) }
func liveliness(l *Liveliness, x, count, variance []float64) {
	livelinessPortable(l, x, count, variance)
}
func residuals(s *Residuals, r []float64)              { residualsPortable(s, r) }
func ratios(s *Sizes, dst, origin, forecast []float64) { ratiosPortable(s, dst, origin, forecast) }
func addSizes(s *Sizes, sizes, ratios []float64)       { addSizesPortable(s, sizes, ratios) }
