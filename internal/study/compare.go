package study

import (
	"fmt"
	"strconv"

	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/internal/report"
)

// ModelLosses are the losses of a model at each horizon.
type ModelLosses struct {
	Model  string
	Losses []scoring.Losses
}

// LossesOf returns the losses for comparisons of a model: Outcome.Scaled if they exist, otherwise Outcome.Losses.
func LossesOf(model string, o *Outcome) ModelLosses {
	if o.Scaled != nil {
		return ModelLosses{model, o.Scaled}
	}
	return ModelLosses{model, o.Losses}
}

// comparison is a test whether two models differ by more than chance on the same targets.
type comparison struct {
	Model      string        `json:"model"`
	Against    string        `json:"against"`
	Horizon    int           `json:"horizon"`
	Measure    string        `json:"measure"` // mse; nmse if the variables have different units
	N          int           `json:"n"`
	Difference report.Number `json:"difference"` // measure of Model - measure of Against: negative if Model is better
	Lower      report.Number `json:"lower"`      // 95 % interval of Difference, by the test that P belongs to
	Upper      report.Number `json:"upper"`
	DM         report.Number `json:"dm"` // Diebold-Mariano statistic
	P          report.Number `json:"p"`
}

// Compare compares all pairs of models with enough common targets on a measure, mse or nmse.
func Compare(models []ModelLosses, horizons []int, measure string) []comparison {
	var all []comparison
	for k, h := range horizons {
		for i, a := range models {
			for _, b := range models[i+1:] {
				c, err := a.Losses[k].Compare(&b.Losses[k], h)
				if err != nil {
					continue
				}
				all = append(all, comparison{
					Model: a.Model, Against: b.Model, Horizon: h, Measure: measure, N: c.N, Difference: report.Number(c.Mean),
					Lower: report.Number(c.Lower), Upper: report.Number(c.Upper), DM: report.Number(c.DM), P: report.Number(c.P),
				})
			}
		}
	}
	return all
}

// reversed swaps the two models.
func (c comparison) reversed() comparison {
	c.Model, c.Against = c.Against, c.Model
	c.Difference, c.DM = -c.Difference, -c.DM
	c.Lower, c.Upper = -c.Upper, -c.Lower
	return c
}

// Measure returns the name of the score for comparisons: mse, or nmse if mse would add different units.
func (e *Evaluation) Measure() string {
	if e.Pooled {
		return "nmse"
	}
	return "mse"
}

// comparisonTable compares every model with the best one at each horizon.
func (e *Evaluation) comparisonTable() report.Table {
	best := make(map[int]string)
	lowest := make(map[int]report.Number)
	for _, r := range e.Results {
		measured := r.MSE
		if e.Pooled {
			measured = r.NMSE
		}
		if old, ok := lowest[r.Horizon]; !ok || measured < old {
			best[r.Horizon], lowest[r.Horizon] = r.Model, measured
		}
	}
	t := report.Table{
		Title: "Is the difference more than chance?", Numeric: 2,
		Header: []string{"horizon", "compared with the best", "difference of " + e.Measure(), "95 % interval", "p"},
	}
	for _, c := range e.Comparisons {
		if c.Against == best[c.Horizon] {
			c = c.reversed()
		}
		if c.Model != best[c.Horizon] {
			continue
		}
		c = c.reversed() // a positive difference is worse than the best
		t.Rows = append(t.Rows, []string{
			strconv.Itoa(c.Horizon), c.Model + " - " + c.Against, c.Difference.Digits(differenceDigits),
			c.Lower.Digits(differenceDigits) + " … " + c.Upper.Digits(differenceDigits), pValue(float64(c.P)),
		})
	}
	return t
}

// differenceDigits is the number of digits of the difference of two errors: further ones depend on the rounding of the
// instruction set.
const differenceDigits = 4

// pValue prints a probability. Below 0.0001 it prints a bound.
func pValue(p float64) string {
	if p < .0001 {
		return "< 0.0001"
	}
	return fmt.Sprintf("%.4f", p)
}
