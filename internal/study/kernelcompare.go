package study

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync/atomic"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/internal/wire"
)

// Compared is a line of kernel compare, with one figure per file.
type Compared struct {
	Name   string          `json:"name"`
	Ratios []report.Number `json:"nmse_over_persistence"`
}

// ComparedNote explains the table of kernel compare.
const ComparedNote = `nmse / nmse of persistence over the last three quarters, one step ahead. Below 1: better than persistence.
orffvar to onorma are models; the other lines are kernelvar with the kernel or the setting named, else a Gaussian
kernel. A dash: the data or the other settings forbid it. Keys and meaning: forecaster kernel compare -h`

// TryKernel returns nmse / nmse of persistence of a trial over the last three quarters of records; NaN if the data or the
// other settings forbid the trial. samples come from the records. load reads the configuration with further settings.
func TryKernel(ctx context.Context, load func([]config.Setting) (*config.Config, error), trial wire.Trial, records *Records, samples *Samples) (report.Number, error) {
	dim := samples.Dim()
	sets := "model.type=kernelvar model.horizon=1 model.levels= " + trial.Sets
	if trial.Most > 0 && dim > trial.Most {
		sets += " model.optimiser.step=adagrad"
	}
	if trial.Groups {
		sets += fmt.Sprintf(" model.kernel.operator.groups=%d", smallestDivisor(dim))
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
	if _, err := wire.NewModel(cfg.Model, dim, cfg.Pipeline.Scope == "shared"); err != nil {
		return report.Number(math.NaN()), nil //nolint:nilerr // likewise
	}
	var steps atomic.Int64
	o := Options{Horizons: []int{1}, From: samples.Len() / len(samples.Series) / 4, Seeds: 1}
	outcome, err := EvaluateModel(ctx, cfg, records, samples, o, &steps)
	if err != nil {
		return 0, err
	}
	return 1 - outcome.Results[0].SkillVsPersistence, nil
}

// smallestDivisor returns the smallest divisor of n above 1.
func smallestDivisor(n int) int {
	d := 2
	for n%d != 0 && d < n {
		d++
	}
	return d
}
