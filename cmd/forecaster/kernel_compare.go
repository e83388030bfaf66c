package main

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/eval/simulate"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/internal/study"
	"github.com/orffvar/forecaster/internal/wire"
)

func (a *app) kernelCompareCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compare {FILE... | --synthetic[=ROWS]}",
		Short: "Forecast files with every kernel, and compare the errors",
		Long: `compare forecasts each file one step ahead with every kernel, sampling, operator and
optimiser. It prints the nmse (mse / variance, averaged over the variables) of the last
three quarters of the file, divided by that of persistence. A line names a model, or a
kernel or setting of model.type: kernelvar, which is Gaussian otherwise (docs/kernels.md).
A dash marks a combination that the data forbid.

--synthetic takes synthetic series with that number of rows in place of files, each from
a law that suits one kernel or operator.`,
		Example: `  forecaster kernel compare data.csv
  forecaster kernel compare a.csv b.csv --order 1 --markdown
  forecaster kernel compare --synthetic --order 1`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.kernelCompare(cmd, args) },
	}
	a.configFlags(cmd)
	modelFlags(cmd)
	_ = cmd.Flags().MarkHidden("model")
	cmd.Flags().Bool("markdown", false, "print a table in Markdown with the best value of a column in bold")
	cmd.Flags().Int("synthetic", 0, "number of rows of synthetic series, in place of files")
	cmd.Flags().Lookup("synthetic").NoOptDefVal = "1000"
	return cmd
}

func (a *app) kernelCompare(cmd *cobra.Command, paths []string) error {
	markdown, _ := cmd.Flags().GetBool("markdown")
	rows, _ := cmd.Flags().GetInt("synthetic")
	synthetic := cmd.Flags().Changed("synthetic")
	switch {
	case synthetic == (len(paths) > 0):
		return &usageError{errors.New("name files, or give --synthetic, not both")}
	case synthetic && rows < 200:
		return &usageError{fmt.Errorf("--synthetic: must be >= 200 rows, got %d", rows)}
	}
	trials := wire.Trials()
	lines := make([]study.Compared, len(trials))
	for i, v := range trials {
		lines[i].Name = v.Name
	}
	var header []string
	compare := func(records *study.Records, name string, base *config.Config, forced []config.Setting, of int) error {
		samples, err := records.Outline(cmd.Context(), base)
		if err != nil {
			return err
		}
		header = append(header, name)
		for i, v := range trials {
			a.status("%d of %d series, %d of %d: %s", len(header), of, i+1, len(trials), v.Name)
			load := func(sets []config.Setting) (*config.Config, error) {
				return a.load(cmd, modelSettings, append(forced[:len(forced):len(forced)], sets...)...)
			}
			ratio, err := study.TryKernel(cmd.Context(), load, v, records, samples)
			a.status("")
			if err != nil {
				return fmt.Errorf("%s: %s: %w", name, v.Name, err)
			}
			lines[i].Ratios = append(lines[i].Ratios, ratio)
		}
		return nil
	}
	for _, path := range paths {
		forced := onlyFile("compare", path)
		base, err := a.load(cmd, modelSettings, forced...)
		if err != nil {
			return err
		}
		records, err := a.readRecords(cmd, base)
		if err != nil {
			return err
		}
		name := filepath.Base(path)
		if err := compare(records, strings.TrimSuffix(name, filepath.Ext(name)), base, forced, len(paths)); err != nil {
			return err
		}
	}
	if synthetic {
		base, err := a.load(cmd, modelSettings)
		if err != nil {
			return err
		}
		laws := simulate.KernelLaws()
		for _, law := range laws {
			if err := compare(study.RecordsOf(simulate.Collect(law.Name, law.Series(1), rows)), law.Name, base, nil, len(laws)); err != nil {
				return err
			}
		}
	}
	if a.output == "json" {
		return writeJSON(a.stdout, map[string]any{"series": header, "results": lines})
	}
	best := make([]string, len(header))
	for j := range best {
		least := math.Inf(1)
		for _, line := range lines {
			if v := float64(line.Ratios[j]); v < least {
				least, best[j] = v, line.Ratios[j].Fixed(3)
			}
		}
	}
	t := report.NewTable(1, append([]string{""}, header...)...)
	for _, line := range lines {
		row := []any{line.Name}
		for j, r := range line.Ratios {
			text := r.Fixed(3)
			if markdown && text == best[j] {
				text = "**" + text + "**"
			}
			row = append(row, text)
		}
		t.AppendRow(row)
	}
	if markdown {
		fmt.Fprintln(a.stdout, t.RenderMarkdown())
	} else {
		fmt.Fprintf(a.stdout, "%s\n%s\n", t.Render(), study.ComparedNote)
	}
	return nil
}
