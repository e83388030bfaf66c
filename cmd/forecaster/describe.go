package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/internal/shell"
	"github.com/orffvar/forecaster/internal/study"
	"github.com/orffvar/forecaster/internal/wire"
)

const describeName = "describe"

func (a *app) describeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   describeName + " FILE...",
		Short: "Look at a file first: its format, series, gaps and variables",
		Long: `describe reports the format, the series, their spacing and gaps, ranges, missing and
repeated values, numbers that may stand for a missing value, counters, trend, seasons,
changes of the mean, correlations, and the cost of the model. It uses the last 20,000
rows of a series for trend, seasons and changes, and describes the first 20 series.`,
		Example: `  forecaster describe data.csv
  forecaster describe data.csv --report look.html
  forecaster describe data.parquet --last 5000 --output json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.describe(cmd, args) },
	}
	a.configFlags(cmd)
	modelFlags(cmd)
	cmd.Flags().String("report", "", "write a page with tables and plots to this .html file")
	return cmd
}

func (a *app) describe(cmd *cobra.Command, paths []string) error {
	path := paths[0]
	cfg, err := a.load(cmd, modelSettings, onlyFile("describe", paths...)...)
	if err != nil {
		return err
	}
	page, _ := cmd.Flags().GetString("report")
	out := report.Outputs{Page: page, Made: "forecaster " + wire.ReadInfo().Version}
	if err := wire.CheckOutput("--report", page, path, ".html", ".htm"); err != nil {
		return err
	}
	records, err := a.readRecords(cmd, cfg)
	if err != nil {
		return err
	}
	if err := a.sayGaps(cmd, cfg, records); err != nil {
		return err
	}
	d, err := study.DescribeRecords(cmd.Context(), cfg, records)
	if err != nil {
		return err
	}
	d.Assumed, d.Noted = records.Assumed, records.Noted
	if a.output == "json" {
		err = writeJSON(a.stdout, d)
	} else {
		fmt.Fprintln(a.stdout, d.Headline())
		for _, t := range d.Tables() {
			t.Print(a.stdout, a.wide)
		}
		fmt.Fprintln(a.stdout, d.Cost())
		if len(d.Proposed) > 0 {
			fmt.Fprintln(a.stdout, proposal(d.Proposed))
		}
	}
	if text := d.Refusals.String(); text != "" {
		fmt.Fprintln(a.stderr, text)
	}
	refused := checkRefused(cmd, &d.Refusals, int64(d.Rows)+d.Refused)
	if err != nil || !out.Wanted() {
		return errors.Join(err, refused)
	}
	facts := []string{d.Headline(), d.Cost()}
	if len(d.Proposed) > 0 {
		facts = append(facts, proposal(d.Proposed))
	}
	if d.Assumed != "" {
		facts = append(facts, "assumed: "+d.Assumed)
	}
	if d.Noted != "" {
		facts = append(facts, "noted: "+d.Noted)
	}
	return errors.Join(out.Write(a.stderr, &report.Report{Title: filepath.Base(path), Facts: facts, Tables: d.Tables()}), refused)
}

// proposal formats settings as arguments that can be added to another command.
func proposal(settings []string) string {
	text := "Settings that suit these variables, for other commands:"
	for _, s := range settings {
		text += " --set " + shell.Quote(s)
	}
	return text
}
