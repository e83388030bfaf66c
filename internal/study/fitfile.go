package study

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/plural"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/accuracy"
	"github.com/orffvar/forecaster/orff/ridge"
	"gonum.org/v1/gonum/mat"
)

// FitOptions are the options of kernel fit beside the configuration.
type FitOptions struct {
	Iterations      int    // number of iterations of Algorithm 4
	Class           string // variable whose next value is learnt as a class; "": none
	OutputMap       string // file of V; "": the identity
	ErrorCovariance string // file of Sigma, or "residuals"; "": the identity
}

// Fits are the output of kernel fit.
type Fits struct {
	Classes []float64       `json:"classes,omitempty"` // values of the variable of --class
	Hidden  []Hidden        `json:"hidden,omitempty"`  // columns of --output-map
	Results []Fit           `json:"results"`
	Bounds  *Generalisation `json:"bounds"`
	Hint    string          `json:"hint,omitempty"` // setting that suits the data better
}

// FitFile compares the solvers on a series. Inputs are lags; targets are increments, or the next value of the variable
// o.Class. check is called between steps, and its error ends FitFile.
func FitFile(c config.Model, series *Series, o FitOptions, check func() error) (*Fits, error) {
	c.Type = "kernelvar"
	if err := onlineSettings(c); err != nil {
		return nil, err
	}
	s, err := newFixedSet(series.Rows, c)
	if err != nil {
		return nil, err
	}
	if err := s.outputs(o, c, series); err != nil {
		return nil, err
	}
	if err := wire.CheckModel(c, s.hidden); err != nil {
		return nil, err
	}
	var classes []float64
	var rules []Fit
	if o.Class != "" {
		if classes, rules, err = s.classify(c, series, o.Class); err != nil {
			return nil, err
		}
	}
	f, err := s.fit(c, o, check)
	if err != nil {
		return nil, err
	}
	f.Classes, f.Results = classes, append(f.Results, rules...)
	return f, nil
}

// onlineSettings returns an error for a setting that only online models read.
func onlineSettings(c config.Model) error {
	o := c.Optimiser
	for _, k := range []struct {
		name string
		set  bool
	}{
		{"model.loss.name", c.Loss.Name != "squared"}, {"model.kernel.operator.gamma", wire.LearntGamma(c.Kernel.Operator)},
		{"model.optimiser.schedule", o.Schedule != "auto"}, {"model.optimiser.clip", o.Clip > 0}, {"model.optimiser.warm", o.Warm > 0},
		{"model.optimiser.features", o.Features == "redraw"}, {"model.optimiser.redraw", o.Redraw > 0}, {"model.optimiser.grow", o.Grow > 0}, {"model.optimiser.manifold_batches", o.ManifoldBatches > 1},
		{"model.optimiser.group_lasso", o.GroupLasso > 0},
	} {
		if k.set {
			return fmt.Errorf("%s: kernel fit does not read this setting of online learning; take forecaster evaluate --models kernelvar", k.name)
		}
	}
	return nil
}

// Generalisation has the bounds of chapter 7 of Brault 2017 for the first line. They are in units of nmse, and hold with
// probability 0.95 each.
type Generalisation struct {
	Rademacher  report.Number `json:"rademacher"`  // test error - training error, by Rademacher complexity
	Stability   report.Number `json:"stability"`   // test error - training error, by uniform stability
	Consistency report.Number `json:"consistency"` // test error - test error of the best function with as many draws
}

// generalisation returns the bounds. They assume independent pairs, and targets no larger than those of the training
// part.
func (s *fixedSet) generalisation(m orff.Map, lambda float64) *Generalisation {
	const delta = .05
	x, y := s.part(0, s.train)
	var mean, most float64 // mean and maximum of ||y_i||^2
	for i := range s.train {
		var q float64
		for _, v := range y[i*s.out : (i+1)*s.out] {
			q += v * v
		}
		mean, most = mean+q/float64(s.train), max(most, q)
	}
	k := make([]float64, s.out*s.out)
	var trace float64 // maximum of tr K(x_i, x_i) >= ||K(x_i, x_i)||
	for i := range s.train {
		ridge.KernelTo(k, m, x[i*s.in:(i+1)*s.in])
		trace = max(trace, mat.Trace(mat.NewDense(s.out, s.out, k)))
	}
	class := accuracy.RidgeClassOf(lambda, math.Sqrt(mean), math.Sqrt(most), trace)
	unit := mean / 2
	return &Generalisation{
		Rademacher: report.Number(class.RademacherGap(s.train, trace, delta) / unit),
		Stability:  report.Number(class.StabilityGap(s.train, lambda, trace, delta) / unit),
		// A draw has two features of equal weight; its A has the trace of K.
		Consistency: report.Number(class.ConsistencyGap(s.train, max(m.Dims().Features/2, 1), trace, math.Sqrt(trace), delta/2) / unit),
	}
}

// Table prints the lines.
func (f *Fits) Table() report.Table {
	t := report.Table{
		Numeric: 1, Header: []string{"solver", "iterations", "lambda", "train nmse", "test nmse", "gap"},
		Caption: "nmse: squared error of the next increment over that of no change, in typical steps; the first three quarters of\n" +
			"the pairs are learnt, the last quarter is the test. gap: squared distance of the test forecasts from those of the\n" +
			"first line, in the same units: where it falls to zero the steps have the same solution.",
	}
	if f.Classes != nil {
		t.Header = []string{"solver", "iterations", "lambda", "train\nnmse", "test\nnmse", "gap", "train\nwrong", "test\nwrong"}
		t.Caption = fmt.Sprintf("Classes %v, coded as corners of a regular simplex. wrong: share of the pairs whose next class is not the one with the\n"+
			"closest corner. nmse: squared error of the codes over their square; the first three quarters of the pairs are learnt,\n"+
			"the last quarter is the test. gap: squared distance of the test codes from those of the first line, likewise.", f.Classes)
	}
	whitened := len(f.Results) > 0 && f.Results[0].Mahalanobis != nil
	if whitened {
		t.Header = append(t.Header, "test\nMahalanobis")
		t.Caption += "\nMahalanobis: the same with the errors e of all variables as e' S^-1 e, S the covariance of --error-covariance."
	}
	t.Caption += fmt.Sprintf("\nBounds (Brault 2017, chapter 7), for independent pairs, which lags are not: with probability 0.95 the test nmse is at\n"+
		"most %.2g (Rademacher) or %.2g (stability) above the training nmse, %.2g above that of the best function.",
		f.Bounds.Rademacher, f.Bounds.Stability, f.Bounds.Consistency)
	if f.Hint != "" {
		t.Caption += "\n" + f.Hint
	}
	for i, h := range f.Hidden {
		t.Caption += map[bool]string{true: "\nHidden functions, root mean square of the increments forecast in the test part, in units of the data:\n", false: ", "}[i == 0] +
			h.Name + " " + h.RMS.Digits(3)
	}
	for _, r := range f.Results {
		n, lambda := "-", "-"
		if r.Iterations > 0 {
			n = plural.Thousands(r.Iterations)
		}
		if r.Lambda > 0 {
			lambda = report.Number(r.Lambda).Digits(2)
		}
		row := []string{r.Method, n, lambda, r.Train.Fixed(4), r.Test.Fixed(4), r.Gap.Digits(2)}
		if whitened {
			row = append(row, r.Mahalanobis.Fixed(4))
		}
		if f.Classes != nil {
			row = append(row, r.TrainWrong.Fixed(4), r.TestWrong.Fixed(4))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
