package main

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/build"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/internal/study"
)

func (a *app) kernelCompareCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "compare {FILE... | --made[=ROWS]}",
		Short: "Which kernel suits the data?",
		Long: `compare forecasts each file with every kernel, way of drawing features, operator
and way of learning, one step ahead, and prints the mean squared error of the last
three quarters in units of that of persistence: below 1 is better than nothing
changes. All else is as configured. A dash marks what the data forbid.

--made takes simulated series of so many rows in place of files, each with a law that
one kernel or operator was made for.`,
		Example: `  forecaster kernel compare data.csv
  forecaster kernel compare a.csv b.csv --order 1 --markdown
  forecaster kernel compare --made --order 1`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.kernelCompare(cmd, args) },
	}
	a.configFlags(cmd)
	modelFlags(cmd)
	_ = cmd.Flags().MarkHidden("model")
	cmd.Flags().Bool("markdown", false, "print a table in Markdown, the best of a column bold")
	cmd.Flags().Int("made", 0, "rows of simulated series, in place of files")
	cmd.Flags().Lookup("made").NoOptDefVal = "1000"
	return cmd
}

func (a *app) kernelCompare(cmd *cobra.Command, paths []string) error {
	markdown, _ := cmd.Flags().GetBool("markdown")
	rows, _ := cmd.Flags().GetInt("made")
	made := cmd.Flags().Changed("made")
	switch {
	case made == (len(paths) > 0):
		return &usageError{errors.New("give either files or --made")}
	case made && rows < 200:
		return &usageError{fmt.Errorf("--made: must be >= 200 rows, got %d", rows)}
	}
	trials := build.Trials()
	lines := make([]study.Compared, len(trials))
	for i, v := range trials {
		lines[i].Name = v.Name
	}
	var header []string
	compare := func(data *eval.Dataset, name string, forced []config.Setting, of int) error {
		header = append(header, name)
		for i, v := range trials {
			a.status("%d of %d series, %d of %d: %s", len(header), of, i+1, len(trials), v.Name)
			ratio, err := a.compareOne(cmd, v, forced, data)
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
		data, _, err := study.ReadDataset(cmd.Context(), base)
		if err != nil {
			return err
		}
		name := filepath.Base(path)
		if err := compare(data, strings.TrimSuffix(name, filepath.Ext(name)), forced, len(paths)); err != nil {
			return err
		}
	}
	if made {
		for _, w := range study.Worlds() {
			if err := compare(w.Dataset(rows, 1), w.Name, nil, len(study.Worlds())); err != nil {
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
	t := newTable(1, append([]string{""}, header...)...)
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
		fmt.Fprintln(a.stdout, t.Render())
	}
	return nil
}

// compareOne returns the error of a trial in units of that of persistence, NaN
// when the data or the other settings forbid it.
func (a *app) compareOne(cmd *cobra.Command, v build.Trial, forced []config.Setting, data *eval.Dataset) (report.Number, error) {
	forced = slices.Clone(forced)
	add := func(sets string) {
		for _, s := range strings.Fields(sets) {
			key, value, _ := strings.Cut(s, "=")
			forced = append(forced, config.Setting{Path: key, Value: value, From: "compare"})
		}
	}
	add("model.type=kernelvar model.horizon=1 model.levels=")
	add(v.Sets)
	if v.Most > 0 && data.Dim() > v.Most {
		add("model.optimiser.step=adagrad")
	}
	if v.Groups {
		n := 2
		for data.Dim()%n != 0 && n < data.Dim() {
			n++
		}
		add(fmt.Sprintf("model.kernel.operator.groups=%d", n))
	}
	cfg, err := a.load(cmd, modelSettings, forced...)
	if err != nil {
		return report.Number(math.NaN()), nil //nolint:nilerr // no figure for this data; lint gives the reason
	}
	m, err := build.NewModel(cfg.Model, data.Dim(), len(data.Series) > 1)
	if err != nil {
		return report.Number(math.NaN()), nil //nolint:nilerr // likewise
	}
	r, err := eval.Prequential(m, data, eval.Options{
		Horizon: 1, From: data.Len() / len(data.Series) / 4,
		OnStep: func(eval.Step) error { return cmd.Context().Err() },
	})
	if err != nil {
		return 0, err
	}
	return report.Number(1 - r.Score(eval.All, 0).SkillVsNaive), nil
}
