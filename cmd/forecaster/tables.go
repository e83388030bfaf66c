package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/internal/thesis"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/spf13/cobra"
)

func (a *app) tablesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tables",
		Short: "Repeat the published tables of ORFFVAR: published, reproduced, ours",
		Long: `tables repeats Tables 8.1, 8.2 and 8.3 of Brault 2017. Their score is the SCV-MSE:
every target is forecast by a model that has seen only samples before it. A row has the
published scores, those of the same models refitted to each window (VAR(1), ORFFVAR over
seeds, OKVAR), and those of --models, which learn online in one pass; the last of these
is compared with the target score. A second table has the spreads and the times of one
fit. Corrections of printed figures and settings are listed below.

Table 6.5 has tasks learnt separately and together, 6.4 the curl-free kernel, on synthetic
data and repeated --repeats times (80 repeats of 6.5, as published, take a quarter of an
hour; 10 take two minutes). 6.7 and 6.8 (with 6.9) compare random features with exact
kernels, 9.1 the continuous quantile function with joint quantile regression.

The ablation compares members of auto on simulated nonlinear systems. With --table
ablation, a second table has the worth of each part of auto: the error without the
part, on thirteen kinds of simulated series.

Only Macrodata is bundled. --data DIR has the other data sets: paper/table8_1_*.csv,
paper/table8_2_exp_white.csv, gesture_a1.csv, gesture_b1.csv, us_climate18_wide.csv and
santafe_b1.csv. Rows without their file are left out and listed.`,
		Example: `  forecaster tables
  forecaster tables --data ../data --table 8.1 --seeds 3
  forecaster tables --table 6.5 --repeats 80
  forecaster tables --data ../data --output json`,
		Args: cobra.NoArgs,
	}
	data := cmd.Flags().String("data", "", "folder with the data sets")
	only := cmd.Flags().String("table", "", "6.4, 6.5, 6.7, 6.8, 8.1, 8.2, 8.3, 9.1 or ablation (default: all)")
	name := cmd.Flags().String("name", "", "print only rows whose name contains this text")
	seeds := cmd.Flags().Int("seeds", 10, "number of seeds over which models with random frequencies are averaged")
	repeats := cmd.Flags().Int("repeats", 10, "number of repeats for the experiments of chapter 6, at least 2")
	most := cmd.Flags().Int("most", 3200, "largest number of samples (per task) in Table 6.5 and Figure 6.8; rows with more are left out")
	models := cmd.Flags().StringSlice("models", []string{"orffvar", "auto"}, "online models to compare with the published ones")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *seeds < 1 {
			return &usageError{errors.New("--seeds: must be >= 1")}
		}
		if *repeats < 2 {
			return &usageError{errors.New("--repeats: must be >= 2")}
		}
		if *most < 50 {
			return &usageError{errors.New("--most: must be >= 50, the first row of Table 6.5")}
		}
		if !slices.Contains([]string{"", "6.4", "6.5", "6.7", "6.8", "8.1", "8.2", "8.3", "9.1", "ablation"}, *only) {
			return &usageError{fmt.Errorf("--table: must be 6.4, 6.5, 6.7, 6.8, 8.1, 8.2, 8.3, 9.1 or ablation, got %q", *only)}
		}
		if info, err := os.Stat(*data); *data != "" && (err != nil || !info.IsDir()) {
			return fmt.Errorf("--data: there is no folder %q", *data)
		}
		options := thesis.TableOptions{Features: thesis.TableFeatures, Check: cmd.Context().Err, Now: time.Now}
		for s := range *seeds {
			options.Seeds = append(options.Seeds, uint64(s+1))
		}
		for _, m := range *models {
			c := config.Default().Model
			c.Type, c.Levels = m, nil
			if err := wire.CheckModel(c, 0); err != nil {
				return &usageError{fmt.Errorf("--models: %w", err)}
			}
			options.Models = append(options.Models, thesis.SeededModel{
				Name: m,
				New: func(dim int, seed uint64) (eval.Model, error) {
					c := c
					c.Seed = seed
					return wire.NewModel(c, dim, false)
				},
			})
		}
		var rows []*thesis.TableRow
		var missing []string
		for _, e := range thesis.Experiments() {
			if *only != "" && e.Table != *only || !strings.Contains(strings.ToLower(e.Name), strings.ToLower(*name)) {
				continue
			}
			file, err := thesis.OpenTableData(cmd.Context(), *data, e.File)
			if errors.Is(err, fs.ErrNotExist) {
				if !slices.Contains(missing, e.File) {
					missing = append(missing, e.File)
				}
				continue
			}
			if err != nil {
				return err
			}
			a.stage("table %s, %s", e.Table, e.Name)
			options.Progress = func(done, total int) { a.status("table %s, %s: %d of %d", e.Table, e.Name, done, total) }
			row, err := e.Run(file, options)
			a.status("")
			if err != nil {
				return err
			}
			rows = append(rows, row)
		}
		chapter6, err := a.runChapter6(cmd.Context(), *only, *name, *repeats, *most)
		if err != nil {
			return err
		}
		if len(rows) == 0 && chapter6.Empty() {
			if len(missing) == 0 {
				return &usageError{fmt.Errorf("--name: no row has a name with %q; without --name, all rows are printed", *name)}
			}
			return fmt.Errorf("no data for any of these rows: name the folder of %s with --data DIR", strings.Join(missing, ", "))
		}
		if a.output == "json" {
			out := thesis.TablesJSON(rows)
			chapter6.AddTo(out)
			return writeJSON(a.stdout, out)
		}
		if len(rows) > 0 {
			for _, t := range []report.Table{thesis.ScoreTable(rows, *models), thesis.OKVARTable(rows), thesis.TimeTable(rows)} {
				t.Print(a.stdout, a.wide)
			}
		}
		for _, t := range chapter6.Tables() {
			t.Print(a.stdout, a.wide)
		}
		if len(missing) > 0 {
			fmt.Fprintf(a.stdout, "Left out, because --data has no %s\n", strings.Join(missing, ", "))
		}
		return nil
	}
	return cmd
}
