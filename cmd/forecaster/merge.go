package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/internal/job"
	"github.com/orffvar/forecaster/internal/wire"
)

func (a *app) mergeCommand() *cobra.Command {
	var partitions int
	cmd := &cobra.Command{
		Use:   "merge",
		Short: "Copy the records of each series into one partition of one topic",
		Long: `merge copies every record of the topics of input.kafka to one topic, the oldest next,
with its series as the key. All records of a series are then in one partition, as run
needs them. It splits messages with several series, and copies unreadable ones unchanged.

merge is the consumer group input.kafka.consumer_group with the suffix "-merge", of which
one member copies, and continues where it stopped. After a crash some records are written
twice; the assembly of samples drops the duplicates.

With input.kafka.join: merged, run does all of this itself.`,
		Example: `  forecaster merge -c forecaster.yaml --to merged
  forecaster run -c forecaster.yaml --set input.kafka.topics=merged`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.load(cmd, []setting{{"to", "input.kafka.join"}})
			if err != nil {
				return err
			}
			k := wire.InputKafka(cfg)
			switch {
			case k == nil:
				return &usageError{errors.New("the configuration has no input.kafka to read from; name it with -c FILE")}
			case k.Join == "":
				return &usageError{errors.New("--to must name the topic to write to")}
			case partitions < 0:
				return &usageError{errors.New("--partitions must be >= 0")}
			}
			return job.Merge(cmd.Context(), cfg, partitions, a.logger(cfg.Log))
		},
	}
	a.configFlags(cmd)
	cmd.Flags().String("to", "", "topic to write to: input.kafka.join")
	cmd.Flags().IntVar(&partitions, "partitions", 1, "number of partitions for a new topic; 0 = the topic must exist")
	return cmd
}
