package thesis

// VAR1 is the first-order vector autoregression y = c + A x, fitted to a window by least squares. It is the linear
// baseline of every comparison.
//
// It is a Slider. Internally, x is standardised by the window of the last Fit. This does not change the predictions,
// and makes the condition number of the normal equations independent of units. A ridge of 1e-10 makes the solution of
// singular equations unique.
type VAR1 struct {
	mean, sd []float64
	ridge    *BlockRidge
}

// NewVAR1 returns a VAR1 of dim variables.
func NewVAR1(dim int) *VAR1 {
	v := &VAR1{mean: make([]float64, dim), sd: make([]float64, dim)}
	v.ridge = NewBlockRidge(BlockRidgeConfig{Out: dim, Blocks: []Block{{Len: dim + 1, FeaturesTo: v.featuresTo}}})
	return v
}

func (v *VAR1) featuresTo(phi, x []float64) {
	phi[0] = 1
	for j, m := range v.mean {
		phi[1+j] = (x[j] - m) / v.sd[j]
	}
}

// Fit implements Fitter.
func (v *VAR1) Fit(x, y [][]float64) error {
	for j := range v.mean {
		v.mean[j], v.sd[j] = moments(x, j)
	}
	return v.ridge.Fit(x, y)
}

// Slide implements Slider.
func (v *VAR1) Slide(oldX, oldY, newX, newY []float64) error {
	return v.ridge.Slide(oldX, oldY, newX, newY)
}

// PredictTo implements Fitter.
func (v *VAR1) PredictTo(dst, x []float64) { v.ridge.PredictTo(dst, x) }

// Persistence predicts the last value. It is the other baseline of every comparison: on many real series its error is
// below that of VAR(1).
type Persistence struct{}

// Fit implements Fitter.
func (Persistence) Fit(x, y [][]float64) error { return nil }

// Slide implements Slider.
func (Persistence) Slide(oldX, oldY, newX, newY []float64) error { return nil }

// PredictTo implements Fitter.
func (Persistence) PredictTo(dst, x []float64) { copy(dst, x) }
