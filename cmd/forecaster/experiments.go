package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/orffvar/forecaster/internal/study"
)

// runChapter6 runs the experiments that --table and --name select; Table 6.5 up to the
// row with most samples per task.
func (a *app) runChapter6(ctx context.Context, table, name string, repeats, most int) (*study.Chapter6, error) {
	var c study.Chapter6
	wanted := func(t string) bool { return table == t || table == "" && name == "" }
	if wanted("6.4") {
		curl, err := study.CurlFields(study.CurlPoints, study.CurlDraws, repeats, study.ExperimentSeed, ctx.Err, func(done int) {
			a.status("section 6.4, vector fields: %d of %d repeats", done, repeats)
		})
		a.status("")
		if err != nil {
			return nil, err
		}
		c.Curl = &curl
	}
	for _, published := range study.MultiTaskPublished {
		if !wanted("6.5") || published.N > most {
			continue
		}
		a.status("table 6.5, %d samples per task: 0 of %d repeats", published.N, repeats)
		row, err := study.NewMultiTask(published.N, repeats, study.ExperimentSeed, ctx.Err, func(done int) {
			a.status("table 6.5, %d samples per task: %d of %d repeats", published.N, done, repeats)
		})
		a.status("")
		if err != nil {
			return nil, err
		}
		c.Tasks = append(c.Tasks, row)
	}
	var err error
	if wanted("6.7") {
		a.status("figure 6.7: %d fields", repeats)
		if c.Field, err = study.NewFigure67(study.CurlPoints, repeats, study.ExperimentSeed, ctx.Err); err != nil {
			return nil, err
		}
	}
	if wanted("6.8") {
		a.status("figures 6.8 and 6.9")
		c.R20, err = study.NewFigure68(most, study.ExperimentSeed, ctx.Err)
	}
	if err == nil && wanted("9.1") {
		a.status("section 9.1.4, quantiles")
		c.Quantiles, err = study.NewFigure91(1000, study.ExperimentSeed, time.Now)
	}
	a.status("")
	return &c, err
}

func printChapter6(w io.Writer, c *study.Chapter6) {
	if len(c.Tasks) > 0 {
		printMultiTask(w, c.Tasks)
	}
	if c.Curl != nil {
		printCurl(w, c.Curl)
	}
}

func printMultiTask(w io.Writer, rows []*study.MultiTask) {
	t := newTable(1, "6.5: samples per task", "independent published", "ours", "Laplacian published", "ours", "p published", "ours")
	for _, r := range rows {
		p := study.PublishedMultiTask(r.N)
		t.AppendRow([]any{
			r.N, spread(p.Independent, p.IndependentSD), spread(r.Independent, r.IndependentSD),
			spread(p.Laplacian, p.LaplacianSD), spread(r.Laplacian, r.LaplacianSD), probability(p.P), probability(r.P),
		})
	}
	fmt.Fprintln(w, t.Render())
	fmt.Fprintf(w, "nMSE in %% of 7 tasks, of which each sample reveals one: learnt independently, or with the Laplacian of the graph of\n")
	fmt.Fprintf(w, "their similarities. Mean +- standard error over %d repeats (published: 80), p of the paired t-test. The published data\n", rows[0].Repeats)
	fmt.Fprintf(w, "are from a robot arm, ours from a simulation of that size (21 inputs): compare the gain by the Laplacian.\n")
}

func spread(mean, se float64) string { return fmt.Sprintf("%.3f +- %.3f", mean, se) }

func probability(p float64) string {
	if p < .0015 {
		return "< 0.1 %"
	}
	return fmt.Sprintf("%.1f %%", 100*p)
}

func printCurl(w io.Writer, c *study.Paired) {
	t := newTable(1, "6.4: kernel", "R²")
	t.AppendRow([]any{"curl-free", spread(c.A, c.SEA)})
	t.AppendRow([]any{"independent", spread(c.B, c.SEB)})
	t.AppendRow([]any{"difference", spread(c.Diff, c.SE)})
	fmt.Fprintln(w, t.Render())
	fmt.Fprintf(w, "Gradients of random functions on [-1, 1]^5 learnt from %d points with %d frequencies. Mean +- standard error over\n", study.CurlPoints, study.CurlDraws)
	fmt.Fprintf(w, "%d fields, p of the paired t-test %s.\n", c.N, probability(c.P))
}
