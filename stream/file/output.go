package file

import (
	"errors"
	"fmt"
	"os"
	"strconv"
)

// output is a file that is written from front to back and has a position, which
// is its length in decimal.
type output struct {
	path    string
	file    *os.File
	seeks   bool // a regular file; else there is no position
	resumed bool
	length  int64
}

func create(path string) (*output, error) {
	if path == "-" {
		return &output{path: "stdout", file: os.Stdout}, nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("file: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("file: %w", err)
	}
	return &output{path: path, file: f, seeks: info.Mode().IsRegular()}, nil
}

// write appends p, and makes it durable if sync is set.
func (o *output) write(p []byte, sync bool) error {
	if !o.resumed {
		if err := o.Resume(nil); err != nil {
			return err
		}
	}
	n, err := o.file.Write(p)
	o.length += int64(n)
	if err == nil && sync && o.seeks {
		err = o.file.Sync()
	}
	if err != nil {
		return fmt.Errorf("file: %w", err)
	}
	return nil
}

// Position implements stream.Positioner.
func (o *output) Position() []byte {
	if !o.seeks {
		return nil
	}
	return strconv.AppendInt(nil, o.length, 10)
}

// Resume implements stream.Positioner. It fails when the file is shorter than
// pos says.
func (o *output) Resume(pos []byte) error {
	o.resumed = true
	o.length = 0
	if !o.seeks {
		return nil
	}
	if pos != nil {
		n, err := strconv.ParseInt(string(pos), 10, 64)
		if err != nil || n < 0 {
			return fmt.Errorf("file: %s: %q is no position", o.path, pos)
		}
		o.length = n
	}
	info, err := o.file.Stat()
	if err == nil && info.Size() < o.length {
		err = fmt.Errorf("%s has %d bytes where the checkpoint says %d: it was cut or replaced; "+
			"bring it back, or remove the checkpoint to begin anew", o.path, info.Size(), o.length)
	}
	if err == nil {
		err = o.file.Truncate(o.length)
	}
	if err == nil {
		_, err = o.file.Seek(o.length, 0)
	}
	if err != nil {
		return fmt.Errorf("file: %w", err)
	}
	return nil
}

// Close closes the file, but not standard output.
func (o *output) Close() error {
	if o.file == os.Stdout {
		return nil
	}
	var err error
	if o.seeks {
		err = o.file.Sync()
	}
	return errors.Join(err, o.file.Close())
}
