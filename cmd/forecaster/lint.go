package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/wire"
)

func (a *app) lintCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lint",
		Short: "Check the configuration, and list every error with its line",
		Example: `  forecaster lint -c configs/forecaster.yaml
  forecaster lint -c configs/forecaster.yaml --connect`,
		Args: cobra.NoArgs,
	}
	a.configFlags(cmd)
	connect := cmd.Flags().Bool("connect", false, "also try files, Kafka and InfluxDB, with topics, token and bucket")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := a.load(cmd, nil)
		var errs config.Errors
		if err != nil && !errors.As(err, &errs) {
			return err
		}
		if err := cfg.Runnable(); err != nil && !errs.Unread() {
			errs = append(errs, err)
		}
		if len(errs) == 0 {
			for _, err := range []error{wire.TryModel(cfg), wire.CheckPaths(cfg), wire.CheckWriters(cfg)} {
				if err != nil {
					errs = append(errs, err)
				}
			}
		}
		found := wire.IdleSettings(cfg)
		wrong := len(errs) > 0
		if !wrong && *connect {
			tried, failed := wire.Try(cmd.Context(), cfg)
			found, errs = append(found, tried...), failed
		}
		if a.output == "json" {
			messages := []string{}
			for _, err := range errs {
				messages = append(messages, err.Error())
			}
			if err := writeJSON(a.stdout, map[string]any{"ok": len(errs) == 0, "errors": messages, "found": found}); err != nil {
				return err
			}
		} else {
			for _, f := range found {
				fmt.Fprintln(a.stdout, f)
			}
			for _, err := range errs {
				fmt.Fprintln(a.stdout, err)
			}
			if len(errs) == 0 {
				fmt.Fprintln(a.stdout, "ok")
			}
		}
		switch {
		case wrong:
			return &usageError{errReported}
		case len(errs) > 0:
			return errReported
		}
		return nil
	}
	return cmd
}
