package thesis

import (
	"math"

	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/internal/study"
)

// Comparisons of Brault 2017, chapter 6, that need no data: Table 6.5, the vector fields of section 6.4, and Figures
// 6.7 to 6.9.

// Chapter6 has the results of these comparisons.
type Chapter6 struct {
	Tasks []*MultiTask
	Curl  *Paired
	Field []Figure67
	R20   []Figure68

	Quantiles []Figure91       // comparison of chapter 9
	Ablation  []study.Ablation // ablation of this program
	Parts     []study.Part     // parts of auto
}

func (c *Chapter6) Empty() bool {
	return len(c.Tasks) == 0 && c.Curl == nil && len(c.Field) == 0 && len(c.R20) == 0 && len(c.Quantiles) == 0 && len(c.Ablation) == 0 && len(c.Parts) == 0
}

const (
	CurlPoints, CurlDraws = 100, 500
	ExperimentSeed        = 1
)

func PublishedMultiTask(n int) MultiTask {
	for _, p := range MultiTaskPublished {
		if p.N == n {
			return p
		}
	}
	return MultiTask{Independent: math.NaN(), Laplacian: math.NaN(), P: math.NaN()}
}

// AddTo adds the tables to out, for --output json.
func (c *Chapter6) AddTo(out map[string]any) {
	type row struct {
		N             int           `json:"samples_per_task"`
		Repeats       int           `json:"repeats"`
		Independent   report.Number `json:"independent_nmse_percent"`
		IndependentSE report.Number `json:"independent_nmse_percent_se"`
		Laplacian     report.Number `json:"laplacian_nmse_percent"`
		LaplacianSE   report.Number `json:"laplacian_nmse_percent_se"`
		P             report.Number `json:"p_value"`
	}
	of := func(m MultiTask) row {
		return row{m.N, m.Repeats, report.Number(m.Independent), report.Number(m.IndependentSD), report.Number(m.Laplacian), report.Number(m.LaplacianSD), report.Number(m.P)}
	}
	if len(c.Tasks) > 0 {
		type pair struct {
			Published row `json:"published"`
			Ours      row `json:"ours"`
		}
		var pairs []pair
		for _, r := range c.Tasks {
			pairs = append(pairs, pair{of(PublishedMultiTask(r.N)), of(*r)})
		}
		out["table_6_5"] = pairs
	}
	if len(c.Field) > 0 {
		out["figure_6_7"] = c.Field
	}
	if len(c.Quantiles) > 0 {
		out["section_9_1_4"] = c.Quantiles
	}
	if len(c.Ablation) > 0 {
		out["ablation"] = c.Ablation
	}
	if len(c.Parts) > 0 {
		out["ablation_parts"] = c.Parts
	}
	if len(c.R20) > 0 {
		out["figure_6_8"] = map[string]any{"draws": Figure68Draws, "results": c.R20}
	}
	if curl := c.Curl; curl != nil {
		out["section_6_4"] = map[string]any{
			"curl_free_r2": report.Number(curl.A), "curl_free_r2_se": report.Number(curl.SEA),
			"independent_r2": report.Number(curl.B), "independent_r2_se": report.Number(curl.SEB),
			"difference": report.Number(curl.Diff), "difference_se": report.Number(curl.SE), "p_value": report.Number(curl.P), "fields": curl.N,
		}
	}
}
