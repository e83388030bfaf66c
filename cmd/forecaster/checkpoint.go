package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/file"
	"github.com/orffvar/forecaster/stream/kafka"
)

func (a *app) checkpointCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "checkpoint",
		Short: "Look into the checkpoints of a job, or begin anew",
		Long: `The checkpoints are those below a directory, or, with -c or --set and without a
directory, those of the configured job: in state.dir or in state.topic.`,
	}
	cmd.AddCommand(a.inspectCommand(), a.verifyCommand(), a.resetCommand())
	return cmd
}

// onCheckpoints lets a command work on a directory or on the configured job.
func (a *app) onCheckpoints(cmd *cobra.Command, run func(ctx context.Context, j checkpoints) error) *cobra.Command {
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
		ctx, cancel := context.WithTimeout(cmd.Context(), checkpointTimeout)
		defer cancel()
		return run(ctx, j)
	}
	return cmd
}

// checkpointTimeout is how long Kafka may take.
const checkpointTimeout = 5 * time.Minute

func (a *app) inspectCommand() *cobra.Command {
	return a.onCheckpoints(&cobra.Command{Use: "inspect", Short: "List the checkpoints"}, func(ctx context.Context, j checkpoints) error {
		_, err := a.listCheckpoints(ctx, j)
		return err
	})
}

func (a *app) verifyCommand() *cobra.Command {
	return a.onCheckpoints(&cobra.Command{Use: "verify", Short: "List the checkpoints; exit code 1 when one is damaged"}, func(ctx context.Context, j checkpoints) error {
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
		return nil
	})
}

func (a *app) resetCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "reset",
		Short: "Remove the checkpoints: the next start begins anew",
		Long: `reset removes the checkpoints of a job that is stopped. From a state topic it
also removes the offsets of the group, so that the topic is read again from where
input.kafka.offset says. In a directory it cannot: give the job another
input.kafka.consumer_group, too, to read the topic again.`,
	}
	yes := cmd.Flags().Bool("yes", false, "do it")
	a.onCheckpoints(cmd, func(ctx context.Context, j checkpoints) error {
		if !*yes {
			list, err := j.list(ctx)
			if err != nil {
				return err
			}
			return &usageError{fmt.Errorf("this would remove %d checkpoints in %s; say --yes to do it", len(list), j.where())}
		}
		n, err := j.reset(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, "%d checkpoints removed\n", n)
		return nil
	})
	cmd.Example = "  forecaster checkpoint reset ./state --yes\n  forecaster checkpoint reset -c forecaster.yaml --yes"
	return cmd
}

// checkpoints are those of a job.
type checkpoints interface {
	where() string
	list(ctx context.Context) ([]checkpointInfo, error) // at least one
	reset(ctx context.Context) (removed int, err error)
	Close() error
}

// openCheckpoints finds them by the arguments of a command.
func (a *app) openCheckpoints(cmd *cobra.Command, args []string) (checkpoints, error) {
	if len(args) == 1 {
		return directory(args[0]), nil
	}
	if len(a.files)+len(a.sets) == 0 {
		return nil, &usageError{errors.New("give a directory, or -c with the configuration of the job")}
	}
	cfg, err := a.load(cmd, nil)
	switch {
	case err != nil:
		return nil, err
	case cfg.State.Dir != "":
		return directory(cfg.State.Dir), nil
	case cfg.State.Topic == "" || cfg.Input.Kafka == nil:
		return nil, &usageError{errors.New("the configuration has neither state.dir nor state.topic")}
	}
	connection, err := kafkaConnection(cfg.Input.Kafka)
	if err != nil {
		return nil, err
	}
	group, err := kafka.NewGroup(kafka.GroupConfig{
		Connection: connection, Topics: cfg.Input.Kafka.Topics, Group: cfg.Input.Kafka.ConsumerGroup, Log: a.logger(cfg.Log),
	})
	if err != nil {
		return nil, err
	}
	saved, err := group.SavedState(cmd.Context(), cfg.State.Topic)
	if err != nil {
		return nil, err
	}
	return &stateTopic{saved, cfg.State.Topic}, nil
}

// checkpointInfo is what is known of one.
type checkpointInfo struct {
	Path        string    `json:"path"` // or partition and name of the snapshot
	Time        time.Time `json:"time"`
	Bytes       int64     `json:"bytes"`
	Changes     int       `json:"changes"` // saved after the whole one
	Next        int64     `json:"next"`    // offset to resume from
	Fingerprint string    `json:"fingerprint"`
	Committed   *bool     `json:"committed,omitempty"` // whether the offset of the group belongs to it
	Error       string    `json:"error,omitempty"`
}

func (a *app) listCheckpoints(ctx context.Context, j checkpoints) ([]checkpointInfo, error) {
	list, err := j.list(ctx)
	if err != nil {
		return nil, err
	}
	if a.output == "json" {
		return list, writeJSON(a.stdout, list)
	}
	t := newTable(2, "checkpoint", "saved", "bytes", "changes", "next offset", "configuration and build")
	for _, c := range list {
		what := c.Fingerprint
		if c.Committed != nil && *c.Committed {
			what += ", in use"
		}
		if c.Error != "" {
			what = c.Error
		}
		t.AppendRow([]any{c.Path, c.Time.Format(time.DateTime), thousands(c.Bytes), c.Changes, c.Next, what})
	}
	fmt.Fprintln(a.stdout, t.Render())
	return list, nil
}

// directory has checkpoints in it, or in directories below.
type directory string

func (d directory) where() string { return string(d) }
func (d directory) Close() error  { return nil }

func (d directory) list(context.Context) ([]checkpointInfo, error) {
	list := []checkpointInfo{}
	err := filepath.WalkDir(string(d), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		paths, err := file.Checkpoints(path)
		if err != nil {
			return err
		}
		for _, p := range paths {
			list = append(list, readCheckpoint(p))
		}
		return nil
	})
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("no checkpoints below %s", d)
	}
	return list, err
}

func readCheckpoint(path string) checkpointInfo {
	info := checkpointInfo{Path: path}
	if stat, err := os.Stat(path); err == nil {
		info.Time, info.Bytes = stat.ModTime().UTC(), stat.Size()
	}
	content, err := os.ReadFile(path)
	var list []stream.Checkpoint
	if err == nil {
		list, _, err = stream.ParseCheckpoints(content)
	}
	if err != nil {
		info.Error = err.Error()
	}
	if len(list) > 0 {
		last := list[len(list)-1]
		info.Next, info.Fingerprint, info.Changes = last.Next, last.Fingerprint, len(list)-1
	}
	return info
}

func (d directory) reset(ctx context.Context) (removed int, err error) {
	list, err := d.list(ctx)
	if err != nil {
		return 0, err
	}
	for _, c := range list {
		store, err := file.OpenStore(filepath.Dir(c.Path), slog.New(slog.DiscardHandler)) // refuses when a job works with them
		if err != nil {
			return removed, err
		}
		if err := errors.Join(os.Remove(c.Path), store.Close()); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, nil
}

// stateTopic has them in Kafka.
type stateTopic struct {
	*kafka.SavedState
	topic string
}

func (s *stateTopic) where() string { return "the topic " + s.topic }

func (s *stateTopic) list(ctx context.Context) ([]checkpointInfo, error) {
	saved, err := s.Checkpoints(ctx)
	if err != nil {
		return nil, inTime(ctx, err)
	}
	list := []checkpointInfo{}
	for _, c := range saved {
		info := checkpointInfo{
			Path: c.Partition + " " + c.Name, Time: c.Time, Bytes: c.Bytes, Changes: c.Changes, Next: c.Next,
			Fingerprint: c.Fingerprint, Committed: &c.Committed,
		}
		if c.Err != nil {
			info.Error = c.Err.Error()
		}
		list = append(list, info)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no checkpoints in %s", s.where())
	}
	return list, nil
}

func (s *stateTopic) reset(ctx context.Context) (removed int, err error) {
	removed, err = s.Reset(ctx)
	return removed, inTime(ctx, err)
}

// inTime says what the end of the context meant.
func inTime(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("no answer from Kafka within %v: %w", checkpointTimeout, err)
	}
	return err
}
