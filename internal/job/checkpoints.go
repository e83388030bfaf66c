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

	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/file/filestore"
	"github.com/orffvar/forecaster/stream/kafka"
)

// CheckpointTimeout is the time limit for listing or removing checkpoints in Kafka.
const CheckpointTimeout = 5 * time.Minute

// Checkpoints lists and removes the checkpoints of a job.
type Checkpoints interface {
	Where() string
	List(ctx context.Context) ([]CheckpointInfo, error) // at least one
	Reset(ctx context.Context) (removed int, err error)
	Close() error
}

// CheckpointInfo describes a checkpoint.
type CheckpointInfo struct {
	Path      string               `json:"path"` // path; in Kafka, partition and name of the snapshot
	Time      time.Time            `json:"time"`
	Bytes     int64                `json:"bytes"`
	Changes   int                  `json:"changes"`             // number of incremental checkpoints after the full one
	Next      int64                `json:"next"`                // offset to resume from
	Last      string               `json:"last"`                // offset and hash of the last message applied
	Settings  map[string]string    `json:"settings"`            // settings that the state depends on
	Outputs   checkpoint.Positions `json:"outputs,omitempty"`   // lengths of the output files
	Committed *bool                `json:"committed,omitempty"` // the committed offset of the group belongs to this checkpoint
	Error     string               `json:"error,omitempty"`
}

// errNoCheckpoints reports that a directory is missing or has no checkpoint.
var errNoCheckpoints = errors.New("no checkpoints")

// Directory is a directory with checkpoints, in itself or in directories below.
type Directory string

func (d Directory) Where() string { return string(d) }

func (d Directory) Close() error { return nil }

func (d Directory) List(context.Context) ([]CheckpointInfo, error) {
	list := []CheckpointInfo{}
	if _, err := os.Stat(string(d)); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: no such directory; name that of state.dir or of replay --state, or give -c FILE (%w)", d, errNoCheckpoints)
	}
	err := filepath.WalkDir(string(d), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		paths, _ := filestore.Checkpoints(path) // WalkDir reports a directory that cannot be read
		for _, p := range paths {
			list = append(list, readCheckpoint(p))
		}
		return nil
	})
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%w below %s", errNoCheckpoints, d)
	}
	return list, err
}

func readCheckpoint(path string) CheckpointInfo {
	info := CheckpointInfo{Path: path}
	if stat, err := os.Stat(path); err == nil {
		info.Time, info.Bytes = stat.ModTime().UTC(), stat.Size()
	}
	f, err := os.Open(path)
	var list []checkpoint.Checkpoint
	if err == nil {
		list, _, err = checkpoint.Parse(f, info.Bytes)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		info.Error = err.Error()
	}
	if len(list) > 0 {
		last := list[len(list)-1]
		info.Next, info.Changes, info.Last, info.Outputs = last.Next, len(list)-1, last.Last.String(), last.Outputs
		info.Settings = settingsOf(list[0].Settings)
	}
	return info
}

func settingsOf(list []checkpoint.Setting) map[string]string {
	m := make(map[string]string, len(list))
	for _, s := range list {
		m[s.Key] = s.Value
	}
	return m
}

func (d Directory) Reset(ctx context.Context) (removed int, err error) {
	list, err := d.List(ctx)
	if err != nil {
		return 0, err
	}
	for _, c := range list { // a job has no deeper ones, so these may be those of other jobs
		if job := filepath.Dir(filepath.Dir(c.Path)); job != filepath.Clean(string(d)) && filepath.Dir(c.Path) != filepath.Clean(string(d)) {
			return 0, fmt.Errorf("%s: nothing is removed, because %s is not of a job with this state.dir; name the directory of one job, such as %s", d, c.Path, job)
		}
	}
	for _, c := range list {
		store, err := filestore.Open(filepath.Dir(c.Path), slog.New(slog.DiscardHandler)) // refuses when a job works with them
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

// LocalState is the Directory of a job that reads Kafka.
type LocalState struct {
	Directory
	Group *kafka.Group
}

// Reset also removes the offsets of the group, so that the next start reads the same messages again. It needs no
// checkpoints: a start whose state directory was removed asks for it.
func (s *LocalState) Reset(ctx context.Context) (removed int, err error) {
	if err := s.Group.DeleteOffsets(ctx); err != nil {
		return 0, inTime(ctx, err)
	}
	if removed, err = s.Directory.Reset(ctx); errors.Is(err, errNoCheckpoints) {
		err = nil
	}
	return removed, err
}

// StateTopic is the checkpoints of a job in Kafka.
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
			Last: c.Last.String(), Settings: settingsOf(c.Settings), Outputs: c.Outputs, Committed: &c.Committed,
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

// inTime returns err, or an error about the timeout if ctx has ended.
func inTime(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("no answer from Kafka within %v: %w", CheckpointTimeout, err)
	}
	return err
}
