package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/internal/job"
)

func (a *app) mergeCommand() *cobra.Command {
	var to string
	var partitions int
	cmd := &cobra.Command{
		Use:   "merge",
		Short: "Bring the records of each series together in one topic",
		Long: `merge reads the topics of input.kafka and writes every record to one topic, with
the name of its series as the key: what is spread over topics or partitions is then
in one partition, as run needs it to make samples of parts (pipeline.interval and
pipeline.wait). Messages of several series, such as batches of Telegraf, are taken
apart; what cannot be read is passed on as it is.

It is a consumer group of its own, input.kafka.consumer_group with "-merge" behind
it, and goes on where it stopped. After a crash some records are there twice; in rows
they replace themselves.`,
		Example: `  forecaster merge -c forecaster.yaml --to merged
  forecaster run -c forecaster.yaml --set input.kafka.topics=merged`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.load(cmd, nil)
			if err != nil {
				return err
			}
			k := cfg.Input.Kafka
			switch {
			case k == nil:
				return &usageError{errors.New("the configuration has no input.kafka to read from")}
			case to == "":
				return &usageError{errors.New("--to must name the topic to write to")}
			case slices.Contains(k.Topics, to):
				return &usageError{fmt.Errorf("--to: %s is one of input.kafka.topics: what was written would be read again", to)}
			case partitions < 0:
				return &usageError{errors.New("--partitions must be >= 0")}
			}
			return job.Merge(cmd.Context(), cfg, to, partitions, a.logger(cfg.Log))
		},
	}
	a.configFlags(cmd)
	cmd.Flags().StringVar(&to, "to", "", "topic to write to")
	cmd.Flags().IntVar(&partitions, "partitions", 1, "create the topic with so many partitions if it does not exist; 0 = do not")
	return cmd
}
