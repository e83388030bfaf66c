package study

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/orffvar/forecaster/eval/simulate"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/plural"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/accuracy"
	"github.com/orffvar/forecaster/orff/distance"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/varmodel/units"
	"gonum.org/v1/gonum/floats"
)

// Plan is one line of kernel plan.
type Plan struct {
	Goal   string `json:"goal"`
	Draws  int    `json:"draws,omitempty"`
	Bytes  int64  `json:"bytes,omitempty"`
	Bound  string `json:"bound,omitempty"`
	Reason string `json:"reason,omitempty"` // reason why there is no number of draws

	Failure report.Number `json:"failure"` // probability of a larger error with model.frequencies draws
	Lambda  float64       `json:"lambda,omitempty"`
}

// Plans returns the number of draws for each goal.
func Plans(m orff.Map, p accuracy.Problem) []Plan {
	var plans []Plan
	for _, goal := range []accuracy.Goal{accuracy.Entrywise, accuracy.Uniform, accuracy.Spectral, accuracy.SpectralTail, accuracy.Statistical} {
		line := Plan{Goal: goal.String(), Failure: report.Number(math.NaN())}
		if r, err := accuracy.Recommend(m, goal, p); err != nil {
			line.Reason = err.Error()
		} else {
			line.Draws, line.Bytes, line.Bound, line.Failure, line.Lambda = r.Draws, r.Bytes, r.Formula, report.Number(r.Failure), r.Lambda
		}
		plans = append(plans, line)
	}
	return plans
}

// PlanTable returns the table of plans, with the names of the bounds below.
func PlanTable(plans []Plan, p accuracy.Problem) report.Table {
	t := report.Table{Numeric: 1, Header: []string{"goal", "draws", "memory", fmt.Sprintf("P(error > %g)\nwith %d draws", p.Epsilon, p.Draws), "lambda"}}
	var notes []string
	for _, line := range plans {
		row := []string{line.Goal, "-", "-", line.Failure.Digits(2), "-"}
		if line.Reason == "" {
			row[1], row[2] = plural.Thousands(line.Draws), plural.Thousands(line.Bytes)+" B"
		}
		if line.Lambda > 0 {
			row[4] = report.Number(line.Lambda).Digits(3)
		}
		t.Rows = append(t.Rows, row)
		notes = append(notes, line.Goal+": "+line.Bound+line.Reason)
	}
	t.Caption = strings.Join(notes, "\n")
	return t
}

// PlainKernel returns the kernel of a configuration without its linear part, which needs no draws.
func PlainKernel(c config.Model, dim, draws int) (orff.Map, error) {
	if !wire.IsKernelModel(c.Type) {
		c.Type = "kernelvar"
	}
	if err := wire.CheckModel(c, dim); err != nil {
		return nil, err
	}
	k := c.Kernel
	k.Linear = false
	return wire.NewMap(k, dim, dim*c.Order, draws, random.Block(c.Seed, 1))
}

// Check is the output of kernel check.
type Check struct {
	Points            int           `json:"points"`
	Draws             int           `json:"draws"`
	Max               report.Number `json:"max"`
	RMS               report.Number `json:"rms"`
	Expected          report.Number `json:"expected_rms"`
	MaxOverEpsilon    report.Number `json:"max_over_epsilon"`
	RelativeFrobenius report.Number `json:"relative_frobenius"`
	RelativeOperator  report.Number `json:"relative_operator"`
	DrawsForEpsilon   report.Number `json:"draws_for_epsilon"` // number of draws for a root mean square error of epsilon
}

// Noise returns rows of independent N(0, 1), to check a kernel without a file.
func Noise(dim, rows int, seed uint64) [][]float64 {
	return simulate.Collect("noise", simulate.NewWhiteNoise(dim, seed), rows).Series[0].Rows
}

// NewCheck compares the features of m with the exact kernel on the scaled lags of the rows.
func NewCheck(m orff.Map, c config.Model, rows [][]float64, epsilon float64) (*Check, error) {
	x := scaledLags(rows, c.Order, c.Bandwidth, wire.ScaleOf(c.Kernel), c.Seed)
	if len(x) == 0 {
		return nil, fmt.Errorf("too few complete rows for model.order: %d", c.Order)
	}
	r, err := accuracy.Measure(m, x, epsilon)
	if err != nil {
		return nil, err
	}
	check := &Check{
		Points: r.Points, Draws: c.Frequencies, Max: report.Number(r.Max), RMS: report.Number(r.RMS), Expected: report.Number(r.Expected),
		MaxOverEpsilon: report.Number(r.Ratio), RelativeFrobenius: report.Number(r.RelativeFrobenius), RelativeOperator: report.Number(r.RelativeOperator),
		DrawsForEpsilon: report.Number(math.NaN()),
	}
	if c.Kernel.Times.Name == "" && c.Kernel.Operator.Name != "schur" { // the error of a product of maps does not fall as 1/sqrt(draws)
		check.DrawsForEpsilon = report.Number(math.Ceil(float64(c.Frequencies) * r.RMS * r.RMS / (epsilon * epsilon)))
	}
	return check, nil
}

// Table prints a check.
func (c *Check) Table(epsilon float64) report.Table {
	return report.Table{Numeric: 1, Header: []string{"", ""}, Rows: [][]string{
		{"points", strconv.Itoa(c.Points)},
		{"draws", strconv.Itoa(c.Draws)},
		{"largest error", c.Max.Fixed(4)},
		{fmt.Sprintf("  divided by epsilon = %v", epsilon), c.MaxOverEpsilon.Fixed(2)},
		{"root mean square error", c.RMS.Fixed(4)},
		{"  predicted by the variance", c.Expected.Fixed(4)},
		{"relative error of the Gram matrix, Frobenius norm", c.RelativeFrobenius.Fixed(4)},
		{"relative error of the Gram matrix, operator norm", c.RelativeOperator.Fixed(4)},
		{fmt.Sprintf("draws for a root mean square error of %v", epsilon), c.DrawsForEpsilon.Fixed(0)},
	}}
}

// scaledLags returns at most 500 inputs of a kernel, spread over the rows, with the final scales of the models and
// divided by the bandwidth.
func scaledLags(rows [][]float64, order int, bandwidth float64, as units.Scale, seed uint64) []float64 {
	dim := len(rows[0])
	shift, scale := columnScales(rows, dim, as)
	var x []float64
	step := max((len(rows)-order)/500, 1)
next:
	for t := order - 1; t < len(rows) && len(x) < 500*dim*order; t += step {
		n := len(x)
		for l := range order {
			for j, v := range rows[t-l] {
				if math.IsNaN(v) {
					x = x[:n]
					continue next
				}
				if v -= shift[j]; scale[j] > 0 {
					v /= scale[j]
				}
				x = append(x, v)
			}
		}
	}
	if bandwidth == 0 {
		bandwidth = 1
	}
	sigma := bandwidth * distance.Median(x, dim*order, seed)
	for i := range x {
		x[i] /= sigma
	}
	return x
}

// columnScales returns the mean and the scale of each variable. A row has one or more samples of dim variables.
func columnScales(rows [][]float64, dim int, as units.Scale) (shift, scale []float64) {
	shift, scale = make([]float64, dim), make([]float64, dim)
	for j := range dim {
		var n, sum, square float64
		low, high := math.Inf(1), math.Inf(-1)
		for _, row := range rows {
			for k := j; k < len(row); k += dim {
				if v := row[k]; !math.IsNaN(v) {
					n, sum, square = n+1, sum+v, square+v*v
					low, high = min(low, v), max(high, v)
				}
			}
		}
		shift[j], scale[j] = sum/n, math.Sqrt(max(square/n-sum/n*sum/n, 0))
		if as == units.Ranged {
			shift[j], scale[j] = low, high-low
		}
	}
	if as == units.Common {
		one := floats.Norm(scale, 2) / math.Sqrt(float64(dim))
		for j := range scale {
			scale[j] = one
		}
	}
	return shift, scale
}
