package main

import (
	"fmt"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/study"
	"github.com/orffvar/forecaster/orff/accuracy"
	"github.com/spf13/cobra"
)

func (a *app) kernelCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "kernel",
		Short: "Plan, check, compare and fit kernels",
		Args:  cobra.NoArgs,
	}
	cmd.AddCommand(a.kernelPlanCommand(), a.kernelCheckCommand(), a.kernelCompareCommand(), a.kernelFitCommand())
	return cmd
}

func (a *app) kernelPlanCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Print the number of draws that the kernel of model.kernel needs",
		Long: `plan prints, for each goal, a sufficient number of draws, its memory, and the bound
behind it:

  entrywise      every kernel value between the points has an error of at most epsilon,
                 with probability 1 - delta
  uniform        the same everywhere on a set of the given diameter
  spectral       the expected error of the Gram matrix is at most epsilon times its norm
  spectral tail  the same with probability 1 - delta
  statistical    kernel ridge regression keeps its learning rate, with the ridge lambda
                 of the last column

A column has the probability of a larger error with model.frequencies draws. The bounds
hold for all data; the error is usually far smaller: see forecaster kernel check.`,
		Example: `  forecaster kernel plan --dim 5 --points 1000 --epsilon 0.1
  forecaster kernel plan --dim 5 --set model.kernel.operator.name=curl_free --set model.order=1`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.kernelPlan(cmd) },
	}
	a.configFlags(cmd)
	f := cmd.Flags()
	f.Int("dim", 5, "variables of a sample")
	f.Float64("epsilon", .1, "largest error of a kernel value; of the Gram matrix as a share of its norm for spectral")
	f.Float64("delta", .05, "probability of a larger error")
	f.Int("points", 1000, "number of samples")
	f.Float64("diameter", 10, "diameter of the set of inputs, in bandwidths")
	f.Float64("radius", 1, "largest norm of the inputs of polynomial, exponential and semigroup kernels, in bandwidths")
	f.Float64("intrinsic-dimension", 20, "trace of the Gram matrix divided by its norm")
	return cmd
}

func (a *app) kernelPlan(cmd *cobra.Command) error {
	f := cmd.Flags()
	dim, _ := f.GetInt("dim")
	p := accuracy.Problem{}
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
	if dim < 1 || !(p.Epsilon > 0) {
		return &usageError{fmt.Errorf("--dim: must be >= 1 and --epsilon > 0, got %d and %g", dim, p.Epsilon)}
	}
	m, err := study.PlainKernel(cfg.Model, dim, 1)
	if err != nil {
		return &usageError{err}
	}
	p.Draws = cfg.Model.Frequencies
	plans := study.Plans(m, p)
	if a.output == "json" {
		return writeJSON(a.stdout, plans)
	}
	study.PlanTable(plans, p).Print(a.stdout, a.wide)
	return nil
}

func (a *app) kernelCheckCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check [FILE]",
		Short: "Measure the error of model.frequencies draws",
		Long: `check compares the features with the exact kernel on at most 500 scaled lags of a
file, or on normal inputs for --dim variables. Most kernel values lie in [-1, 1].
--epsilon is the error that you accept. Printed are:

  - the largest and the root mean square error of the kernel values, and the latter as
    predicted by the exact variance,
  - the error of the Gram matrix, divided by the norm of the exact one,
  - the number of draws for a root mean square error of epsilon. The error falls with
    the root of the number of draws, except for products of maps (times, schur).`,
		Example: `  forecaster kernel check data.csv
  forecaster kernel check --dim 8 --set model.kernel.sampling=orthogonal --set model.frequencies=200`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.kernelCheck(cmd, args) },
	}
	a.configFlags(cmd)
	cmd.Flags().Int("dim", 5, "number of variables, without a file")
	cmd.Flags().Float64("epsilon", .1, "error of a kernel value that you accept")
	return cmd
}

func (a *app) kernelCheck(cmd *cobra.Command, args []string) error {
	dim, _ := cmd.Flags().GetInt("dim")
	epsilon, _ := cmd.Flags().GetFloat64("epsilon")
	if !(epsilon > 0) {
		return &usageError{fmt.Errorf("--epsilon: must be > 0, got %g", epsilon)}
	}
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
	rows := study.Noise(dim, 500+cfg.Model.Order, cfg.Model.Seed)
	if len(args) > 0 {
		samples, err := a.readSamples(cmd, cfg, 1)
		if err != nil {
			return err
		}
		rows = samples.Series[0].Rows
	}
	m, err := study.PlainKernel(cfg.Model, len(rows[0]), cfg.Model.Frequencies)
	if err != nil {
		return &usageError{err}
	}
	c, err := study.NewCheck(m, cfg.Model, rows, epsilon)
	if err != nil {
		return err
	}
	if a.output == "json" {
		return writeJSON(a.stdout, c)
	}
	c.Table(epsilon).Print(a.stdout, a.wide)
	return nil
}

func (a *app) kernelFitCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fit FILE",
		Short: "Fit the kernel of model.kernel to a whole file, in several ways",
		Long: `fit learns the increments of the first three quarters of a file from the lags, and tests
on the last quarter. Methods:

  - the closed form of ridge regression (conjugate gradients for kernels that are not
    decomposable, and several model.optimiser.blocks),
  - the same with a matrix Gamma between the variables, learnt in turn with the weights,
  - Algorithm 4 of Brault 2017 with --iterations random mini-batches and the steps of
    model.optimiser.step.

--class learns the next value of a variable as a class, such as the state of a machine.
model.optimiser.manifold adds Algorithm 6, which also learns from rows that miss values.

--output-map learns hidden functions h whose known mixtures V h are the increments, such
as flows between stores. FILE has a first row with the names of the functions, then one
row per variable that begins with its name. --output json has the values of h.

--error-covariance weights the errors by the inverse of their covariance (a Mahalanobis
product), of a file of the same form or of the "residuals" of the first line.

model.kernel.lambda is the ridge; 0 takes the best of a grid on the last fifth of the
training pairs. To forecast, use model.type: kernelvar.`,
		Example: `  forecaster kernel fit data.csv
  forecaster kernel fit data.csv --iterations 10000 --set model.optimiser.step=plain --set model.optimiser.blocks=5
  forecaster kernel fit data.csv --set model.order=1 --set model.kernel.operator.name=curl_free
  forecaster kernel fit data.csv --class state
  forecaster kernel fit data.csv --output-map flows.csv
  forecaster kernel fit data.csv --error-covariance residuals`,
		Args: cobra.ExactArgs(1),
	}
	a.configFlags(cmd)
	var o study.FitOptions
	f := cmd.Flags()
	f.IntVar(&o.Iterations, "iterations", 1000, "number of iterations of Algorithm 4")
	f.StringVar(&o.Class, "class", "", "variable whose next value is learnt as a class")
	f.StringVar(&o.OutputMap, "output-map", "", "`FILE` (CSV) of the matrix V, a row per variable, a column per hidden function")
	f.StringVar(&o.ErrorCovariance, "error-covariance", "", "`FILE` (CSV) of the covariance of the errors, a row and a column per variable, or residuals")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if o.Iterations < 1 {
			return &usageError{fmt.Errorf("--iterations: must be >= 1, got %d", o.Iterations)}
		}
		cfg, err := a.load(cmd, nil, onlyFile("fit", args[0])...)
		if err != nil {
			return err
		}
		samples, err := a.readSamples(cmd, cfg, 1)
		if err != nil {
			return err
		}
		fits, err := study.FitFile(cfg.Model, &samples.Series[0], o, cmd.Context().Err)
		if err != nil {
			return err
		}
		if a.output == "json" {
			return writeJSON(a.stdout, fits)
		}
		fits.Table().Print(a.stdout, a.wide)
		return nil
	}
	return cmd
}
