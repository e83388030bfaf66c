package thesis

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/nystroem"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
	"github.com/orffvar/forecaster/sgd/batch"
	"github.com/orffvar/forecaster/sgd/functional"
)

// Figure91 is one method in the comparison of Brault 2017, section 9.1.4: quantiles of a sine with noise of increasing
// spread.
type Figure91 struct {
	Method    string        `json:"method"`
	Pinball   report.Number `json:"pinball"` // pinball loss: mean over the five levels and the test points
	Published report.Number `json:"published_pinball"`
	Coverage  report.Number `json:"largest_coverage_error"`
	Crossing  report.Number `json:"crossing"` // share of neighbouring levels in the wrong order
	Seconds   report.Number `json:"seconds"`  // seconds of the fit
	PubSec    report.Number `json:"published_seconds"`
}

var figure91Levels = []float64{.05, .275, .5, .775, .95}

// NewFigure91 learns from n points, and tests on 1000. It compares two methods. The continuous quantile function is a
// Hilbert-Schmidt integral kernel by random features, which has every level. Joint quantile regression (Sangnier,
// Fercoq and d'Alché-Buc 2016) is the exact decomposable kernel on the five levels.
func NewFigure91(n int, seed uint64, now func() time.Time) ([]Figure91, error) {
	const test, sigmaX, sigmaT, draws, levels = 1000, .25, .35, 50, 30
	rng := rand.New(rand.NewPCG(seed, 91))
	draw := func(n int) (x, y []float64) {
		for range n {
			v := 1.5 * rng.Float64()
			x, y = append(x, v), append(y, .8*math.Sin(2*math.Pi*v)+(.1+.25*v)*rng.NormFloat64())
		}
		return x, y
	}
	x, y := draw(n)
	xt, yt := draw(test)
	var mean float64 // subtracted from the targets: the methods have no intercept
	for _, v := range y {
		mean += v / float64(n)
	}
	for i := range y {
		y[i] -= mean
	}
	kernelX, kernelT := spectrum.Gaussian{Sigma: sigmaX}, spectrum.Gaussian{Sigma: sigmaT}
	random := func(s spectrum.Spectrum, block int) (*orff.Fourier, error) {
		return orff.NewFourier(s, 1, draws, random.Block(seed, block))
	}
	phiX, errX := random(kernelX, 1)
	phiT, errT := random(kernelT, 2)
	// With all points as landmarks, Nystroem features have the exact kernel.
	exactX, errPoints := nystroem.New(kernelX, 1, x)
	exactT, errLevels := nystroem.New(kernelT, 1, figure91Levels)
	if err := errors.Join(errX, errT, errPoints, errLevels); err != nil {
		return nil, err
	}
	var grid []float64
	for s := range levels {
		grid = append(grid, (float64(s)+.5)/levels)
	}
	var rows []Figure91
	for _, c := range []struct {
		name         string
		x            orff.Scalar
		t            orff.SmoothScalar
		taus         []float64
		pinball, sec float64
	}{
		{"continuous (ORFF)", phiX, phiT, grid, .818, 30},
		{"five levels (OVK)", exactX, exactT, figure91Levels, .817, 1330},
	} {
		b := functional.QuantileBatch{Y: y, Tau: c.taus, PhiX: featuresOf(c.x, x), PhiT: featuresOf(c.t, c.taus), DPhiT: make([]float64, len(c.taus)*c.t.Len())}
		unit, g := make([]float64, c.t.Len()), make([]float64, 1)
		for s, tau := range c.taus {
			phi := b.PhiT[s*c.t.Len() : (s+1)*c.t.Len()]
			for k := range unit {
				unit[k] = 1
				c.t.GradientTo(g, []float64{tau}, phi, unit)
				b.DPhiT[s*c.t.Len()+k], unit[k] = g[0], 0
			}
		}
		q, err := functional.NewQuantile(functional.QuantileConfig{InputFeatures: c.x.Len(), TauFeatures: c.t.Len(), Crossing: .1, Lambda: 1e-5, Width: .01})
		if err != nil {
			return nil, err
		}
		start := now()
		if _, err := q.Fit(b, batch.LBFGS{Tolerance: 1e-5, MaxIterations: 300}); err != nil {
			return nil, err
		}
		row := Figure91{Method: c.name, Published: report.Number(c.pinball), Seconds: report.Number(now().Sub(start).Seconds()), PubSec: report.Number(c.sec)}
		at, f := featuresOf(c.t, figure91Levels), make([]float64, len(figure91Levels))
		below := make([]float64, len(f))
		for i := range xt {
			q.PredictTo(f, featuresOf(c.x, xt[i:i+1]), at)
			for s, tau := range figure91Levels {
				r := yt[i] - mean - f[s]
				row.Pinball += report.Number(max(tau*r, (tau-1)*r) / float64(test*len(f)))
				if r < 0 {
					below[s] += 1. / test
				}
				if s > 0 && f[s] < f[s-1] {
					row.Crossing += report.Number(1 / float64(test*(len(f)-1)))
				}
			}
		}
		for s, tau := range figure91Levels {
			row.Coverage = max(row.Coverage, report.Number(math.Abs(below[s]-tau)))
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// featuresOf returns the features of one-dimensional points, row-major.
func featuresOf(s orff.Scalar, x []float64) []float64 {
	all := make([]float64, len(x)*s.Len())
	for i := range x {
		s.FeaturesTo(all[i*s.Len():(i+1)*s.Len()], x[i:i+1])
	}
	return slices.Clip(all)
}

// Figure91Table returns the table of the comparison.
func Figure91Table(rows []Figure91) report.Table {
	t := report.Table{
		Numeric: 1, Header: []string{"9.1.4: quantiles", "pinball\nours", "pinball\npublished", "largest error\nof coverage", "crossing", "fit, s\nours", "fit, s\npublished"},
		Caption: fmt.Sprintf("A sine with noise of growing spread, levels %v. The noise of the thesis is not published, so compare\n"+
			"the lines with each other. The continuous function has every level, the joint one five.", figure91Levels),
	}
	for _, r := range rows {
		t.Rows = append(t.Rows, []string{r.Method, r.Pinball.Fixed(4), r.Published.Fixed(3), r.Coverage.Fixed(3), r.Crossing.Fixed(4), r.Seconds.Digits(2), r.PubSec.Digits(4)})
	}
	return t
}
