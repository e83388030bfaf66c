package filestore

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// Disk is the directory of a Store. A second implementation in internal/tools/faultsim loses
// power.
type Disk interface {
	List() (names []string, err error)
	Read(name string) (content io.ReaderAt, size int64, err error)

	// Write makes a file of what content writes, or replaces its content; Append adds it at
	// the end. The content is durable when they return. After an error a part of it may be
	// there, or another content in its place.
	Write(name string, content func(io.Writer) error) error
	Append(name string, content func(io.Writer) error) error

	// Rename replaces to. The new name is durable when it returns; after an error the file
	// has the old or the new name.
	Rename(from, to string) error

	// Remove removes a file, if it is there.
	Remove(name string) error
}

// directory is a Disk of the operating system.
type directory string

// openDirectory makes a directory if need be. Its files have the models of a user's data:
// nobody else can read them, nor those that an older version made readable.
func openDirectory(path string) (directory, error) {
	d := directory(path)
	if err := os.MkdirAll(path, 0o700); err != nil {
		return d, err
	}
	names, err := d.List()
	for _, name := range names {
		_ = os.Chmod(d.path(name), 0o600) // else it is another user's, as the directory may be
	}
	_ = os.Chmod(path, 0o700) //nolint:gosec // a directory
	return d, err
}

func (d directory) path(name string) string { return filepath.Join(string(d), name) }

func (d directory) List() ([]string, error) {
	entries, err := os.ReadDir(string(d))
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, err
}

func (d directory) Read(name string) (io.ReaderAt, int64, error) {
	info, err := os.Stat(d.path(name))
	if err != nil {
		return nil, 0, err
	}
	return content(d.path(name)), info.Size(), nil
}

// content is the path of a file that is open only while it is read.
type content string

// ReadAt implements io.ReaderAt.
func (c content) ReadAt(p []byte, off int64) (int, error) {
	f, err := os.Open(string(c))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return f.ReadAt(p, off)
}

func (d directory) Write(name string, content func(io.Writer) error) error {
	return writeSync(d.path(name), os.O_CREATE|os.O_TRUNC, content)
}

func (d directory) Append(name string, content func(io.Writer) error) error {
	return writeSync(d.path(name), os.O_APPEND, content)
}

func writeSync(path string, flag int, content func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|flag, 0o600)
	if err != nil {
		return err
	}
	if err = content(f); err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// Rename syncs the directory. Windows has no such call, and needs none.
func (d directory) Rename(from, to string) error {
	if err := os.Rename(d.path(from), d.path(to)); err != nil || runtime.GOOS == "windows" {
		return err
	}
	f, err := os.Open(string(d))
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func (d directory) Remove(name string) error {
	err := os.Remove(d.path(name))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
