package thesis

import "slices"

// standardized fits a Fitter to standardised windows.
type standardized struct {
	Fitter
	mean, sd, z []float64
}

// Fit standardises by the mean and the standard deviation of all rows of the window: all x and the last y.
func (s *standardized) Fit(x, y [][]float64) error {
	d := len(x[0])
	s.mean, s.sd, s.z = make([]float64, d), make([]float64, d), make([]float64, d)
	rows := append(slices.Clone(x), y[len(y)-1])
	for j := range d {
		s.mean[j], s.sd[j] = moments(rows, j)
	}
	return s.Fitter.Fit(s.all(x), s.all(y))
}

func (s *standardized) all(rows [][]float64) [][]float64 {
	out := make([][]float64, len(rows))
	for i, y := range rows {
		out[i] = make([]float64, len(y))
		s.to(out[i], y)
	}
	return out
}

func (s *standardized) to(dst, x []float64) {
	for j, v := range x {
		dst[j] = (v - s.mean[j]) / s.sd[j]
	}
}

func (s *standardized) PredictTo(dst, x []float64) {
	s.to(s.z, x)
	s.Fitter.PredictTo(dst, s.z)
	for j, v := range dst {
		dst[j] = s.mean[j] + s.sd[j]*v
	}
}
