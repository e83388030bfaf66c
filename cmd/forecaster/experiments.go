package main

import (
	"context"
	"time"

	"github.com/orffvar/forecaster/internal/study"
	"github.com/orffvar/forecaster/internal/thesis"
)

// runChapter6 runs the experiments selected by --table and --name. most limits Table 6.5 to rows with at most this
// number of samples per task.
func (a *app) runChapter6(ctx context.Context, table, name string, repeats, most int) (*thesis.Chapter6, error) {
	defer a.status("")
	var c thesis.Chapter6
	wanted := func(t string) bool { return table == t || table == "" && name == "" }
	if wanted("6.4") {
		a.stage("section 6.4, vector fields")
		curl, err := thesis.CurlFields(thesis.CurlPoints, thesis.CurlDraws, repeats, thesis.ExperimentSeed, ctx.Err, func(done int) {
			a.status("section 6.4, vector fields: %d of %d repeats", done, repeats)
		})
		if err != nil {
			return nil, err
		}
		c.Curl = &curl
	}
	for _, published := range thesis.MultiTaskPublished {
		if !wanted("6.5") || published.N > most {
			continue
		}
		a.stage("table 6.5, %d samples per task", published.N)
		row, err := thesis.NewMultiTask(published.N, repeats, thesis.ExperimentSeed, ctx.Err, func(done int) {
			a.status("table 6.5, %d samples per task: %d of %d repeats", published.N, done, repeats)
		})
		if err != nil {
			return nil, err
		}
		c.Tasks = append(c.Tasks, row)
	}
	var err error
	if wanted("6.7") {
		a.stage("figure 6.7: %d fields", repeats)
		if c.Field, err = thesis.NewFigure67(thesis.CurlPoints, repeats, thesis.ExperimentSeed, ctx.Err); err != nil {
			return nil, err
		}
	}
	if wanted("6.8") {
		a.stage("figures 6.8 and 6.9")
		c.R20, err = thesis.NewFigure68(most, thesis.ExperimentSeed, ctx.Err)
	}
	if err == nil && wanted("9.1") {
		a.stage("section 9.1.4, quantiles")
		c.Quantiles, err = thesis.NewFigure91(1000, thesis.ExperimentSeed, time.Now)
	}
	if err == nil && wanted("ablation") {
		c.Ablation, err = study.NewAblation(ctx, func(system string) { a.stage("ablation, %s", system) })
	}
	if err == nil && table == "ablation" { // it takes a minute
		c.Parts, err = study.NewParts(ctx, func(kind string) { a.stage("parts of auto, %s", kind) })
	}
	return &c, err
}
