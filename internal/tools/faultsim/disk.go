package faultsim

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/orffvar/forecaster/stream/file/filestore"
)

// disk is a directory with a write cache. Unsynced writes may be torn, missing or garbage after a power failure.
type disk struct {
	now   map[string]*content // files seen by the process
	later map[string]*content // files on the disk
}

type content struct {
	bytes  []byte
	synced int // number of bytes on the disk
}

func newDisk() disk { return disk{now: make(map[string]*content), later: make(map[string]*content)} }

// powerFailure keeps either the old or the new directory. It keeps a part of the unsynced writes, or replaces their
// bytes.
func (d *disk) powerFailure(rng *rand.Rand) {
	if rng.IntN(2) == 0 {
		d.now = maps.Clone(d.later)
	}
	for _, name := range slices.Sorted(maps.Keys(d.now)) {
		d.now[name].cut(rng)
	}
	d.later = maps.Clone(d.now)
}

// cut drops a part of the unsynced bytes, or replaces some of them.
func (c *content) cut(rng *rand.Rand) {
	if unsynced := len(c.bytes) - c.synced; unsynced > 0 {
		c.bytes = c.bytes[:c.synced+rng.IntN(unsynced+1)]
		if len(c.bytes) > c.synced && rng.IntN(4) == 0 {
			c.bytes[c.synced+rng.IntN(len(c.bytes)-c.synced)] ^= 0x55
		}
		c.synced = len(c.bytes)
	}
}

// diskOf is the disk of a worker. Each system call is an effect.
type diskOf struct{ *worker }

var _ filestore.Disk = diskOf{}

func (d diskOf) List() ([]string, error) { return slices.Collect(maps.Keys(d.p.disk.now)), nil }

func (d diskOf) Read(name string) (io.ReaderAt, int64, error) {
	var b []byte
	err := d.effect("read "+name, func() error {
		b = slices.Clone(d.p.disk.now[name].bytes)
		return nil
	})
	return bytes.NewReader(b), int64(len(b)), err
}

func (d diskOf) Write(name string, from func(io.Writer) error) error {
	var b bytes.Buffer
	if err := from(&b); err != nil {
		return err
	}
	err := d.effect("write "+name, func() error {
		d.p.disk.now[name] = &content{bytes: b.Bytes()}
		return nil
	})
	return d.sync(name, err)
}

func (d diskOf) Append(name string, from func(io.Writer) error) error {
	var b bytes.Buffer
	if err := from(&b); err != nil {
		return err
	}
	err := d.effect(fmt.Sprintf("append %d bytes to %s", b.Len(), name), func() error {
		c := d.p.disk.now[name]
		c.bytes = append(c.bytes, b.Bytes()...)
		return nil
	})
	return d.sync(name, err)
}

// sync makes the writes to a file durable.
func (d diskOf) sync(name string, err error) error {
	if err != nil {
		return err
	}
	return d.effect("sync "+name, func() error {
		if c := d.p.disk.now[name]; d.sim.o.Bug != NoSync {
			c.synced = len(c.bytes)
		}
		return nil
	})
}

func (d diskOf) Rename(from, to string) error {
	err := d.effect("rename "+from+" to "+to, func() error {
		d.p.disk.now[to] = d.p.disk.now[from]
		delete(d.p.disk.now, from)
		return nil
	})
	if err != nil {
		return err
	}
	return d.effect("sync the directory", func() error {
		d.p.disk.later = maps.Clone(d.p.disk.now)
		return nil
	})
}

func (d diskOf) Remove(name string) error {
	return d.effect("remove "+name, func() error {
		delete(d.p.disk.now, name)
		return nil
	})
}
