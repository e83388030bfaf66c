package thesis

import (
	"fmt"

	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/internal/vec"
)

// Fitter learns to predict y from x from the pairs of a window. In a pair, sample y follows sample x.
type Fitter interface {
	// Fit forgets all previous pairs, and learns from the pairs (x[i], y[i]). It keeps none of the slices.
	Fit(x, y [][]float64) error

	// PredictTo writes the prediction of the sample after x into dst.
	PredictTo(dst, x []float64)
}

// Slider is a Fitter whose window can move by one pair at a lower cost than a Fit.
type Slider interface {
	Fitter

	// Slide removes the pair (oldX, oldY), which is in the window, and learns from (newX, newY). Up to rounding, the
	// result equals that of Fit on the moved window. After an error, the Slider must not be used until the next Fit.
	Slide(oldX, oldY, newX, newY []float64) error
}

// refitEvery is the number of slides after which a Slider is refitted: it bounds the sum of rounding errors.
const refitEvery = 256

// SCVResult is the outcome of SCV.
type SCVResult struct {
	N       int       // number of scored pairs
	MSE, SD float64   // mean and population standard deviation of Losses
	Losses  []float64 // squared error of each scored sample averaged over its coordinates
}

// SCV computes the sequential cross-validation error SCV-MSE of Brault 2017, chapter 8. It predicts each row from the
// previous row, by f fitted to the window of rows that ends there:
//
//	for i = w ... N-1:  fit on the pairs (s[j], s[j+1]), j = i-w ... i-2
//	                    e[i] = |s[i] - h(s[i-1])|^2 / dim
//	SCV-MSE = mean of e
//
// The thesis prints the population standard deviation of e as "variance". The window has window rows, that is window-1
// pairs.
//
// Several series are one sequence of pairs, one series after the other. No pair has rows of two series. A pair with a
// missing value is ignored.
//
// The model is fitted from scratch for each row. scoring.Prequential evaluates models that learn online.
func SCV(f Fitter, data *scoring.Dataset, window int) (*SCVResult, error) {
	return scv(f, data, window, nil)
}

// scv is SCV, with a check per row. It stops at the first error of check, unless check is nil.
func scv(f Fitter, data *scoring.Dataset, window int, check func() error) (*SCVResult, error) {
	if err := data.Check(); err != nil {
		return nil, err
	}
	x, y := pairs(data)
	n := window - 1
	if n < 1 || n >= len(x) {
		return nil, fmt.Errorf("data set %q: a window of %d rows for %d pairs", data.Name, window, len(x))
	}
	slider, _ := f.(Slider)
	res := &SCVResult{}
	yhat := make([]float64, data.Dim())
	for i := n; i < len(x); i++ {
		var err error
		if check != nil {
			if err = check(); err != nil {
				return nil, err
			}
		}
		if slider == nil || (i-n)%refitEvery == 0 {
			err = f.Fit(x[i-n:i], y[i-n:i])
		} else {
			err = slider.Slide(x[i-n-1], y[i-n-1], x[i-1], y[i-1])
		}
		if err != nil {
			return nil, fmt.Errorf("data set %q, pair %d: %w", data.Name, i, err)
		}
		f.PredictTo(yhat, x[i])
		e := 0.
		for j, v := range y[i] {
			e += (yhat[j] - v) * (yhat[j] - v)
		}
		res.Losses = append(res.Losses, e/float64(len(yhat)))
	}
	res.N = len(res.Losses)
	res.MSE, res.SD = meanSD(res.Losses)
	return res, nil
}

// pairs returns the pairs of consecutive rows of each series, without missing values.
func pairs(d *scoring.Dataset) (x, y [][]float64) {
	for _, s := range d.Series {
		for i := 1; i < len(s.Rows); i++ {
			if vec.AllFinite(s.Rows[i-1]) && vec.AllFinite(s.Rows[i]) {
				x = append(x, s.Rows[i-1])
				y = append(y, s.Rows[i])
			}
		}
	}
	return x, y
}
