package file

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"github.com/orffvar/forecaster/stream"
)

const (
	checkpointPrefix = "checkpoint-"
	damagedSuffix    = ".damaged"
	kept             = 2 // checkpoints
)

// Store keeps the last two checkpoints in a directory, in files whose names sort
// by age. It implements stream.Store.
type Store struct {
	dir  string
	lock *flock.Flock
	last uint64 // number of the newest checkpoint
	buf  []byte
}

// OpenStore creates the directory if need be and locks it: a second process is
// refused.
func OpenStore(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("file: %w", err)
	}
	lock := flock.New(filepath.Join(dir, "lock"))
	ok, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("file: lock %s: %w", dir, err)
	}
	if !ok {
		return nil, fmt.Errorf("file: %s is in use by another process: give each its own directory", dir)
	}
	return &Store{dir: dir, lock: lock}, nil
}

// Checkpoints returns the paths of the checkpoints in a directory, newest first.
// It needs no lock; what it returns may be gone when it is read.
func Checkpoints(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("file: %w", err)
	}
	var paths []string
	for _, e := range entries {
		if _, ok := number(e.Name()); ok {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	slices.Sort(paths)
	slices.Reverse(paths)
	return paths, nil
}

// name returns the name of the n-th checkpoint.
func name(n uint64) string { return fmt.Sprintf("%s%016x", checkpointPrefix, n) }

// number reverses name.
func number(file string) (uint64, bool) {
	digits, ok := strings.CutPrefix(file, checkpointPrefix)
	var n uint64
	if !ok || len(digits) != 16 {
		return 0, false
	}
	_, err := fmt.Sscanf(digits, "%x", &n)
	return n, err == nil && name(n) == file
}

// Load implements stream.Store: the newest checkpoint, or the one before when
// that is damaged. Damaged ones are put aside under the name they had with
// .damaged behind it.
func (s *Store) Load(context.Context) (stream.Checkpoint, error) {
	paths, err := Checkpoints(s.dir)
	if err != nil {
		return stream.Checkpoint{}, err
	}
	var damage error
	for _, path := range paths {
		var c stream.Checkpoint
		b, err := os.ReadFile(path)
		if err == nil {
			err = c.UnmarshalBinary(b)
		}
		switch {
		case err == nil:
			s.last, _ = number(filepath.Base(paths[0]))
			return c, s.putAside(paths[:slices.Index(paths, path)])
		case errors.Is(err, stream.ErrVersion):
			return stream.Checkpoint{}, fmt.Errorf("file: %s: %w: start the build that wrote it, or remove %s to begin anew", path, err, s.dir)
		case !errors.Is(err, stream.ErrCorrupt):
			return stream.Checkpoint{}, fmt.Errorf("file: %w", err)
		}
		damage = errors.Join(damage, fmt.Errorf("%s: %w", path, err))
	}
	if damage != nil {
		return stream.Checkpoint{}, fmt.Errorf("file: no checkpoint can be read; remove %s to begin anew: %w", s.dir, damage)
	}
	return stream.Checkpoint{}, stream.ErrNoCheckpoint
}

func (s *Store) putAside(paths []string) error {
	for _, path := range paths {
		if err := os.Rename(path, path+damagedSuffix); err != nil {
			return fmt.Errorf("file: %w", err)
		}
	}
	return nil
}

// Save implements stream.Store.
func (s *Store) Save(_ context.Context, c stream.Checkpoint) error {
	var err error
	if s.buf, err = c.AppendBinary(s.buf[:0]); err != nil {
		return err
	}
	paths, err := Checkpoints(s.dir)
	if err != nil {
		return err
	}
	if len(paths) > 0 {
		newest, _ := number(filepath.Base(paths[0]))
		s.last = max(s.last, newest)
	}
	s.last++
	if err := writeFile(filepath.Join(s.dir, name(s.last)), s.buf); err != nil {
		return fmt.Errorf("file: %w", err)
	}
	for _, path := range paths[min(kept-1, len(paths)):] {
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("file: %w", err)
		}
	}
	return nil
}

// writeFile makes a file that is there in full or not at all, whenever the power
// fails.
func writeFile(path string, b []byte) (err error) {
	temp := path + ".tmp"
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(temp)
		}
	}()
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// syncDir makes a renaming durable. Windows has no such call, and needs none.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Close releases the lock.
func (s *Store) Close() error { return s.lock.Close() }
