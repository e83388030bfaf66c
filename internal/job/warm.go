package job

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/file"
	"github.com/orffvar/forecaster/stream/file/filesink"
	"github.com/orffvar/forecaster/stream/file/filestore"
	"github.com/orffvar/forecaster/stream/run"
)

// ofFile is the directory below state.dir for the checkpoints of a replay, and of a job that reads a file.
const ofFile = "file"

// warmStart returns run.Config.Warm of a partition: it reads the checkpoint of a replay from state.dir.
func warmStart(dir, partition string, log *slog.Logger) func() ([]checkpoint.Checkpoint, error) {
	return func() ([]checkpoint.Checkpoint, error) {
		from := filepath.Join(dir, ofFile)
		list, err := filestore.Newest(from)
		if err == nil {
			log.Info("warm start: the models go on with what a replay has learnt", "partition", partition, "checkpoint", from)
			list[len(list)-1].Outputs = nil // the outputs of this job are not those of the replay
		}
		return list, err
	}
}

// keepState makes a replay of cfg resume from the checkpoints in a directory, and save its own there. resumed: the
// checkpoint is about this file, and only new rows are read. Otherwise the models continue with all rows of the new file, and
// its forecasts are appended to the output.
func keepState(ctx context.Context, cfg *config.Config, dir string, log *slog.Logger, rc *run.Config) (store *filestore.Store, resumed bool, err error) {
	if store, err = filestore.Open(filepath.Join(dir, ofFile), log); err != nil {
		return nil, false, err
	}
	rc.Store, rc.Settings, rc.Adjustable = store, wire.Settings(cfg), wire.Adjustable
	list, err := store.Load(ctx)
	switch {
	case errors.Is(err, checkpoint.ErrNoCheckpoint):
		return store, false, nil
	case err == nil:
		resumed, err = beginsAs(ctx, cfg, list[len(list)-1])
	}
	if err != nil {
		return nil, false, errors.Join(err, store.Close())
	}
	if !resumed {
		last := &list[len(list)-1]
		if f := wire.OutputFile(cfg); f == nil || !filesink.Continues(f.Path, last.Outputs) {
			last.Outputs = nil
		}
		rc.Store = fromNothing{store}
		rc.Warm = func() ([]checkpoint.Checkpoint, error) { return list, nil }
	}
	return store, resumed, nil
}

// beginsAs reports whether the input file begins with the rows of a checkpoint.
func beginsAs(ctx context.Context, cfg *config.Config, c checkpoint.Checkpoint) (bool, error) {
	src, err := wire.OpenFile(cfg)
	if err != nil {
		return false, err
	}
	defer src.Close()
	err = src.Seek(ctx, c.Next, c.Last)
	if errors.Is(err, file.ErrOtherFile) {
		return false, nil
	}
	return err == nil, err
}

// fromNothing is a store whose checkpoints are about another file.
type fromNothing struct{ checkpoint.Store }

func (fromNothing) Load(context.Context) ([]checkpoint.Checkpoint, error) {
	return nil, checkpoint.ErrNoCheckpoint
}

// keepOnly removes the checkpoints below a state directory that are not among paths, which a replay without new rows leaves
// behind. If none of paths exists any more, it keeps all.
func keepOnly(dir string, paths []string) error {
	now, err := filestore.Checkpoints(filepath.Join(dir, ofFile))
	if err != nil {
		return err
	}
	isNew := func(path string) bool { return !slices.Contains(paths, path) }
	if !slices.ContainsFunc(now, func(path string) bool { return !isNew(path) }) {
		return nil
	}
	for _, path := range now {
		if isNew(path) {
			err = errors.Join(err, os.Remove(path))
		}
	}
	return err
}
