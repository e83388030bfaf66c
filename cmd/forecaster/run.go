package main

import (
	"cmp"
	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/interrupt"
	"github.com/orffvar/forecaster/internal/job"
	"github.com/orffvar/forecaster/internal/wire"
)

const runName = "run"

func (a *app) runCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   runName,
		Short: "Forecast live: Kafka, a file or a pipe in, InfluxDB or a file out",
		Long: `run forecasts the configured input until it ends or the process receives SIGTERM or
Ctrl-C. It then writes the results, takes a checkpoint and ends within ten seconds. The
next start continues: no result is lost, and none is written twice.

Configuration files are read again when their content changes, and on SIGHUP. Intervals,
credentials of InfluxDB, the token of the endpoint and the level of the log change at
once; the log names the keys that need a restart. An invalid file changes nothing.`,
		Example: `  forecaster run -c configs/forecaster.yaml
  forecaster run -c base.yaml -c production.yaml --set model.horizon=12
  FORECASTER_LOG_LEVEL=debug forecaster run -c configs/forecaster.yaml --dry-run`,
		Args: cobra.NoArgs,
	}
	a.configFlags(cmd)
	dryRun := cmd.Flags().Bool("dry-run", false, "print the complete configuration without secrets, and exit")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		load := func() (*config.Config, error) {
			cfg, err := a.load(cmd, nil)
			if err == nil {
				err = cmp.Or(cfg.Runnable(), wire.CheckWriters(cfg))
			}
			return cfg, err
		}
		cfg, err := load()
		if err != nil {
			return &usageError{err}
		}
		if *dryRun {
			text, err := cfg.YAML()
			if err != nil {
				return err
			}
			_, err = a.stdout.Write(text)
			return err
		}
		l := job.NewLive(cfg, a.logger(cfg.Log), "")
		l.Level = &a.level
		l.ResetCommand = job.ResetCommand(a.files, a.sets)
		stop := job.NewReloader(a.files, load, l).Watch(cmd.Context(), interrupt.Hangups())
		defer stop()
		return l.Run(cmd.Context())
	}
	return cmd
}
