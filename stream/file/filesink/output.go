package filesink

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/orffvar/forecaster/internal/shell"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/file"
)

// output is a file that is written from front to back and has a position, which
// is its length.
type output struct {
	path    string // absolute
	file    osFile
	seeks   bool // a regular file; else there is no position
	fresh   bool // it was not there before
	resumed bool
	stale   bool // what the file has goes with the first write
	length  int64
}

// osFile has the methods of an *os.File that an output needs. Tests use one that knows when it
// was synced.
type osFile interface {
	io.Writer
	io.ReaderAt
	io.Seeker
	io.Closer
	Stat() (os.FileInfo, error)
	Truncate(size int64) error
	Sync() error
}

// ErrCut is wrapped by the error of Resume when a file is shorter than the checkpoint says.
var ErrCut = errors.New("was cut, moved or removed since the checkpoint")

// ErrInUse is wrapped by the error of opening a file that another process, or another output of
// this one, writes.
var ErrInUse = errors.New("in use: another process writes this file")

// Check returns an error when a file cannot be written. It leaves an existing file alone.
func Check(path string) error {
	o, err := create(path)
	if errors.Is(err, ErrInUse) {
		return nil // perhaps the running job of the checked configuration uses it
	}
	if err != nil {
		return err
	}
	return o.Close()
}

// create opens a file, whose only writer the output is then.
func create(path string) (*output, error) {
	if path == "-" {
		return &output{path: "stdout", file: os.Stdout}, nil
	}
	_, missing := os.Stat(path)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|appending, 0o644)
	if _, noFolder := os.Stat(filepath.Dir(path)); errors.Is(err, os.ErrNotExist) && errors.Is(noFolder, os.ErrNotExist) {
		return nil, fmt.Errorf("%w: create the folder first: mkdir -p %s", err, shell.Quote(filepath.Dir(path)))
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Mode().IsRegular() {
		if err = lock(f); err != nil {
			err = fmt.Errorf("%s is %w; give each its own", path, err)
		}
	}
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &output{path: path, file: f, seeks: info.Mode().IsRegular(), fresh: errors.Is(missing, os.ErrNotExist)}, nil
}

// Continues reports whether a file still has the content up to its position.
func Continues(path string, at checkpoint.Positions) bool {
	path, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	length, known := at.Of((&output{path: path}).name())
	info, err := os.Stat(path)
	return known && err == nil && info.Size() >= length
}

// name distinguishes the output from all others of a job.
func (o *output) name() string { return "file " + o.path }

// write appends p, and makes it durable if sync is set.
func (o *output) write(p []byte, sync bool) error {
	if !o.resumed {
		if err := o.Resume(nil); err != nil {
			return err
		}
	}
	n, err := 0, error(nil)
	if o.stale && len(p) > 0 {
		if err = o.file.Truncate(0); err == nil {
			_, err = o.file.Seek(0, io.SeekStart)
		}
		o.stale = err != nil
	}
	if err == nil {
		n, err = o.file.Write(p)
	}
	o.length += int64(n)
	if err == nil && sync && o.seeks {
		err = o.file.Sync()
	}
	return err
}

// Positions implements checkpoint.Positioner.
func (o *output) Positions() checkpoint.Positions {
	if !o.seeks {
		return nil
	}
	return checkpoint.Positions{{Output: o.name(), Length: o.length}}
}

// Resume implements checkpoint.Positioner. It fails when the file is shorter than at says, and, without
// at, when it has something else than forecasts.
func (o *output) Resume(at checkpoint.Positions) error {
	o.resumed = true
	if !o.seeks {
		return nil
	}
	info, err := o.file.Stat()
	if err != nil {
		return err
	}
	length, known := at.Of(o.name())
	switch {
	case at != nil && !known:
		return o.toEnd(info.Size())
	case info.Size() < length:
		err = fmt.Errorf("%s %w: it has %d bytes, the checkpoint says %d. Bring it back, or give the output another path", o.path, ErrCut, info.Size(), length)
		if o.fresh {
			err = fmt.Errorf("%s %w. Bring it back, or give the output another path", o.path, ErrCut)
			err = errors.Join(err, os.Remove(o.path))
		}
		return err
	}
	o.length = length
	if o.stale = at == nil; o.stale {
		return file.CheckForeign(o.path) // nothing is emptied before there is something to write
	}
	if err = o.file.Truncate(length); err == nil {
		_, err = o.file.Seek(length, 0)
	}
	return err
}

// toEnd makes writes follow the content of the file, whose last line may have been
// torn by a crash.
func (o *output) toEnd(size int64) error {
	o.resumed, o.length = true, size
	last := []byte{'\n'}
	var err error
	if size > 0 {
		_, err = o.file.ReadAt(last, size-1)
	}
	if err == nil {
		_, err = o.file.Seek(size, 0)
	}
	if err == nil && last[0] != '\n' {
		err = o.write([]byte{'\n'}, false)
	}
	return err
}

// Close closes the file, but not standard output. A new file without content is removed.
func (o *output) Close() error {
	if o.file == os.Stdout {
		return nil
	}
	var err error
	if o.seeks {
		err = o.file.Sync()
	}
	err = errors.Join(err, o.file.Close())
	if o.fresh && o.length == 0 {
		if gone := os.Remove(o.path); !errors.Is(gone, os.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return err
}
