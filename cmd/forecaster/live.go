package main

import (
	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/job"
)

func (a *app) runCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Forecast live: Kafka, a file or a pipe in, InfluxDB or a file out",
		Long: `run reads the configured input until it ends or the process is told to stop
(SIGTERM, Ctrl-C): then it writes what it has read, takes a checkpoint and ends
within ten seconds. The next start continues from the checkpoint: nothing is
lost and nothing is there twice.

The configuration files are read again when their content changes, and on SIGHUP.
Intervals, credentials of InfluxDB, the token of the endpoint and the level of the
log change at once; the message names what needs a restart. A file with a mistake
changes nothing.`,
		Example: `  forecaster run -c configs/forecaster.yaml
  forecaster run -c base.yaml -c production.yaml --set model.horizon=12
  FORECASTER_LOG_LEVEL=debug forecaster run -c configs/forecaster.yaml --dry-run`,
		Args: cobra.NoArgs,
	}
	a.configFlags(cmd)
	dryRun := cmd.Flags().Bool("dry-run", false, "print the whole configuration, secrets redacted, and end")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		load := func() (*config.Config, error) {
			cfg, err := a.load(cmd, nil)
			if err == nil {
				err = cfg.Runnable()
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
		stop := job.NewReloader(a.files, load, l).Watch(cmd.Context())
		defer stop()
		return l.Run(cmd.Context())
	}
	return cmd
}
