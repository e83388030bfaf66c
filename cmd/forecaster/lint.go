package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/internal/build"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream/kafka"
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
	connect := cmd.Flags().Bool("connect", false, "also try to reach Kafka and InfluxDB: topics, token, bucket")
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
			for _, err := range []error{tryModel(cfg), build.CheckPaths(cfg)} {
				if err != nil {
					errs = append(errs, err)
				}
			}
		}
		var found []string
		if len(errs) == 0 && *connect {
			found, errs = tryServers(cmd.Context(), cfg)
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
	if !ok || !build.IsKernelModel(cfg.Model.Type) {
		return nil
	}
	_, err := build.NewModel(cfg.Model, dim, false)
	if err == nil || strings.HasPrefix(err.Error(), "model.") {
		return err
	}
	return fmt.Errorf("model: %w", err)
}

// tryInput looks for the input file.
func tryInput(cfg *config.Config) error {
	f := cfg.Input.File
	if f == nil {
		return nil
	}
	if _, err := os.Stat(f.Path); err != nil {
		return fmt.Errorf("input.file.path: %w; the path is relative to the directory that forecaster is started in", err)
	}
	return nil
}

// tryServers returns what it found of the servers that cfg names, and what is wrong
// with them.
func tryServers(ctx context.Context, cfg *config.Config) (found []string, errs config.Errors) {
	try := func(name string, f func(context.Context) (string, error)) {
		ctx, cancel := context.WithTimeout(ctx, connectTimeout)
		defer cancel()
		text, err := f(ctx)
		if err != nil {
			if timeout := (interface{ Timeout() bool })(nil); errors.As(err, &timeout) && timeout.Timeout() {
				err = fmt.Errorf("%w; is the address right, and with or without TLS?", err)
			}
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
			return
		}
		found = append(found, name+": "+text)
	}
	if err := tryInput(cfg); err != nil {
		errs = append(errs, err)
	}
	if k := cfg.Input.Kafka; k != nil {
		try("input.kafka", func(ctx context.Context) (string, error) {
			c, err := build.KafkaConnection(k)
			if err != nil {
				return "", err
			}
			return tryTopics(ctx, c, k.Topics)
		})
	}
	if k := cfg.Output.Kafka; k != nil {
		try("output.kafka", func(ctx context.Context) (string, error) {
			c, err := build.OutputConnection(cfg)
			if err != nil {
				return "", err
			}
			return tryTopics(ctx, c, []string{k.Topic})
		})
	}
	if i := cfg.Output.InfluxDB; i != nil {
		try("output.influxdb", func(ctx context.Context) (string, error) { return tryInfluxDB(ctx, i) })
	}
	return found, errs
}

// tryTopics reaches the brokers and looks for the topics.
func tryTopics(ctx context.Context, c kafka.Connection, topics []string) (string, error) {
	if err := c.Ping(ctx); err != nil {
		return "", err
	}
	counts, err := c.Partitions(ctx, topics)
	if err != nil {
		return "", fmt.Errorf("the brokers answer, but %w", err)
	}
	var parts []string
	for _, t := range topics {
		s := "s"
		if counts[t] == 1 {
			s = ""
		}
		parts = append(parts, fmt.Sprintf("topic %s has %d partition%s", t, counts[t], s))
	}
	return strings.Join(parts, ", "), nil
}

// tryInfluxDB asks the server whether it accepts writes to the bucket.
func tryInfluxDB(ctx context.Context, i *config.InfluxDB) (string, error) {
	s, err := build.NewInfluxDB(i, nil, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		return "", err
	}
	defer s.Close()
	if err := s.Check(ctx); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s accepts writes to %s", i.URL, i.Bucket), nil
}
