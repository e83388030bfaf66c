package thesis

import "math"

// running has the mean of the values so far, and the sum of their squared deviations, by Welford's method.
type running struct{ n, mean, m2 float64 }

func (r *running) observe(v float64) {
	r.n++
	dev := v - r.mean
	r.mean += dev / r.n
	r.m2 += dev * (v - r.mean)
}

// deviation returns the population standard deviation.
func (r *running) deviation() float64 { return math.Sqrt(r.m2 / r.n) }

// moments returns the mean and the population standard deviation of column j of rows. sd is 1 for a constant column.
func moments(rows [][]float64, j int) (mean, sd float64) {
	var r running
	for _, y := range rows {
		r.observe(y[j])
	}
	if r.m2 == 0 {
		return r.mean, 1
	}
	return r.mean, r.deviation()
}

// meanSD returns the mean and the population standard deviation of v.
func meanSD(v []float64) (mean, sd float64) {
	var r running
	for _, e := range v {
		r.observe(e)
	}
	return r.mean, r.deviation()
}
