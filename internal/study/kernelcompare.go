package study

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/build"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/report"
)

// Compared is a line of kernel compare: one figure per file.
type Compared struct {
	Name   string          `json:"name"`
	Ratios []report.Number `json:"mse_over_persistence"`
}

// TryKernel returns the mean squared error of a trial over the last three quarters of
// data, divided by that of persistence; NaN when the data or the other settings forbid
// the trial. load reads the configuration with more settings.
func TryKernel(ctx context.Context, load func([]config.Setting) (*config.Config, error), trial build.Trial, data *eval.Dataset) (report.Number, error) {
	sets := "model.type=kernelvar model.horizon=1 model.levels= " + trial.Sets
	if trial.Most > 0 && data.Dim() > trial.Most {
		sets += " model.optimiser.step=adagrad"
	}
	if trial.Groups {
		sets += fmt.Sprintf(" model.kernel.operator.groups=%d", smallestDivisor(data.Dim()))
	}
	var forced []config.Setting
	for _, s := range strings.Fields(sets) {
		key, value, _ := strings.Cut(s, "=")
		forced = append(forced, config.Setting{Path: key, Value: value, From: "compare"})
	}
	cfg, err := load(forced)
	if err != nil {
		return report.Number(math.NaN()), nil //nolint:nilerr // no figure for this data; lint gives the reason
	}
	m, err := build.NewModel(cfg.Model, data.Dim(), len(data.Series) > 1)
	if err != nil {
		return report.Number(math.NaN()), nil //nolint:nilerr // likewise
	}
	r, err := eval.Prequential(m, data, eval.Options{
		Horizon: 1, From: data.Len() / len(data.Series) / 4,
		OnStep: func(eval.Step) error { return ctx.Err() },
	})
	if err != nil {
		return 0, err
	}
	return report.Number(1 - r.Score(eval.All, 0).SkillVsNaive), nil
}

// smallestDivisor returns the smallest divisor of n above 1.
func smallestDivisor(n int) int {
	d := 2
	for n%d != 0 && d < n {
		d++
	}
	return d
}
