package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/internal/job"
)

func (a *app) healthCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "health",
		Short: "Ask the job with this configuration on this machine whether it works",
		Long: `health asks the HTTP endpoint (server.listen) of a running job, as a check of its
container. The exit code is 0 when the process answers, or, with --ready, when it works
on data.`,
		Example: "  forecaster health -c forecaster.yaml --ready",
		Args:    cobra.NoArgs,
	}
	a.configFlags(cmd)
	ready := cmd.Flags().Bool("ready", false, "also that it works: /readyz in the place of /healthz")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := a.load(cmd, nil)
		if err != nil {
			return err
		}
		if !cfg.Server.Enabled {
			return &usageError{errors.New("server.enabled: the job has no HTTP endpoint to ask")}
		}
		path := "/healthz"
		if *ready {
			path = "/readyz"
		}
		answer, err := job.AskHealth(cmd.Context(), cfg.Server, path)
		if err == nil {
			_, err = a.stdout.Write(answer)
		}
		return err
	}
	return cmd
}
