package job

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/file"
	"github.com/orffvar/forecaster/stream/kafka"
)

// CheckpointTimeout is how long Kafka may take.
const CheckpointTimeout = 5 * time.Minute

// Checkpoints are those of a job.
type Checkpoints interface {
	Where() string
	List(ctx context.Context) ([]CheckpointInfo, error) // at least one
	Reset(ctx context.Context) (removed int, err error)
	Close() error
}

// CheckpointInfo is what is known of one.
type CheckpointInfo struct {
	Path        string    `json:"path"` // or partition and name of the snapshot
	Time        time.Time `json:"time"`
	Bytes       int64     `json:"bytes"`
	Changes     int       `json:"changes"` // saved after the whole one
	Next        int64     `json:"next"`    // offset to resume from
	Fingerprint string    `json:"fingerprint"`
	Committed   *bool     `json:"committed,omitempty"` // whether the offset of the group belongs to it
	Error       string    `json:"error,omitempty"`
}

// Directory has checkpoints in it, or in directories below.
type Directory string

func (d Directory) Where() string { return string(d) }

func (d Directory) Close() error { return nil }

func (d Directory) List(context.Context) ([]CheckpointInfo, error) {
	list := []CheckpointInfo{}
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

func readCheckpoint(path string) CheckpointInfo {
	info := CheckpointInfo{Path: path}
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

func (d Directory) Reset(ctx context.Context) (removed int, err error) {
	list, err := d.List(ctx)
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

// StateTopic has them in Kafka.
type StateTopic struct {
	*kafka.SavedState
	Topic string
}

func (s *StateTopic) Where() string { return "the topic " + s.Topic }

func (s *StateTopic) List(ctx context.Context) ([]CheckpointInfo, error) {
	saved, err := s.Checkpoints(ctx)
	if err != nil {
		return nil, inTime(ctx, err)
	}
	list := []CheckpointInfo{}
	for _, c := range saved {
		info := CheckpointInfo{
			Path: c.Partition + " " + c.Name, Time: c.Time, Bytes: c.Bytes, Changes: c.Changes, Next: c.Next,
			Fingerprint: c.Fingerprint, Committed: &c.Committed,
		}
		if c.Err != nil {
			info.Error = c.Err.Error()
		}
		list = append(list, info)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no checkpoints in %s", s.Where())
	}
	return list, nil
}

func (s *StateTopic) Reset(ctx context.Context) (removed int, err error) {
	removed, err = s.SavedState.Reset(ctx)
	return removed, inTime(ctx, err)
}

// inTime says what the end of the context meant.
func inTime(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("no answer from Kafka within %v: %w", CheckpointTimeout, err)
	}
	return err
}
