package study

import (
	"math"
	"slices"

	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/internal/report"
)

// Score is one line of a score table, and one element of results in JSON.
type Score struct {
	Series             string        `json:"series,omitempty"`
	Model              string        `json:"model"`
	Horizon            int           `json:"horizon"`
	N                  int64         `json:"n"`
	MSE                report.Number `json:"mse"`
	MSESE              report.Number `json:"mse_se"` // standard error of MSE; NaN: unknown
	RMSE               report.Number `json:"rmse"`
	MAE                report.Number `json:"mae"`
	NMSE               report.Number `json:"nmse"`
	MASE               report.Number `json:"mase"`
	SkillVsPersistence report.Number `json:"skill_vs_persistence"`
	SkillVsVAR1        report.Number `json:"skill_vs_var1"`
	SCVMSE             report.Number `json:"scv_mse"`
	SCVMSESD           report.Number `json:"scv_mse_sd"`
	Coverage           report.Number `json:"coverage"`
	JointCoverage      report.Number `json:"joint_coverage"`
	Width              report.Number `json:"width"`
	Pinball            report.Number `json:"pinball"`
	SamplesPerSecond   report.Number `json:"samples_per_second"`
}

func NewScore(series, model string, horizon int, s scoring.Score) Score {
	return Score{
		Series: series, Model: model, Horizon: horizon, N: s.N,
		MSE: report.Number(s.MSE), MSESE: report.Number(math.NaN()), RMSE: report.Number(s.RMSE), MAE: report.Number(s.MAE), NMSE: report.Number(s.NMSE), MASE: report.Number(s.MASE),
		SkillVsPersistence: report.Number(s.SkillVsNaive), SkillVsVAR1: report.Number(s.SkillVsVAR),
		SCVMSE: report.Number(s.SCVMSE), SCVMSESD: report.Number(s.SCVSD),
		Coverage: report.Number(s.Coverage), JointCoverage: report.Number(s.Joint), Width: report.Number(s.Width), Pinball: report.Number(s.Pinball),
		SamplesPerSecond: report.Number(math.NaN()),
	}
}

// PooledErrors are the columns with errors in the units of the variables. Over several variables, those with large
// numbers dominate them.
var PooledErrors = []string{"mse", "mse_se", "rmse", "mae", "crps"}

// SkillNote explains the columns with a skill.
const SkillNote = "nmse skill = 1 - nmse / nmse of the baseline on the same targets. Above 0: better than the baseline.\n" +
	"nmse = mse / variance, averaged over the variables: the units of a variable give it no weight."

// Headers of the columns with a skill.
const (
	SkillVsPersistence = "nmse\nskill vs\npersistence"
	SkillVsVAR1        = "nmse\nskill vs\nvar1"
)

// WithJoint adds a column with the coverage of the joint region, if there is one.
func WithJoint[T any](t report.Table, results []T, of func(T) Score) report.Table {
	if !slices.ContainsFunc(results, func(r T) bool { return !math.IsNaN(float64(of(r).JointCoverage)) }) {
		return t
	}
	at := slices.Index(t.Header, "coverage") + 1
	t.Header = slices.Insert(slices.Clone(t.Header), at, "joint")
	for i := range t.Rows {
		t.Rows[i] = slices.Insert(t.Rows[i], at, of(results[i]).JointCoverage.Fixed(3))
	}
	return t
}
