package main

import (
	"bytes"
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/internal/spelling"
)

// Parts of a configuration.
//
//go:embed create/*.yaml
var parts embed.FS

func (a *app) createCommand() *cobra.Command {
	inputs, outputs := partsOf("input-"), partsOf("output-")
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
			return &usageError{fmt.Errorf("--from: %s", spelling.NotOneOf(*from, inputs))}
		}
		if !slices.Contains(outputs, *to) {
			return &usageError{fmt.Errorf("--to: %s", spelling.NotOneOf(*to, outputs))}
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
			if *from != "kafka" && *from != "telegraf" {
				text = bytes.ReplaceAll(text, []byte("-{partition}"), nil)
			}
			if _, err := a.stdout.Write(text); err != nil {
				return err
			}
		}
		return nil
	}
	return cmd
}

// partsOf returns the names of the parts that begin with kind, in alphabetical order.
func partsOf(kind string) (names []string) {
	files, err := parts.ReadDir("create")
	if err != nil {
		panic(err) // it is a part of the binary
	}
	for _, f := range files {
		if name, ok := strings.CutPrefix(strings.TrimSuffix(f.Name(), ".yaml"), kind); ok {
			names = append(names, name)
		}
	}
	return names
}
