package main

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/orffvar/forecaster/varmodel"
)

// The comparisons of Brault 2017, chapter 6, which need no data: Table 6.5 and the
// vector fields of section 6.4.

// chapter6 are their results.
type chapter6 struct {
	tasks []*varmodel.MultiTask
	curl  *varmodel.Paired
}

func (c *chapter6) empty() bool { return len(c.tasks) == 0 && c.curl == nil }

// runChapter6 runs what --table and --name select, of Table 6.5 the rows of at most
// so many samples a task.
func (a *app) runChapter6(ctx context.Context, table, name string, repeats, most int) (*chapter6, error) {
	var c chapter6
	wanted := func(t string) bool { return table == t || table == "" && name == "" }
	if wanted("6.4") {
		curl, err := varmodel.CurlFields(curlPoints, curlDraws, repeats, experimentSeed, ctx.Err, func(done int) {
			a.status("section 6.4, vector fields: %d of %d repeats", done, repeats)
		})
		a.status("")
		if err != nil {
			return nil, err
		}
		c.curl = &curl
	}
	for _, published := range varmodel.MultiTaskPublished {
		if !wanted("6.5") || published.N > most {
			continue
		}
		a.status("table 6.5, %d samples a task: 0 of %d repeats", published.N, repeats)
		row, err := varmodel.NewMultiTask(published.N, repeats, experimentSeed, ctx.Err, func(done int) {
			a.status("table 6.5, %d samples a task: %d of %d repeats", published.N, done, repeats)
		})
		a.status("")
		if err != nil {
			return nil, err
		}
		c.tasks = append(c.tasks, row)
	}
	return &c, nil
}

const (
	curlPoints, curlDraws = 100, 500
	experimentSeed        = 1
)

func (c *chapter6) print(w io.Writer) {
	if len(c.tasks) > 0 {
		printMultiTask(w, c.tasks)
	}
	if c.curl != nil {
		printCurl(w, c.curl)
	}
}

func printMultiTask(w io.Writer, rows []*varmodel.MultiTask) {
	t := newTable(1, "6.5: samples a task", "independent published", "ours", "Laplacian published", "ours", "p published", "ours")
	for _, r := range rows {
		p := publishedMultiTask(r.N)
		t.AppendRow([]any{
			r.N, spread(p.Independent, p.IndependentSD), spread(r.Independent, r.IndependentSD),
			spread(p.Laplacian, p.LaplacianSD), spread(r.Laplacian, r.LaplacianSD), probability(p.P), probability(r.P),
		})
	}
	fmt.Fprintln(w, t.Render())
	fmt.Fprintf(w, "nMSE in %% of 7 tasks, of which each sample reveals one: learnt independently, and with the Laplacian of the graph\n")
	fmt.Fprintf(w, "of their similarities. Mean +- standard error over %d repeats (published: 80), p of the paired t-test. Published are\n", rows[0].Repeats)
	fmt.Fprintf(w, "figures of a robot arm, ours those of a simulation of its shape (21 inputs): compare where the Laplacian helps.\n")
}

func publishedMultiTask(n int) varmodel.MultiTask {
	for _, p := range varmodel.MultiTaskPublished {
		if p.N == n {
			return p
		}
	}
	return varmodel.MultiTask{Independent: math.NaN(), Laplacian: math.NaN(), P: math.NaN()}
}

func spread(mean, se float64) string { return fmt.Sprintf("%.3f +- %.3f", mean, se) }

func probability(p float64) string {
	if p < .0015 {
		return "< 0.1 %"
	}
	return fmt.Sprintf("%.1f %%", 100*p)
}

func printCurl(w io.Writer, c *varmodel.Paired) {
	t := newTable(1, "6.4: kernel", "R²")
	t.AppendRow([]any{"curl-free", spread(c.A, c.SEA)})
	t.AppendRow([]any{"independent", spread(c.B, c.SEB)})
	t.AppendRow([]any{"difference", spread(c.Diff, c.SE)})
	fmt.Fprintln(w, t.Render())
	fmt.Fprintf(w, "Gradients of random functions on [-1, 1]^5 learnt from %d points with %d frequencies. Mean +- standard error over\n", curlPoints, curlDraws)
	fmt.Fprintf(w, "%d fields, p of the paired t-test %s.\n", c.N, probability(c.P))
}

// addTo adds the machine-readable form.
func (c *chapter6) addTo(out map[string]any) {
	type row struct {
		N             int    `json:"samples_per_task"`
		Repeats       int    `json:"repeats"`
		Independent   number `json:"independent_nmse_percent"`
		IndependentSE number `json:"independent_nmse_percent_se"`
		Laplacian     number `json:"laplacian_nmse_percent"`
		LaplacianSE   number `json:"laplacian_nmse_percent_se"`
		P             number `json:"p_value"`
	}
	of := func(m varmodel.MultiTask) row {
		return row{m.N, m.Repeats, number(m.Independent), number(m.IndependentSD), number(m.Laplacian), number(m.LaplacianSD), number(m.P)}
	}
	if len(c.tasks) > 0 {
		type pair struct {
			Published row `json:"published"`
			Ours      row `json:"ours"`
		}
		var pairs []pair
		for _, r := range c.tasks {
			pairs = append(pairs, pair{of(publishedMultiTask(r.N)), of(*r)})
		}
		out["table_6_5"] = pairs
	}
	if curl := c.curl; curl != nil {
		out["section_6_4"] = map[string]any{
			"curl_free_r2": number(curl.A), "curl_free_r2_se": number(curl.SEA),
			"independent_r2": number(curl.B), "independent_r2_se": number(curl.SEB),
			"difference": number(curl.Diff), "difference_se": number(curl.SE), "p_value": number(curl.P), "fields": curl.N,
		}
	}
}
