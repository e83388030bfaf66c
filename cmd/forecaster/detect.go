package main

import (
	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/study"
)

// labelFlags adds the flags of commands that compare scores with labels.
func labelFlags(cmd *cobra.Command) {
	cmd.Flags().String("labels", "", `file of times and a column "anomaly" of 0 and 1, or of windows (CSV with start and end, or JSON), to compare the anomaly scores with`)
	cmd.Flags().String("history", "", "file to learn from before, which is not scored")
}

// readLabelled reads the files that labelFlags name: the history is put before
// data, as so many rows a series, and the labels of the rows [from, to) of the file
// itself are returned, nil without --labels.
func readLabelled(cmd *cobra.Command, c *config.Config, data *eval.Dataset, from, to int) (l *study.Labels, before int, err error) {
	if path, _ := cmd.Flags().GetString("history"); path != "" {
		if before, err = study.ReadHistory(cmd.Context(), c, path, data); err != nil {
			return nil, 0, err
		}
	}
	if path, _ := cmd.Flags().GetString("labels"); path != "" {
		if to > 0 {
			to += before
		}
		l, err = study.ReadLabels(cmd.Context(), c, path, data, before+from, to)
	}
	return l, before, err
}
