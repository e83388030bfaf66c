package study

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/algebra"
	"github.com/orffvar/forecaster/orff/ridge"
	"github.com/orffvar/forecaster/sgd/batch"
)

// residuals is the value of --error-covariance that estimates the covariance from the residuals of the first line.
const residuals = "residuals"

// Hidden is a hidden output: one column of the output map V.
type Hidden struct {
	Name string        `json:"name"`
	RMS  report.Number `json:"test_rms"` // root mean square of Test

	Test []report.Number `json:"test"` // by test pair: predicted hidden output, in units of the data
}

// outputs reads the output map and the covariance of the errors.
func (s *fixedSet) outputs(o FitOptions, c config.Model, series *Series) error {
	if (o.OutputMap != "" || o.ErrorCovariance != "" || c.Optimiser.Manifold > 0) && o.Class != "" {
		return errors.New("--class: the corners of the simplex are the targets; leave out --output-map, --error-covariance and model.optimiser.manifold")
	}
	if o.OutputMap != "" {
		if name := c.Kernel.Operator.Name; name != "decomposable" {
			return fmt.Errorf("--output-map: needs model.kernel.operator.name: decomposable, because %s joins the outputs with the lags of the same variable, and hidden functions have none", name)
		}
		m, err := readLabelled(o.OutputMap)
		if err == nil {
			err = s.observe(m, series)
		}
		if err != nil {
			return fmt.Errorf("--output-map: %w", err)
		}
	}
	if o.ErrorCovariance != "" && o.ErrorCovariance != residuals {
		m, err := readLabelled(o.ErrorCovariance)
		if err != nil {
			return fmt.Errorf("--error-covariance: %w; to take the errors of the first line: --error-covariance %s", err, residuals)
		}
		sigma, err := s.covariance(m, series)
		if err != nil {
			return fmt.Errorf("--error-covariance: %w", err)
		}
		return s.setCovariance(sigma)
	}
	return nil
}

// observe sets the output map V, with a row per variable and a column per hidden output, in units of the data. The
// targets are y = V h(x), and h is learnt (Brault 2017, appendix B). The units of the hidden outputs make the norms of
// the columns of V equal, and the mean squared norm of a row 1.
func (s *fixedSet) observe(m *labelled, series *Series) error {
	at, err := m.order("row", m.rows, series.Variables)
	if err != nil {
		return err
	}
	s.hidden, s.names = len(m.columns), m.columns
	s.v, s.hiddenUnit = make([]float64, s.out*s.hidden), make([]float64, s.hidden)
	for k := range s.hidden {
		var square float64
		for j := range s.out {
			v := over(m.at(at[j], k), s.unit[j])
			s.v[j*s.hidden+k] = v
			square += v * v
		}
		if square == 0 {
			return fmt.Errorf("%s: no variable shows the hidden function %q: its column needs a number other than 0 for a variable that is not constant", m.path, m.columns[k])
		}
		s.hiddenUnit[k] = math.Sqrt(float64(s.out) / float64(s.hidden) / square)
		for j := range s.out {
			s.v[j*s.hidden+k] *= s.hiddenUnit[k]
		}
	}
	return nil
}

// hiddenFunctions returns the hidden outputs at the test pairs.
func (s *fixedSet) hiddenFunctions(c config.Model, theta []float64) ([]Hidden, error) {
	maps, err := s.maps(c, nil)
	if err != nil {
		return nil, err
	}
	x, _ := s.part(s.train, s.train+s.test)
	h := make([]float64, s.test*s.hidden)
	ridge.PredictTo(h, maps, theta, x)
	all := make([]Hidden, s.hidden)
	for k, name := range s.names {
		var square float64
		all[k].Name = name
		for i := k; i < len(h); i += s.hidden {
			v := h[i] * s.hiddenUnit[k]
			square += v * v
			all[k].Test = append(all[k].Test, report.Number(v))
		}
		all[k].RMS = report.Number(math.Sqrt(square / float64(s.test)))
	}
	return all, nil
}

// independent returns the line of a model without V: one output per variable.
func (s *fixedSet) independent(c config.Model, first []float64) (Fit, error) {
	plain := *s
	plain.v, plain.hidden = nil, s.out
	c.Kernel.Operator.Gamma = "identity"
	maps, err := plain.maps(c, nil)
	if err != nil {
		return Fit{}, err
	}
	m, method, lambda, theta, err := plain.closed(maps, c)
	if err != nil {
		return Fit{}, err
	}
	line, _ := plain.line(method+", without V", 0, lambda, predictWith(m, theta), first)
	return line, nil
}

// mostManifold is the largest number of pairs for Algorithm 6, which has an edge for each two of them.
const mostManifold = 2000

// semiSupervised solves Algorithm 6 of Brault 2017 by conjugate gradients. The manifold penalty is that of
// sgd.DoublyStochasticConfig with all pairs in one mini-batch. It compares the hidden outputs of all pairs, also of those
// with incomplete targets.
func (s *fixedSet) semiSupervised(c config.Model, lambda float64) ([]float64, error) {
	x, y := s.part(0, s.train)
	x, y = append(slices.Clone(x), s.partX...), append(slices.Clone(y), s.partY...)
	n := len(x) / s.in
	if n > mostManifold {
		return nil, fmt.Errorf("model.optimiser.manifold: kernel fit joins at most %d pairs of the first three quarters, the file has %d; take forecaster evaluate --models kernelvar", mostManifold, n)
	}
	maps, err := s.maps(c, nil)
	if err != nil {
		return nil, err
	}
	var edges []batch.Edge
	for i := range n {
		for j := range i {
			d := floats.Distance(x[i*s.in:(i+1)*s.in], x[j*s.in:(j+1)*s.in], 2)
			edges = append(edges, batch.Edge{I: i, J: j, Weight: math.Exp(-d * d / 2)})
		}
	}
	o, err := batch.NewObjective(batch.ObjectiveConfig{
		Map: maps, X: x, Y: y, Lambda: lambda, Observed: s.v, Edges: edges, Manifold: c.Optimiser.Manifold / float64(n*n),
	})
	if err != nil {
		return nil, err
	}
	theta := make([]float64, maps.Dims().Params)
	_, err = o.SolveCG(theta, 1e-8, 2000)
	return theta, err
}

// setCovariance sets the covariance Sigma = L L^T of the errors, out x out, in units of typical steps. It scales Sigma to
// a mean of 1 on the diagonal, so that a multiple of the identity changes nothing.
func (s *fixedSet) setCovariance(sigma []float64) error {
	cov := mat.NewSymDense(s.out, sigma)
	cov.ScaleSym(float64(s.out)/mat.Trace(cov), cov)
	var chol mat.Cholesky
	if !chol.Factorize(cov) {
		return errors.New("--error-covariance: the covariance of the errors must be positive definite: no variance may be 0, and no error the sum of others")
	}
	var l mat.TriDense
	var w mat.Dense
	chol.LTo(&l)
	if err := w.Inverse(&l); err != nil {
		return fmt.Errorf("--error-covariance: the covariance of the errors is almost singular, leave out variables that are sums of others: %w", err)
	}
	s.whiten = w.RawMatrix().Data
	return nil
}

// whitened returns L^-1 y for all rows y.
func (s *fixedSet) whitened(y []float64) []float64 {
	var w mat.Dense
	w.Mul(mat.NewDense(len(y)/s.out, s.out, y), mat.NewDense(s.out, s.out, s.whiten).T())
	return w.RawMatrix().Data
}

// mahalanobis minimises
//
//	1/(2n) sum (h - y)^T Sigma^-1 (h - y) + lambda/2 ||h||^2
//
// by ridge regression of L^-1 y with the kernel L^-1 K L^-T, which has the same weights. Source: Brault 2017, remark 6.2,
// with Phi(x)^* = Sigma Phi(x)^T; the printed remark has the inverse of Sigma there.
func (s *fixedSet) mahalanobis(m orff.Map, c config.Model) (lambda float64, theta []float64, err error) {
	white := *s
	white.y = s.whitened(s.y)
	wm, err := algebra.NewCongruence(m, s.out, s.whiten)
	if err != nil {
		return 0, nil, err
	}
	if lambda, err = white.lambda(wm, c); err != nil {
		return 0, nil, err
	}
	x, y := white.part(0, s.train)
	theta, err = ridge.Solve(wm, x, y, lambda)
	return lambda, theta, err
}

// covariance returns Sigma of a file, in units of typical steps.
func (s *fixedSet) covariance(m *labelled, series *Series) ([]float64, error) {
	rows, err := m.order("row", m.rows, series.Variables)
	if err != nil {
		return nil, err
	}
	columns, err := m.order("column", m.columns, series.Variables)
	if err != nil {
		return nil, err
	}
	sigma := make([]float64, s.out*s.out)
	for i := range s.out {
		for j := range s.out {
			if a, b := m.at(rows[i], columns[j]), m.at(rows[j], columns[i]); math.Abs(a-b) > 1e-9*max(math.Abs(a), math.Abs(b)) {
				return nil, fmt.Errorf("%s: a covariance is symmetric, but (%s, %s) is %g and (%s, %s) is %g", m.path,
					series.Variables[i], series.Variables[j], a, series.Variables[j], series.Variables[i], b)
			}
			sigma[i*s.out+j] = m.at(rows[i], columns[j])
			for _, unit := range []float64{s.unit[i], s.unit[j]} {
				if unit > 0 { // a constant has no errors
					sigma[i*s.out+j] /= unit
				}
			}
		}
	}
	return sigma, nil
}

// residualCovariance returns the covariance of the training residuals, out x out, plus 0.001 of its mean variance on the
// diagonal: it stays positive definite if a variable is the sum of others.
func (s *fixedSet) residualCovariance(p predictor) []float64 {
	x, y := s.part(0, s.train)
	e := s.forecasts(p, x)
	floats.Sub(e, y)
	var sigma mat.SymDense
	sigma.SymOuterK(1/float64(s.train), mat.NewDense(s.train, s.out, e).T())
	floor := 1e-3 * mat.Trace(&sigma) / float64(s.out)
	for j := range s.out {
		sigma.SetSym(j, j, sigma.At(j, j)+floor)
	}
	full := make([]float64, 0, s.out*s.out)
	for i := range s.out {
		for j := range s.out {
			full = append(full, sigma.At(i, j))
		}
	}
	return full
}
