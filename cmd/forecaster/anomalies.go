package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/internal/plural"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/internal/study"
)

func (a *app) anomaliesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "anomalies FILE...",
		Short: "Find the rows that are unusual, and say why",
		Long: `anomalies scores each row of a file before it learns from it. A score above 1 is an
alarm: the row, with the rows before it, is less probable than
model.anomaly.false_alarms, one in 1,000 by default. The score is the largest of six:

  level        the last rows, against the mean of the series at this time of day
  noise        the size of the last forecast errors
  jump         the row, against its forecast
  correlation  a variable, given the others of the same rows
  flat         the variables move less than usual, or a value repeats
  state        the row itself, against all normal rows; it has a column of its own

Each line is one anomaly: its highest score, the cause and the leading variable, and the
observed and expected value where that variable is furthest from its forecast. Anomalous
rows are not learnt from; after model.anomaly.normal_after rows they are the new normal.

--score level-sets takes the level sets of Brault's thesis, chapter 9, instead: how far
the last --order rows lie outside of them, as a rank in [0, 1] among the last 500.

--labels compares the scores with labels, beside rolling z-scores, and with --history
the residual of its principal components.

A file may be larger than memory unless it is sorted, compared or drawn.`,
		Example: `  forecaster anomalies data.csv --top 20
  forecaster anomalies test.csv --history train.csv --labels test_labels.csv
  forecaster anomalies data.csv --score level-sets --order 3 --output json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.anomalies(cmd, args) },
	}
	a.configFlags(cmd)
	modelFlags(cmd)
	_ = cmd.Flags().MarkHidden("horizon")
	cmd.Flags().String("score", "model", "model or level-sets")
	cmd.Flags().String("budget", "", "false alarms that are expected, such as \"1 per week\" (model.anomaly.alarms)")
	cmd.Flags().Int("top", 10, "lines of the table; 0 = all")
	labelFlags(cmd)
	reportFlags(cmd)
	return cmd
}

func (a *app) anomalies(cmd *cobra.Command, paths []string) error {
	path := paths[0]
	f := cmd.Flags()
	top, _ := f.GetInt("top")
	kind, _ := f.GetString("score")
	if top < 0 {
		return &usageError{fmt.Errorf("--top: must be >= 0, got %d", top)}
	}
	settings := append([]setting{{"budget", "model.anomaly.alarms"}}, modelSettings...)
	cfg, err := a.load(cmd, settings, onlyFile("anomalies", paths...)...)
	if err != nil {
		return err
	}
	if kind != "model" && kind != "level-sets" {
		return &usageError{fmt.Errorf("--score: must be model or level-sets, got %q", kind)}
	}
	out, err := reportOutputs(cmd)
	if err != nil {
		return err
	}
	records, err := a.readRecords(cmd, cfg)
	if err != nil {
		return err
	}
	rowNumbers := records.WithoutClock
	records, samples, before, err := a.withHistory(cmd, cfg, records, out.Wanted())
	if err != nil {
		return err
	}
	marked, err := a.readLabels(cmd, cfg, samples, before, 0)
	if err != nil {
		return err
	}
	r := &study.AnomalyReport{Dataset: path, Score: kind, Threshold: study.AlarmLimit, RowNumbers: rowNumbers}
	if level := study.IntervalLevel(cfg); len(level) > 0 {
		r.Level = report.Number(level[0])
	}
	name := cfg.Model.Type
	if kind == "level-sets" {
		r.Threshold, name = study.LevelSetLimit, kind
	}
	scores := &study.Anomalies{LevelSets: kind == "level-sets", Skip: before, Keep: marked != nil}
	rows := study.NewRowWriter(a.stdout, before)
	if a.output == "json" {
		scores.See = rows.See
	}
	var steps atomic.Int64
	bar := a.progressBar("learning", position(&steps, records.Len()), steps.Load)
	err = study.AnomaliesOf(cmd.Context(), cfg, records, samples, scores, &steps)
	bar.finish()
	if err != nil {
		return err
	}
	r.List(scores)
	if marked != nil {
		r.Detections = append(study.DetectRows(name, scores, float64(r.Threshold), samples, marked),
			study.BaselineDetections(samples, before, marked)...)
	}
	top = cmp.Or(top, len(r.Stretches))
	if a.output == "json" {
		err = rows.End(r)
	} else {
		a.printAnomalies(a.stdout, r, top, before)
	}
	if err == nil && out.Wanted() {
		err = out.Write(a.stderr, &report.Report{
			Title: filepath.Base(path), Facts: []string{r.Headline()}, Tables: r.Tables(top), Marked: r.Marked(samples, before),
		})
	}
	if err != nil {
		return err
	}
	return a.printRefused(cmd, samples)
}

func (a *app) printAnomalies(w io.Writer, r *study.AnomalyReport, top, before int) {
	fmt.Fprintln(w, r.Headline())
	a.say(unscoredNote(r, before))
	for _, t := range r.Tables(top) {
		t.Print(w, a.wide)
	}
}

// unscoredNote explains rows without a score, after the given number of rows of --history; "" without any.
func unscoredNote(r *study.AnomalyReport, before int) string {
	n, learnt := r.Unscored(), 100
	if r.Score == "level-sets" {
		learnt = 200
	}
	if n == 0 {
		return ""
	}
	text := fmt.Sprintf("%s without a score: a series learns from its first %d, and rows without values have none", plural.Count(n, "row"), learnt)
	if before == 0 {
		text += "; --history FILE gives rows to learn first"
	}
	return text
}
