package main

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/interrupt"
	"github.com/orffvar/forecaster/internal/job"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/internal/spelling"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream/file"
)

// app holds the state that all commands share: the standard streams and the settings of the user.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	args, environ  []string
	started        bool          // the arguments are valid, so later errors are not usage errors
	level          slog.LevelVar // level of the log

	files  []string // --config
	sets   []string // --set
	output string   // --output
	wide   bool     // --wide

	defaults []setting // flags whose values count below all other sources
}

// outputsAnnotation is the key of an annotation with the values that a command accepts for --output. Without it
// they are table and json.
const outputsAnnotation = "outputs"

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "forecaster",
		Short: "Online forecasts of multivariate time series, from Kafka to InfluxDB",
		Long: `forecaster learns multivariate time series as they arrive and forecasts them:
samples come from Kafka, a file or a pipe; an online nonlinear vector autoregression
(ORFFVAR) predicts every sample before it learns from it; forecasts, intervals and
scores go to InfluxDB, Kafka or a file.

Start with   forecaster demo
or           forecaster replay FILE.csv

Exit codes: 0 done; 1 failed; 2 wrong command line or configuration`,
		Version:       wire.ReadInfo().String(),
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			a.started = true
			if cmd.Name() != runName {
				interrupt.HangupsEnd() // this command has no configuration to reload
			}
			outputs := strings.Split(cmp.Or(cmd.Annotations[outputsAnnotation], "table,json"), ",")
			if !slices.Contains(outputs, a.output) {
				return &usageError{fmt.Errorf("--output: %s", spelling.NotOneOf(a.output, outputs))}
			}
			return nil
		},
	}
	root.PersistentFlags().StringVar(&a.output, "output", "table", "format of the results: table or json; of forecast also csv")
	root.PersistentFlags().BoolVar(&a.wide, "wide", false, "print all columns of tables and all lines of scores, even beyond the width of the terminal (or COLUMNS)")
	root.CompletionOptions.HiddenDefaultCmd = false
	root.AddCommand(
		a.demoCommand(),
		a.runCommand(),
		a.replayCommand(),
		a.produceCommand(),
		a.mergeCommand(),
		a.describeCommand(), a.evaluateCommand(),
		a.forecastCommand(),
		a.influenceCommand(),
		a.anomaliesCommand(),
		a.kernelCommand(),
		a.tablesCommand(),
		a.createCommand(),
		a.lintCommand(),
		a.healthCommand(),
		a.checkpointCommand(),
		a.versionCommand(),
	)
	return root
}

// configFlags adds the flags that select and change the configuration.
func (a *app) configFlags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVarP(&a.files, "config", "c", nil, "configuration file; may be repeated, later files win")
	cmd.Flags().StringArrayVar(&a.sets, "set", nil, "one setting, such as model.order=4; may be repeated")
}

// setting pairs a flag with the configuration key that the flag sets.
type setting struct {
	flag, path string
}

// modelSettings are the flags of modelFlags.
var modelSettings = []setting{
	{"model", "model.type"},
	{"order", "model.order"},
	{"horizon", "model.horizon"},
	{"season", "model.season"},
	{"seed", "model.seed"},
	{"sort", "input.file.sort"},
	{"strict", "input.file.strict"},
	{"last", "input.file.last"},
	{"since", "input.file.since"},
	{"time-zone", "input.time_zone"},
}

// fileFlags adds the flags for the input file.
func fileFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Bool("sort", false, "sort the lines of the file by time")
	f.Bool("strict", false, "refuse a file for which a line assumed: would be printed, such as of a separator, a decimal comma or -999")
	f.String("time-zone", "UTC", "time zone for times without one, such as Europe/Rome")
	f.Float64(maxRefusedFlag, .01, "share of the records that may be refused; above it the exit code is 1")
}

const maxRefusedFlag = "max-refused"

// checkRefused returns an error if more records were refused than --max-refused allows.
func checkRefused(cmd *cobra.Command, r *wire.Refusals, records int64) error {
	most, _ := cmd.Flags().GetFloat64(maxRefusedFlag)
	return r.Check(records, most)
}

// assumed prints the format that was detected in the first lines of a file: a warning for each choice that --strict
// rejects, a note for the others. Without a warning the file is an ordinary one, whose notes are printed only with all.
func (a *app) assumed(src *file.Source, all bool) {
	assumed, noted := wire.Assumed(src)
	if assumed != "" {
		fmt.Fprintln(a.stderr, "assumed:", assumed)
	}
	if noted != "" && (all || assumed != "") {
		fmt.Fprintln(a.stderr, "noted:", noted)
	}
}

// modelFlags adds the flags for the model and for the input file.
func modelFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.String("model", "auto", strings.Join(wire.ModelNames(), ", ")+"; N = number of lags")
	f.Int("order", 3, "number of lags that the model reads")
	f.Int("horizon", 1, "number of steps to forecast")
	f.Int("season", 0, "steps per season, for seasonal and auto (default: auto looks for one)")
	f.Uint64("seed", 1, "seed for the random frequencies")
	fileFlags(cmd)
	cmd.Flags().Int("last", 0, "read the last N lines of the file alone (default: all)")
	cmd.Flags().String("since", "", "leave out rows before this time, such as 2026-01-31")
}

// load reads the configuration. Order of precedence: forced, then settings, then --set.
func (a *app) load(cmd *cobra.Command, settings []setting, forced ...config.Setting) (*config.Config, error) {
	if most, err := cmd.Flags().GetFloat64(maxRefusedFlag); err == nil && !(most >= 0 && most <= 1) {
		return nil, &usageError{fmt.Errorf("--%s: must be a share in [0, 1], got %g; 1 allows every record to be refused", maxRefusedFlag, most)}
	}
	src := config.Sources{Files: a.files, Environ: a.environ}
	for _, s := range a.defaults {
		src.Defaults = append(src.Defaults, config.Setting{Path: s.path, Value: cmd.Flags().Lookup(s.flag).Value.String(), From: "--" + s.flag})
	}
	for _, s := range a.sets {
		path, value, ok := strings.Cut(s, "=")
		if !ok {
			key := s[:len(s)-len(strings.TrimLeft(s, "abcdefghijklmnopqrstuvwxyz_."))] // the rest may be secret
			if key != s {
				key += "..."
			}
			return nil, &usageError{fmt.Errorf("--set %s: must have the form KEY=VALUE, such as model.horizon=12", key)}
		}
		src.Set = append(src.Set, config.Setting{Path: path, Value: value, From: "--set"})
	}
	for _, s := range settings {
		if f := cmd.Flags().Lookup(s.flag); f != nil && f.Changed {
			src.Set = append(src.Set, config.Setting{Path: s.path, Value: f.Value.String(), From: "--" + s.flag})
		}
	}
	src.Set = append(src.Set, forced...)
	cfg, err := wire.Load(src)
	if err != nil {
		return cfg, &usageError{err}
	}
	if known, _ := cmd.Flags().GetBool(knownFlag); known && len(cfg.Model.Exogenous) == 0 {
		return cfg, &usageError{fmt.Errorf("--%s: reads exogenous inputs ahead, and none is named: add --set model.exogenous=NAME", knownFlag)}
	}
	return cfg, nil
}

// logger returns the log of the process.
func (a *app) logger(c config.Log) *slog.Logger {
	job.SetLevel(&a.level, c)
	options := &slog.HandlerOptions{Level: &a.level}
	if c.Format == "text" || c.Format == "auto" && report.IsTerminal(a.stderr) {
		return slog.New(slog.NewTextHandler(a.stderr, options))
	}
	return slog.New(slog.NewJSONHandler(a.stderr, options))
}

// notices returns the log of a command that reads a file. Its reader has just typed the command, so lines need no
// time.
func (a *app) notices(c config.Log) *slog.Logger {
	if c.Format != "auto" {
		return a.logger(c)
	}
	job.SetLevel(&a.level, c)
	return job.NewPlainLog(a.stderr, &a.level)
}
