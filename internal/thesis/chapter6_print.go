package thesis

import (
	"fmt"
	"strconv"

	"github.com/orffvar/forecaster/internal/plural"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/internal/study"
)

// Tables returns the tables of the experiments that were run.
func (c *Chapter6) Tables() (tables []report.Table) {
	if len(c.Tasks) > 0 {
		tables = append(tables, multiTaskTable(c.Tasks))
	}
	if c.Curl != nil {
		tables = append(tables, curlTable(c.Curl))
	}
	if len(c.Field) > 0 {
		t := report.Table{
			Numeric: 1, Header: []string{"6.7: R²", "curl-free", "se", "independent", "se", "p"},
			Caption: fmt.Sprintf("Gradients of random functions on [-1, 1]^5 learnt from %d points with random features (ORFF) and with the kernels\n"+
				"themselves (OVK): mean and standard error, p of the paired t-test. The figure of the thesis has no numbers.", CurlPoints),
		}
		for _, f := range c.Field {
			name := fmt.Sprintf("ORFF, %d frequencies", f.Draws)
			if f.Draws == 0 {
				name = "OVK"
			}
			p := "< 0.001"
			if f.P >= .001 {
				p = f.P.Fixed(3)
			}
			t.Rows = append(t.Rows, []string{name, f.CurlFree.Fixed(3), f.CurlFreeSE.Fixed(3), f.Independent.Fixed(3), f.IndepSE.Fixed(3), p})
		}
		tables = append(tables, t)
	}
	if len(c.R20) > 0 {
		t := report.Table{
			Numeric: 1, Header: []string{"6.8, 6.9: R²"},
			Caption: "Functions from R^20 to R^4 (Audiffren and Kadri) learnt with a decomposable Gaussian kernel from so many samples: by\n" +
				"random features, and with the kernel itself (OVK) up to 1,000 samples. 10,000 samples: --most 10000",
		}
		for _, d := range Figure68Draws {
			t.Header = append(t.Header, fmt.Sprintf("%d frequencies", d))
		}
		t.Header = append(t.Header, "OVK")
		for _, f := range c.R20 {
			row := []string{plural.Thousands(f.N) + " samples"}
			for _, v := range f.R2 {
				row = append(row, v.Fixed(4))
			}
			t.Rows = append(t.Rows, append(row, f.Exact.Fixed(4)))
		}
		tables = append(tables, t)
	}
	if len(c.Quantiles) > 0 {
		tables = append(tables, Figure91Table(c.Quantiles))
	}
	if len(c.Ablation) > 0 {
		tables = append(tables, study.AblationTable(c.Ablation))
	}
	if len(c.Parts) > 0 {
		tables = append(tables, study.PartTable(c.Parts))
	}
	return tables
}

func multiTaskTable(rows []*MultiTask) report.Table {
	t := report.Table{
		Numeric: 1, Header: []string{"6.5: samples per task", "independent published", "ours", "Laplacian published", "ours", "p published", "ours"},
		Caption: fmt.Sprintf("nMSE in %% of 7 tasks, of which each sample reveals one: learnt independently, or with the Laplacian of the graph of\n"+
			"their similarities. Mean +- standard error over %d repeats (published: 80), p of the paired t-test. The published data\n"+
			"are from a robot arm, ours from a simulation of that size (21 inputs): compare the gain by the Laplacian.", rows[0].Repeats),
	}
	for _, r := range rows {
		p := PublishedMultiTask(r.N)
		t.Rows = append(t.Rows, []string{
			strconv.Itoa(r.N), spread(p.Independent, p.IndependentSD), spread(r.Independent, r.IndependentSD),
			spread(p.Laplacian, p.LaplacianSD), spread(r.Laplacian, r.LaplacianSD), probability(p.P), probability(r.P),
		})
	}
	return t
}

func spread(mean, se float64) string { return fmt.Sprintf("%.3f +- %.3f", mean, se) }

func probability(p float64) string {
	if p < .0015 {
		return "< 0.1 %"
	}
	return fmt.Sprintf("%.1f %%", 100*p)
}

func curlTable(c *Paired) report.Table {
	return report.Table{
		Numeric: 1, Header: []string{"6.4: kernel", "R²"},
		Rows: [][]string{{"curl-free", spread(c.A, c.SEA)}, {"independent", spread(c.B, c.SEB)}, {"difference", spread(c.Diff, c.SE)}},
		Caption: fmt.Sprintf("Gradients of random functions on [-1, 1]^5 learnt from %d points with %d frequencies. Mean +- standard error over\n"+
			"%d fields, p of the paired t-test %s.", CurlPoints, CurlDraws, c.N, probability(c.P)),
	}
}
