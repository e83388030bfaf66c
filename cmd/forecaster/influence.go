package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/plural"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/internal/study"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/varmodel/interval"
	"github.com/spf13/cobra"
)

func (a *app) influenceCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "influence {FILE | --network[=ROWS]}",
		Short: "Find which variables influence which",
		Long: `influence averages the derivatives of the one-step forecasts of a file. The influence
of variable a on b is the change of the next value of b, in standard deviations, per
standard deviation of a, given the other variables; it does not prove a cause.

An edge is an influence with evidence: a improves the forecasts of b, compared with
copies of a that are shifted in time. The evidence is a t statistic; 2.86 and more, which
one in 200 pairs without influence has, is an edge.

Models with influences: ` + strings.Join(wire.InfluenceModels(), ", ") + `.

--network takes four synthetic networks of ten variables with known edges in place of a
file. AUROC is the probability that an edge has a larger influence than a pair without.`,
		Example: `  forecaster influence data.csv
  forecaster influence data.csv --model var2 --picture graph.svg
  forecaster influence data.csv --model kernelvar --set model.kernel.name=matern32 --output json
  forecaster influence --network --model kernelvar --order 1 --picture network.svg`,
		Args: cobra.MaximumNArgs(1),
		RunE: a.influence,
	}
	a.configFlags(cmd)
	modelFlags(cmd)
	cmd.Flags().Int("permutations", 2, "shifts of each variable for the evidence, 2 or more; 0 = no evidence, all influences")
	cmd.Flags().String("picture", "", "SVG file for the graph of the first series")
	cmd.Flags().Int("network", 0, "number of rows of synthetic networks, in place of FILE")
	cmd.Flags().Lookup("network").NoOptDefVal = "3000"
	return cmd
}

func (a *app) influence(cmd *cobra.Command, args []string) error {
	permutations, _ := cmd.Flags().GetInt("permutations")
	picture, _ := cmd.Flags().GetString("picture")
	rows, _ := cmd.Flags().GetInt("network")
	switch {
	case permutations < 0 || permutations == 1:
		return &usageError{fmt.Errorf("--permutations: must be 0 or at least 2, got %d", permutations)}
	case cmd.Flags().Changed("network") && len(args) == 1:
		return &usageError{errors.New("name a file, or give --network=ROWS, not both")}
	case len(args) == 0 && !cmd.Flags().Changed("network"):
		return &usageError{errors.New("name a file, or give --network")}
	case cmd.Flags().Changed("network") && rows < fewRows:
		return &usageError{fmt.Errorf("--network: must be >= %d rows, got %d", fewRows, rows)}
	}
	forced := []config.Setting{{Path: "model.influence", Value: "true", From: "influence"}} // refuses models without influences
	if len(args) == 1 {
		forced = append(forced, onlyFile("influence", args[0])...)
	}
	cfg, err := a.load(cmd, modelSettings, forced...)
	if err != nil {
		return err
	}
	if err := wire.CheckOutput("--picture", picture, cmd.Flags().Arg(0), ".svg"); err != nil {
		return err
	}
	c := cfg.Model
	c.Horizon, c.Influence = 1, false // NewInfluence adds them to a plain model
	var (
		samples *study.Samples
		truth   [][][]bool // per series
	)
	if len(args) == 1 {
		samples, err = a.readSamples(cmd, cfg, max(c.Order, breakRows))
	} else {
		samples, truth = study.Networks(rows, c.Seed)
	}
	if err != nil {
		return err
	}
	newModel := func(dim int) (eval.Model, error) {
		if err := cmd.Context().Err(); err != nil {
			return nil, err
		}
		return wire.NewPlainModel(c, dim)
	}
	m, err := newModel(samples.Dim())
	if err == nil {
		_, err = interval.NewInfluence(m, samples.Dim(), 0)
	}
	if err != nil {
		return &usageError{fmt.Errorf("%s: %w", c.Type, err)}
	}
	if !slices.ContainsFunc(samples.Series, func(s study.Series) bool { return len(s.Variables) > 1 }) {
		return fmt.Errorf("%s has one variable, %s, and an influence needs two; if a column names the variable of each row, add --set input.csv.variable_column=NAME",
			args[0], samples.Series[0].Variables[0])
	}
	results := []study.Influences{}
	for i := range samples.Series {
		s := &samples.Series[i]
		a.status("%d of %d: %s", i+1, len(samples.Series), s.Name)
		g, err := interval.InfluenceGraph(func() (eval.Model, error) { return newModel(len(s.Variables)) }, s.Rows, permutations)
		a.status("")
		if errors.Is(err, interval.ErrFewRows) {
			return fmt.Errorf("series %s: too few rows for influences, %d: the models learn for some dozens of rows without a break, and evidence takes some hundreds", s.Name, len(s.Rows))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		r := study.Describe(s.Name, s.Variables, g)
		if truth != nil {
			auroc := report.Number(g.AUROC(truth[i]))
			r.AUROC = &auroc
		}
		results = append(results, r)
	}
	if picture != "" {
		if err := os.WriteFile(picture, study.SvgGraph(&results[0]), 0o644); err != nil { // #nosec G306 -- a picture for all
			return err
		}
	}
	if a.output == "json" {
		if err := writeJSON(a.stdout, results); err != nil {
			return err
		}
		return a.printRefused(cmd, samples)
	}
	var mean float64
	for i, r := range results {
		printInfluences(a.stdout, &r)
		if n := len(samples.Series[i].Rows); n < fewRows && len(r.Edges) == 0 {
			a.say(fmt.Sprintf("%s: %d rows are few: an influence needs some hundreds to have evidence, and no edge here does not mean that there is none", r.Series, n))
		}
		if r.AUROC != nil {
			fmt.Fprintf(a.stdout, "AUROC %s\n", r.AUROC.Fixed(3))
			mean += float64(*r.AUROC) / float64(len(results))
		}
	}
	if truth != nil {
		fmt.Fprintf(a.stdout, "mean AUROC of %d networks: %.3f\n", len(results), mean)
	}
	return a.printRefused(cmd, samples)
}

// breakRows is the least number of consecutive missing rows that replaces a break. No model remembers samples from
// before so long a gap.
const breakRows = 32

// fewRows is the number of rows below which evidence is often missing: the least that --network takes.
const fewRows = 200

func printInfluences(w io.Writer, r *study.Influences) {
	if r.Evidence == nil {
		fmt.Fprintf(w, "%s: %s, without evidence\n", r.Series, plural.Count(len(r.Edges), "influence"))
	} else {
		fmt.Fprintf(w, "%s: %s of %s, with evidence above %s\n", r.Series, plural.Count(len(r.Edges), "edge"),
			plural.Count(len(r.Variables)*(len(r.Variables)-1), "pair"), r.Threshold.Fixed(2))
	}
	if len(r.Edges) == 0 {
		return
	}
	t := report.NewTable(2, "from", "to", "influence", "evidence")
	for _, e := range r.Edges {
		evidence := "-"
		if e.Evidence != nil {
			evidence = e.Evidence.Fixed(1)
		}
		t.AppendRow([]any{e.From, e.To, e.Influence.Fixed(4), evidence})
	}
	fmt.Fprintln(w, t.Render())
}
