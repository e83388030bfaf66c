package main

import (
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/build"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/internal/study"
	"github.com/orffvar/forecaster/orff"
)

func (a *app) kernelCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "kernel",
		Short: "Plan, check and compare kernels",
		Args:  cobra.NoArgs,
	}
	cmd.AddCommand(a.kernelPlanCommand(), a.kernelCheckCommand(), a.kernelCompareCommand())
	return cmd
}

func (a *app) kernelPlanCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Print the number of draws that the kernel of model.kernel needs",
		Long: `plan prints, for each goal, a sufficient number of draws, its memory, and the bound
that it follows from:

  entrywise    every kernel value between the points has an error of at most epsilon
  uniform      the same everywhere on a set of the given diameter
  spectral     the Gram matrix has an error of at most epsilon times its norm
  statistical  kernel ridge regression on the points keeps its learning rate

The bounds hold for all data. The error is usually far smaller: measure it with
forecaster kernel check.`,
		Example: `  forecaster kernel plan --dim 5 --points 1000 --epsilon 0.1
  forecaster kernel plan --dim 5 --set model.kernel.operator.name=curl_free --set model.order=1`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.kernelPlan(cmd) },
	}
	a.configFlags(cmd)
	f := cmd.Flags()
	f.Int("dim", 5, "variables of a sample")
	f.Float64("epsilon", .1, "largest error")
	f.Float64("delta", .05, "probability of a larger error")
	f.Int("points", 1000, "number of samples")
	f.Float64("diameter", 10, "diameter of the set of inputs, in bandwidths")
	f.Float64("radius", 1, "largest norm of the inputs of polynomial and exponential kernels, in bandwidths")
	f.Float64("intrinsic-dimension", 20, "trace of the Gram matrix divided by its norm")
	return cmd
}

func (a *app) kernelPlan(cmd *cobra.Command) error {
	f := cmd.Flags()
	dim, _ := f.GetInt("dim")
	p := orff.Problem{}
	p.Epsilon, _ = f.GetFloat64("epsilon")
	p.Delta, _ = f.GetFloat64("delta")
	p.Points, _ = f.GetInt("points")
	p.Diameter, _ = f.GetFloat64("diameter")
	p.Radius, _ = f.GetFloat64("radius")
	p.IntrinsicDimension, _ = f.GetFloat64("intrinsic-dimension")
	cfg, err := a.load(cmd, nil)
	if err != nil {
		return err
	}
	if dim < 1 {
		return &usageError{fmt.Errorf("--dim: must be >= 1, got %d", dim)}
	}
	m, err := study.PlainKernel(cfg.Model, dim, 1)
	if err != nil {
		return &usageError{err}
	}
	var plans []study.Plan
	for _, goal := range []orff.Goal{orff.Entrywise, orff.Uniform, orff.Spectral, orff.Statistical} {
		line := study.Plan{Goal: goal.String()}
		if r, err := orff.Recommend(m, goal, p); err != nil {
			line.Reason = err.Error()
		} else {
			line.Draws, line.Bytes, line.Bound = r.Draws, r.Bytes, r.Formula
		}
		plans = append(plans, line)
	}
	if a.output == "json" {
		return writeJSON(a.stdout, plans)
	}
	t := newTable(1, "goal", "draws", "memory")
	for _, line := range plans {
		if line.Reason != "" {
			t.AppendRow([]any{line.Goal, "-", "-"})
			continue
		}
		t.AppendRow([]any{line.Goal, report.Thousands(int64(line.Draws)), report.Thousands(line.Bytes) + " B"})
	}
	fmt.Fprintln(a.stdout, t.Render())
	for _, line := range plans {
		fmt.Fprintf(a.stdout, "%s: %s%s\n", line.Goal, line.Bound, line.Reason)
	}
	return nil
}

func (a *app) kernelCheckCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check [FILE]",
		Short: "Measure the error of model.frequencies draws",
		Long: `check compares the features with the exact kernel on the scaled lags of a file, at
most 500 of them, or without a file on normal inputs for --dim variables. It prints

  - the largest and the root mean square error of the kernel values, and the latter as
    predicted by the exact variance,
  - the error of the Gram matrix,
  - the number of draws for a root mean square error of epsilon. The error falls with
    the root of the number of draws, except for products of maps (times, schur).

Take that number of draws where kernel plan knows no bound.`,
		Example: `  forecaster kernel check data.csv
  forecaster kernel check --dim 8 --set model.kernel.sampling=orthogonal --set model.frequencies=200`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.kernelCheck(cmd, args) },
	}
	a.configFlags(cmd)
	cmd.Flags().Int("dim", 5, "number of variables, without a file")
	cmd.Flags().Float64("epsilon", .1, "error that the draws should reach")
	return cmd
}

func (a *app) kernelCheck(cmd *cobra.Command, args []string) error {
	dim, _ := cmd.Flags().GetInt("dim")
	epsilon, _ := cmd.Flags().GetFloat64("epsilon")
	var forced []config.Setting
	if len(args) > 0 {
		forced = onlyFile("check", args[0])
	}
	cfg, err := a.load(cmd, nil, forced...)
	if err != nil {
		return err
	}
	if dim < 1 {
		return &usageError{fmt.Errorf("--dim: must be >= 1, got %d", dim)}
	}
	k := cfg.Model.Kernel
	ranged := build.IsRanged(k)
	var rows [][]float64
	if len(args) > 0 {
		samples, err := a.readSamples(cmd, cfg, 1)
		if err != nil {
			return err
		}
		rows = samples.Series[0].Rows
		dim = len(rows[0])
	} else {
		g := eval.NewWhiteNoise(dim, cfg.Model.Seed)
		rows = eval.Collect("noise", g, 500+cfg.Model.Order).Series[0].Rows
	}
	x := study.ScaledLags(rows, cfg.Model.Order, cfg.Model.Bandwidth, ranged, cfg.Model.Seed)
	if len(x) == 0 {
		return fmt.Errorf("too few complete rows for model.order: %d", cfg.Model.Order)
	}
	m, err := study.PlainKernel(cfg.Model, dim, cfg.Model.Frequencies)
	if err != nil {
		return &usageError{err}
	}
	r, err := orff.Measure(m, x, epsilon)
	if err != nil {
		return err
	}
	c := study.Check{
		Points: r.Points, Draws: cfg.Model.Frequencies, Max: report.Number(r.Max), RMS: report.Number(r.RMS), Expected: report.Number(r.Expected),
		MaxOverEpsilon: report.Number(r.Ratio), RelativeFrobenius: report.Number(r.RelativeFrobenius), RelativeOperator: report.Number(r.RelativeOperator),
		DrawsForEpsilon: report.Number(math.NaN()),
	}
	if k.Times.Name == "" && k.Operator.Name != "schur" {
		c.DrawsForEpsilon = report.Number(math.Ceil(float64(c.Draws) * r.RMS * r.RMS / (epsilon * epsilon)))
	}
	if a.output == "json" {
		return writeJSON(a.stdout, c)
	}
	t := newTable(1, "", "")
	t.AppendRow([]any{"points", c.Points})
	t.AppendRow([]any{"draws", c.Draws})
	t.AppendRow([]any{"largest error", c.Max.Fixed(4)})
	t.AppendRow([]any{"  in units of epsilon", c.MaxOverEpsilon.Fixed(2)})
	t.AppendRow([]any{"root mean square error", c.RMS.Fixed(4)})
	t.AppendRow([]any{"  predicted by the variance", c.Expected.Fixed(4)})
	t.AppendRow([]any{"Gram matrix, Frobenius", c.RelativeFrobenius.Fixed(4)})
	t.AppendRow([]any{"Gram matrix, operator norm", c.RelativeOperator.Fixed(4)})
	t.AppendRow([]any{fmt.Sprintf("draws for a root mean square error of %v", epsilon), c.DrawsForEpsilon.Fixed(0)})
	fmt.Fprintln(a.stdout, t.Render())
	return nil
}
