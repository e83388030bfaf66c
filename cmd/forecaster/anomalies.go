package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/internal/study"
)

func (a *app) anomaliesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "anomalies FILE",
		Short: "Find the rows that are unusual, and say why",
		Long: `anomalies learns a file and scores each row before it learns from it. A score
above 1 is an alarm. It is the largest of three:

  level   the mean of the last 50 rows is away from that of the series, by more than
          one standard deviation on (quadratic) average over the variables
  noise   the forecast errors of the last 50 rows are larger or smaller than usual,
          by a factor of three in their squares
  jump    the row is away from its forecast, by more than twelve mean errors

Consecutive alarms are one line of the table, with the variables that are behind
it. --score level-sets takes the level sets of Brault's thesis, chapter 9, instead:
how far the last --order rows lie outside of them, as a rank in [0, 1] among the last
500. With --labels, a file of times and a column "anomaly" of 0 and 1, the table says
how the scores agree with the labels, beside a rolling z-score.`,
		Example: `  forecaster anomalies data.csv --top 20
  forecaster anomalies test.csv --history train.csv --labels test_labels.csv
  forecaster anomalies data.csv --score level-sets --order 3 --output json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.anomalies(cmd, args[0]) },
	}
	a.configFlags(cmd)
	modelFlags(cmd)
	_ = cmd.Flags().MarkHidden("horizon")
	cmd.Flags().String("score", "surprise", "surprise or level-sets")
	cmd.Flags().Int("top", 10, "lines of the table")
	labelFlags(cmd)
	return cmd
}

func (a *app) anomalies(cmd *cobra.Command, path string) error {
	f := cmd.Flags()
	top, _ := f.GetInt("top")
	kind, _ := f.GetString("score")
	cfg, err := a.load(cmd, modelSettings, onlyFile("anomalies", path)...)
	if err != nil {
		return err
	}
	if kind != "surprise" && kind != "level-sets" {
		return &usageError{fmt.Errorf("--score: must be surprise or level-sets, got %q", kind)}
	}
	data, refused, err := study.ReadDataset(cmd.Context(), cfg)
	if err != nil {
		return err
	}
	marked, before, err := readLabelled(cmd, cfg, data, 0, 0)
	if err != nil {
		return err
	}
	cfg.Model.Horizon, cfg.Model.Levels = 1, nil
	var all [][]study.Surprise
	r := &study.AnomalyReport{Dataset: path, Score: kind, Threshold: study.AlarmLimit, Refused: refused}
	if kind == "level-sets" {
		r.Threshold = study.LevelSetLimit
		all, err = study.LevelSetScores(cmd.Context(), cfg.Model, data)
	} else {
		all, err = study.SurpriseScores(cmd.Context(), cfg.Model, data)
	}
	if err != nil {
		return err
	}
	r.List(data, all, before)
	if marked != nil {
		var flat []float64
		for _, series := range all {
			for _, s := range series {
				flat = append(flat, s.Score)
			}
		}
		name := kind
		if kind == "surprise" {
			name = cfg.Model.Type
		}
		r.Detections = append([]study.Detection{study.Detect(name, flat, float64(r.Threshold), marked)}, study.ZDetections(data, marked)...)
	}
	if a.output == "json" {
		return writeJSON(a.stdout, r)
	}
	printAnomalies(a.stdout, r, max(top, 0))
	return nil
}

func printAnomalies(w io.Writer, r *study.AnomalyReport, top int) {
	alarms := 0
	for _, s := range r.Stretches {
		alarms += s.Rows
	}
	fmt.Fprintf(w, "%s: %s of %s scored rows above %v, in %s stretches\n", r.Dataset,
		report.Thousands(int64(alarms)), report.Thousands(int64(len(r.Rows))), r.Threshold, report.Thousands(int64(len(r.Stretches))))
	t := newTable(3, "series", "from", "to", "rows", "score", "view", "variables")
	for _, s := range r.Stretches[:min(top, len(r.Stretches))] {
		var who []string
		for _, v := range s.Variables {
			who = append(who, fmt.Sprintf("%s %.0f %%", v.Name, 100*float64(v.Share)))
		}
		t.AppendRow([]any{s.Series, s.From, s.To, report.Thousands(int64(s.Rows)), s.Score.Fixed(2), s.View, strings.Join(who, ", ")})
	}
	if t.Length() > 0 {
		fmt.Fprintln(w, t.Render())
	}
	if n := len(r.Stretches) - top; n > 0 {
		fmt.Fprintf(w, "and %s more; --top %d, or --output json\n", report.Thousands(int64(n)), len(r.Stretches))
	}
	if len(r.Detections) > 0 {
		t := study.DetectionTable(r.Detections)
		fmt.Fprintln(w, t.Caption)
		printTable(w, t)
	}
	if r.Refused != "" {
		fmt.Fprintf(w, "left out: %s\n", r.Refused)
	}
}
