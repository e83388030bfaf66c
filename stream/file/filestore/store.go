package filestore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
)

const (
	checkpointPrefix = "checkpoint-"
	damagedSuffix    = ".damaged"
	tempSuffix       = ".tmp"
	kept             = 2 // files
)

// Store keeps checkpoints in a directory, in files whose names sort by age. A file
// begins with a whole checkpoint; the changes to it are appended. The last two
// files are kept. It implements checkpoint.Store.
type Store struct {
	dir     string
	disk    Disk
	log     *slog.Logger
	unlock  func() error
	last    uint64 // number of the newest file
	open    string // the file that changes are appended to; "" = none
	damaged atomic.Int64
}

// Open creates the directory if need be and locks it: a second process gets an error.
// The log gets a warning for each checkpoint that cannot be read.
func Open(dir string, log *slog.Logger) (*Store, error) {
	disk, err := openDirectory(dir)
	if errors.Is(err, syscall.ENOTDIR) {
		return nil, fmt.Errorf("%w: the checkpoints need a directory", err)
	}
	if err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(dir, "lock"))
	ok, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	if !ok {
		return nil, fmt.Errorf("%s is in use by another process: give each its own directory", dir)
	}
	s := New(disk, log)
	s.dir, s.unlock = dir, lock.Close
	return s, nil
}

// New returns a Store on a disk without another user.
func New(disk Disk, log *slog.Logger) *Store {
	return &Store{disk: disk, log: log, unlock: func() error { return nil }}
}

// Checkpoints returns the paths of the files with checkpoints in a directory, newest first.
// It needs no lock: a file may be gone when it is read.
func Checkpoints(dir string) ([]string, error) {
	names, err := newestFirst(directory(dir))
	if err != nil {
		return nil, err
	}
	for i := range names {
		names[i] = filepath.Join(dir, names[i])
	}
	return names, nil
}

// Newest returns the newest readable checkpoint in a directory, as a whole one and the
// changes to it, or checkpoint.ErrNoCheckpoint. It needs no lock.
func Newest(dir string) ([]checkpoint.Checkpoint, error) {
	paths, err := Checkpoints(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, checkpoint.ErrNoCheckpoint
	}
	for _, path := range paths {
		r, size, problem := directory(dir).Read(filepath.Base(path))
		if err = problem; err != nil {
			break
		}
		list, _, problem := checkpoint.Parse(r, size)
		if len(list) > 0 {
			return list, nil
		}
		if err = fmt.Errorf("%s: %w", path, problem); errors.Is(err, checkpoint.ErrVersion) {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	return nil, checkpoint.ErrNoCheckpoint
}

// newestFirst returns the names of the files with checkpoints.
func newestFirst(disk Disk) ([]string, error) {
	names, err := disk.List()
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(s string) bool {
		_, ok := number(s)
		return !ok
	})
	slices.Sort(names)
	slices.Reverse(names)
	return names, nil
}

// name returns the name of the n-th file.
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

// Damaged returns how many files Load has found damaged. It may be called from any
// goroutine.
func (s *Store) Damaged() int64 { return s.damaged.Load() }

// Load implements checkpoint.Store. It reads a damaged file up to the damage: the end is
// missing when a process dies while writing. A file without a readable checkpoint gets
// .damaged behind its name, and the file before it is used.
func (s *Store) Load(ctx context.Context) (list []checkpoint.Checkpoint, err error) {
	err = s.patiently(ctx, func() error {
		list, err = s.load()
		return err
	})
	return list, err
}

func (s *Store) load() ([]checkpoint.Checkpoint, error) {
	s.open = ""
	names, err := newestFirst(s.disk)
	if err != nil {
		return nil, err
	}
	var damage error
	for _, name := range names {
		r, size, err := s.disk.Read(name)
		if err != nil {
			return nil, err
		}
		list, n, err := checkpoint.Parse(r, size)
		if errors.Is(err, checkpoint.ErrVersion) {
			return nil, fmt.Errorf("%s: %w", filepath.Join(s.dir, name), err)
		}
		if err != nil {
			s.damaged.Add(1)
			s.log.Warn("a checkpoint is damaged; what comes before it is used", "file", filepath.Join(s.dir, name), "good_bytes", n, "bytes", size, "error", err)
		}
		if len(list) > 0 {
			return list, s.putAside(names[:slices.Index(names, name)])
		}
		damage = errors.Join(damage, fmt.Errorf("%s: %w", filepath.Join(s.dir, name), err))
	}
	if damage != nil {
		return nil, fmt.Errorf("no checkpoint in %s can be read: %w", s.dir, damage)
	}
	return nil, checkpoint.ErrNoCheckpoint
}

func (s *Store) putAside(names []string) error {
	for _, name := range names {
		if err := s.disk.Rename(name, name+damagedSuffix); err != nil {
			return err
		}
	}
	return nil
}

var errChanges = errors.New("changes to a checkpoint that this store has not saved")

// Save implements checkpoint.Store.
func (s *Store) Save(ctx context.Context, c checkpoint.Checkpoint) error {
	file := s.open
	s.open = "" // until all is well: nothing may follow a part
	err := s.patiently(ctx, func() (err error) {
		switch {
		case c.Since == 0:
			file, err = s.create(c.Encode)
		case file == "":
			err = errChanges
		default:
			err = s.disk.Append(file, c.Encode)
		}
		return err
	})
	if err != nil {
		return err
	}
	s.open = file
	return nil
}

// patiently repeats f for as long as no file descriptor is free, until ctx ends: what f
// could not open is as it was, and whoever took the descriptors may give them back.
func (s *Store) patiently(ctx context.Context, f func() error) error {
	const longest = time.Second
	waiting := false
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, longest) {
		err := f()
		if !errors.Is(err, syscall.EMFILE) && !errors.Is(err, syscall.ENFILE) {
			return err
		}
		if !waiting {
			s.log.Error("no file descriptor is free for a checkpoint; opening is repeated", "directory", s.dir, "error", err)
			waiting = true
		}
		stream.Heartbeat(ctx)
		select {
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		case <-time.After(pause):
		}
	}
}

// create makes a new file, and removes the oldest ones.
func (s *Store) create(content func(io.Writer) error) (file string, err error) {
	names, err := newestFirst(s.disk)
	if err != nil {
		return "", err
	}
	if len(names) > 0 {
		newest, _ := number(names[0])
		s.last = max(s.last, newest)
	}
	s.last++
	file = name(s.last)
	if err := s.disk.Write(file+tempSuffix, content); err != nil {
		return "", errors.Join(err, s.disk.Remove(file+tempSuffix))
	}
	if err := s.disk.Rename(file+tempSuffix, file); err != nil {
		return "", err
	}
	for _, old := range names[min(kept-1, len(names)):] {
		if err := s.disk.Remove(old); err != nil {
			return "", err
		}
	}
	return file, nil
}

// Close releases the lock.
func (s *Store) Close() error { return s.unlock() }
