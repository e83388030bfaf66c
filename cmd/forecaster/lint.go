package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/internal/config"
)

// connectTimeout is how long lint --connect waits for a server.
const connectTimeout = 10 * time.Second

func (a *app) lintCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lint",
		Short: "Check the configuration: every error at once, with its line",
		Example: `  forecaster lint -c configs/forecaster.yaml
  forecaster lint -c configs/forecaster.yaml --connect`,
		Args: cobra.NoArgs,
	}
	a.configFlags(cmd)
	connect := cmd.Flags().Bool("connect", false, "also try to reach Kafka and InfluxDB")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := a.load(cmd, nil)
		var errs config.Errors
		if err != nil && !errors.As(err, &errs) {
			return err
		}
		if err := cfg.Runnable(); err != nil {
			errs = append(errs, err)
		}
		if len(errs) == 0 {
			if err := tryModel(cfg); err != nil {
				errs = append(errs, err)
			}
		}
		if len(errs) == 0 && *connect {
			errs = tryServers(cmd.Context(), cfg)
		}
		if a.output == "json" {
			messages := []string{}
			for _, err := range errs {
				messages = append(messages, err.Error())
			}
			if err := writeJSON(a.stdout, map[string]any{"ok": len(errs) == 0, "errors": messages}); err != nil {
				return err
			}
		} else {
			for _, err := range errs {
				fmt.Fprintln(a.stdout, err)
			}
			if len(errs) == 0 {
				fmt.Fprintln(a.stdout, "ok")
			}
		}
		if len(errs) > 0 {
			return errReported
		}
		return nil
	}
	return cmd
}

// tryModel makes the kernel model of cfg, if the number of variables is known: it
// knows the bounds that follow from several settings, such as the memory of a step.
func tryModel(cfg *config.Config) error {
	dim, ok := cfg.Dim()
	if !ok || !config.IsKernelModel(cfg.Model.Type) {
		return nil
	}
	_, err := newModel(cfg.Model, dim, false)
	if err == nil || strings.HasPrefix(err.Error(), "model.") {
		return err
	}
	return fmt.Errorf("model: %w", err)
}

// tryServers returns what is wrong with the servers that cfg names.
func tryServers(ctx context.Context, cfg *config.Config) config.Errors {
	var errs config.Errors
	try := func(name string, f func(context.Context) error) {
		ctx, cancel := context.WithTimeout(ctx, connectTimeout)
		defer cancel()
		if err := f(ctx); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	if k := cfg.Input.Kafka; k != nil {
		try("input.kafka", func(ctx context.Context) error { return pingKafka(ctx, k) })
	}
	if k := cfg.Output.Kafka; k != nil {
		try("output.kafka", func(ctx context.Context) error {
			c, err := outputConnection(cfg)
			if err != nil {
				return err
			}
			return c.Ping(ctx)
		})
	}
	if i := cfg.Output.InfluxDB; i != nil {
		try("output.influxdb", func(ctx context.Context) error { return pingInfluxDB(ctx, i) })
	}
	return errs
}
