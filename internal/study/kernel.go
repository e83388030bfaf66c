package study

import (
	"math"

	"github.com/orffvar/forecaster/internal/build"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/orff"
)

// Plan is one line of kernel plan.
type Plan struct {
	Goal   string `json:"goal"`
	Draws  int    `json:"draws,omitempty"`
	Bytes  int64  `json:"bytes,omitempty"`
	Bound  string `json:"bound,omitempty"`
	Reason string `json:"reason,omitempty"` // why there is none
}

// PlainKernel is the kernel of a configuration without the linear part, which
// needs no draws.
func PlainKernel(c config.Model, dim, draws int) (orff.Map, error) {
	if !build.IsKernelModel(c.Type) {
		c.Type = "kernelvar"
	}
	if err := build.CheckModel(c, dim); err != nil {
		return nil, err
	}
	k := c.Kernel
	k.Linear = false
	return build.NewMap(k, dim, dim*c.Order, draws, orff.BlockRand(c.Seed, 1))
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
	DrawsForEpsilon   report.Number `json:"draws_for_epsilon"` // of the root mean square error
}

// ScaledLags are the inputs of a kernel, 500 at most from all over the rows, as
// the models scale them at the end: standardised or within the range, over the
// bandwidth.
func ScaledLags(rows [][]float64, order int, bandwidth float64, ranged bool, seed uint64) []float64 {
	dim := len(rows[0])
	shift, scale := make([]float64, dim), make([]float64, dim)
	for j := range dim {
		var n, sum, square float64
		low, high := math.Inf(1), math.Inf(-1)
		for _, row := range rows {
			if v := row[j]; !math.IsNaN(v) {
				n, sum, square = n+1, sum+v, square+v*v
				low, high = min(low, v), max(high, v)
			}
		}
		shift[j], scale[j] = sum/n, math.Sqrt(max(square/n-sum/n*sum/n, 0))
		if ranged {
			shift[j], scale[j] = low, high-low
		}
	}
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
	sigma := bandwidth * orff.MedianDistance(x, dim*order, seed)
	for i := range x {
		x[i] /= sigma
	}
	return x
}
