package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/job"
	"github.com/orffvar/forecaster/internal/plural"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream/kafka"
)

func (a *app) checkpointCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "checkpoint",
		Short: "Inspect, verify or remove the checkpoints of a job",
		Long: `The checkpoints are those below a directory, or with -c or --set those of the configured
job, in state.dir or in state.topic.`,
	}
	cmd.AddCommand(a.inspectCommand(), a.verifyCommand(), a.resetCommand())
	return cmd
}

// onCheckpoints adds the arguments and flags to cmd that select checkpoints: a directory, or the configured job.
func (a *app) onCheckpoints(cmd *cobra.Command, run func(ctx context.Context, j job.Checkpoints) error) *cobra.Command {
	a.configFlags(cmd)
	cmd.Use += " [DIR]"
	cmd.Example = fmt.Sprintf("  forecaster checkpoint %[1]s ./state\n  forecaster checkpoint %[1]s -c forecaster.yaml", cmd.Name())
	cmd.Args = cobra.MaximumNArgs(1)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		j, err := a.openCheckpoints(cmd, args)
		if err != nil {
			return err
		}
		defer j.Close()
		ctx, cancel := context.WithTimeout(cmd.Context(), job.CheckpointTimeout)
		defer cancel()
		return run(ctx, j)
	}
	return cmd
}

func (a *app) inspectCommand() *cobra.Command {
	return a.onCheckpoints(&cobra.Command{Use: "inspect", Short: "List the checkpoints"}, func(ctx context.Context, j job.Checkpoints) error {
		_, err := a.listCheckpoints(ctx, j)
		return err
	})
}

func (a *app) verifyCommand() *cobra.Command {
	return a.onCheckpoints(&cobra.Command{Use: "verify", Short: "Read the checkpoints and say whether all are whole; exit code 1 when one is damaged"}, func(ctx context.Context, j job.Checkpoints) error {
		list, err := a.listCheckpoints(ctx, j)
		if err != nil {
			return err
		}
		damaged := 0
		for _, c := range list {
			if c.Error != "" {
				damaged++
			}
		}
		if damaged > 0 {
			return fmt.Errorf("%d of %d checkpoints are damaged", damaged, len(list))
		}
		if a.output == "table" {
			fmt.Fprintf(a.stdout, "\nok: %s can be read, none is damaged\n", plural.Count(len(list), "checkpoint"))
		}
		return nil
	})
}

func (a *app) resetCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "reset",
		Short: "Remove the checkpoints: the next start is from scratch",
		Long: `reset removes the checkpoints of a stopped job. With -c it also removes the offsets of the
consumer group, so that the topic is read again. Given only a directory, the job also
needs another input.kafka.consumer_group to read the topic again.`,
	}
	yes := cmd.Flags().Bool("yes", false, "do it")
	a.onCheckpoints(cmd, func(ctx context.Context, j job.Checkpoints) error {
		if !*yes {
			list, err := j.List(ctx)
			if err != nil {
				return err
			}
			return &usageError{fmt.Errorf("this would remove %s in %s; say --yes to do it", plural.Count(len(list), "checkpoint"), j.Where())}
		}
		n, err := j.Reset(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, "%s removed\n", plural.Count(n, "checkpoint"))
		return nil
	})
	cmd.Example = "  forecaster checkpoint reset ./state --yes\n  forecaster checkpoint reset -c forecaster.yaml --yes"
	return cmd
}

// openCheckpoints opens the checkpoints that the arguments of a command select.
func (a *app) openCheckpoints(cmd *cobra.Command, args []string) (job.Checkpoints, error) {
	if len(args) == 1 {
		return job.Directory(args[0]), nil
	}
	if len(a.files)+len(a.sets) == 0 {
		return nil, &usageError{errors.New("give a directory, or -c with the configuration of the job")}
	}
	cfg, err := a.load(cmd, nil)
	if err != nil {
		return nil, err
	}
	k := wire.InputKafka(cfg)
	switch {
	case cfg.State.Dir != "" && k == nil:
		return job.Directory(cfg.State.Dir), nil
	case cfg.State.Dir == "" && cfg.State.Topic == "" || k == nil:
		return nil, &usageError{errors.New("the configuration has neither state.dir nor state.topic")}
	}
	connection, err := k.Connection()
	if err != nil {
		return nil, err
	}
	group, err := kafka.NewGroup(kafka.GroupConfig{
		Connection: connection, Topics: k.Forecast(), Group: k.ConsumerGroup, Log: a.logger(cfg.Log),
	})
	if err != nil {
		return nil, err
	}
	if cfg.State.Dir != "" {
		return &job.LocalState{Directory: job.Directory(cfg.State.Dir), Group: group}, nil
	}
	saved, err := group.SavedState(cmd.Context(), cfg.State.Topic)
	if err != nil {
		return nil, err
	}
	return &job.StateTopic{SavedState: saved, Topic: cfg.State.Topic}, nil
}

func (a *app) listCheckpoints(ctx context.Context, j job.Checkpoints) ([]job.CheckpointInfo, error) {
	list, err := j.List(ctx)
	if err != nil {
		return nil, err
	}
	if a.output == "json" {
		return list, writeJSON(a.stdout, list)
	}
	header := []string{"checkpoint", "saved", "bytes", "changes", "next offset"}
	noted := slices.ContainsFunc(list, func(c job.CheckpointInfo) bool { return checkpointNote(c) != "" })
	if noted {
		header = append(header, "note")
	}
	t := report.NewTable(2, header...)
	for _, c := range list {
		row := []any{c.Path, c.Time.Format(time.DateTime), plural.Thousands(c.Bytes), c.Changes, c.Next}
		if noted {
			row = append(row, checkpointNote(c))
		}
		t.AppendRow(row)
	}
	fmt.Fprintln(a.stdout, t.Render())
	a.listSettings(list)
	return list, nil
}

// checkpointNote returns the error of a checkpoint, or a note that the group has committed its offset. Empty:
// neither.
func checkpointNote(c job.CheckpointInfo) string {
	if c.Error == "" && c.Committed != nil && *c.Committed {
		return "in use"
	}
	return c.Error
}

// listSettings prints the settings on which the states depend, each distinct set once, without default values.
func (a *app) listSettings(list []job.CheckpointInfo) {
	defaults := make(map[string]string)
	for _, s := range wire.Settings(config.Default()) {
		defaults[s.Key] = s.Value
	}
	for i, c := range list {
		same := func(o job.CheckpointInfo) bool { return maps.Equal(o.Settings, c.Settings) }
		if len(c.Settings) == 0 || slices.ContainsFunc(list[:i], same) {
			continue
		}
		t := report.NewTable(2, "setting of "+c.Path, "value")
		for _, key := range slices.Sorted(maps.Keys(c.Settings)) {
			if value, ok := defaults[key]; !ok || value != c.Settings[key] || strings.HasPrefix(key, "build.") {
				t.AppendRow([]any{key, c.Settings[key]})
			}
		}
		fmt.Fprintf(a.stdout, "\n%s\nEverything else has its default; --output json lists it.\n", t.Render())
	}
}
