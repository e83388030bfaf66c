package main

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Parts of a configuration.
//
//go:embed create/*.yaml
var parts embed.FS

func (a *app) createCommand() *cobra.Command {
	inputs := []string{"kafka", "telegraf", "file", "stdin", "simulated"}
	outputs := []string{"influxdb", "remote_write", "file", "kafka"}
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Print a commented configuration to start from",
		Example: `  forecaster create > forecaster.yaml
  forecaster create --from telegraf --to influxdb
  forecaster create --from file --to file`,
		Args: cobra.NoArgs,
	}
	from := cmd.Flags().String("from", "kafka", strings.Join(inputs, ", "))
	to := cmd.Flags().String("to", "influxdb", strings.Join(outputs, ", "))
	cmd.RunE = func(*cobra.Command, []string) error {
		if !slices.Contains(inputs, *from) {
			return &usageError{fmt.Errorf("--from: must be one of %s, got %q", strings.Join(inputs, ", "), *from)}
		}
		if !slices.Contains(outputs, *to) {
			return &usageError{fmt.Errorf("--to: must be one of %s, got %q", strings.Join(outputs, ", "), *to)}
		}
		pipeline := "pipeline"
		if *from == "telegraf" {
			pipeline = "pipeline-telegraf" // with an interval
		}
		for _, name := range []string{"head", "input-" + *from, pipeline, "model", "output-" + *to, "tail"} {
			text, err := parts.ReadFile("create/" + name + ".yaml")
			if err != nil {
				return err
			}
			if _, err := a.stdout.Write(text); err != nil {
				return err
			}
		}
		return nil
	}
	return cmd
}
