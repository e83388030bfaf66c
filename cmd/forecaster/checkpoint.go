package main

import (
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
)

func (a *app) checkpointCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "checkpoint",
		Short: "Look into the checkpoints of a job, or begin anew",
	}
	cmd.AddCommand(
		&cobra.Command{
			Use:     "inspect DIR",
			Short:   "List the checkpoints below a state directory",
			Example: "  forecaster checkpoint inspect ./state",
			Args:    cobra.ExactArgs(1),
			RunE: func(_ *cobra.Command, args []string) error {
				list, err := readCheckpoints(args[0])
				if err != nil {
					return err
				}
				return a.printCheckpoints(list)
			},
		},
		&cobra.Command{
			Use:     "verify DIR",
			Short:   "Read every checkpoint; exit code 1 when one is damaged",
			Example: "  forecaster checkpoint verify ./state",
			Args:    cobra.ExactArgs(1),
			RunE: func(_ *cobra.Command, args []string) error {
				list, err := readCheckpoints(args[0])
				if err != nil {
					return err
				}
				if err := a.printCheckpoints(list); err != nil {
					return err
				}
				damaged := 0
				for _, c := range list {
					if c.Error != "" {
						damaged++
					}
				}
				if damaged > 0 {
					return fmt.Errorf("%d of %d checkpoints cannot be read", damaged, len(list))
				}
				return nil
			},
		},
		a.resetCommand(),
	)
	return cmd
}

func (a *app) resetCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "reset DIR",
		Short: "Remove the checkpoints below a state directory: the next start begins anew",
		Long: `reset removes the checkpoints, not the offsets that Kafka keeps for the group:
give the job another input.kafka.consumer_group, too, to read the topic again.`,
		Example: "  forecaster checkpoint reset ./state --yes",
		Args:    cobra.ExactArgs(1),
	}
	yes := cmd.Flags().Bool("yes", false, "do it")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		list, err := readCheckpoints(args[0])
		if err != nil {
			return err
		}
		if !*yes {
			return &usageError{fmt.Errorf("this would remove %d checkpoints below %s; say --yes to do it", len(list), args[0])}
		}
		for _, c := range list {
			store, err := file.OpenStore(filepath.Dir(c.Path), slog.New(slog.DiscardHandler)) // refuses when a job works with them
			if err != nil {
				return err
			}
			if err := errors.Join(os.Remove(c.Path), store.Close()); err != nil {
				return err
			}
		}
		fmt.Fprintf(a.stdout, "%d checkpoints removed\n", len(list))
		return nil
	}
	return cmd
}

// checkpointInfo is what is known of one.
type checkpointInfo struct {
	Path        string    `json:"path"`
	Time        time.Time `json:"time"`
	Bytes       int64     `json:"bytes"`
	Next        int64     `json:"next"`    // offset to resume from
	Changes     int       `json:"changes"` // saved after the whole one
	Fingerprint string    `json:"fingerprint"`
	Error       string    `json:"error,omitempty"`
}

// readCheckpoints reads all checkpoints in dir and its subdirectories.
func readCheckpoints(dir string) ([]checkpointInfo, error) {
	list := []checkpointInfo{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
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
		err = fmt.Errorf("no checkpoints below %s", dir)
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

func (a *app) printCheckpoints(list []checkpointInfo) error {
	if a.output == "json" {
		return writeJSON(a.stdout, list)
	}
	t := newTable(2, "checkpoint", "saved", "bytes", "changes", "next offset", "configuration and build")
	for _, c := range list {
		what := c.Fingerprint
		if c.Error != "" {
			what = c.Error
		}
		t.AppendRow([]any{c.Path, c.Time.Format(time.DateTime), thousands(c.Bytes), c.Changes, c.Next, what})
	}
	fmt.Fprintln(a.stdout, t.Render())
	return nil
}
