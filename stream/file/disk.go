package file

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
)

// Disk is the directory of a Store. A second implementation in internal/faultsim loses
// power.
type Disk interface {
	List() (names []string, err error)
	Read(name string) ([]byte, error)

	// Write makes a file of parts, or replaces its content; Append adds parts at the end.
	// The content is durable when they return. After an error a part of it may be there, or
	// another content in its place.
	Write(name string, parts ...[]byte) error
	Append(name string, parts ...[]byte) error

	// Rename replaces to. The new name is durable when it returns; after an error the file
	// has the old or the new name.
	Rename(from, to string) error

	// Remove removes a file, if it is there.
	Remove(name string) error
}

// directory is a Disk of the operating system.
type directory string

func openDirectory(path string) (directory, error) { return directory(path), os.MkdirAll(path, 0o755) }

func (d directory) path(name string) string { return filepath.Join(string(d), name) }

func (d directory) List() ([]string, error) {
	entries, err := os.ReadDir(string(d))
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, err
}

func (d directory) Read(name string) ([]byte, error) { return os.ReadFile(d.path(name)) }

func (d directory) Write(name string, parts ...[]byte) error {
	return writeSync(d.path(name), os.O_CREATE|os.O_TRUNC, parts)
}

func (d directory) Append(name string, parts ...[]byte) error {
	return writeSync(d.path(name), os.O_APPEND, parts)
}

func writeSync(path string, flag int, parts [][]byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|flag, 0o644)
	if err != nil {
		return err
	}
	for i := 0; i < len(parts) && err == nil; i++ {
		_, err = f.Write(parts[i])
	}
	if err == nil {
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
