package filestore_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/orffvar/forecaster/internal/tools/logtest"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/file/filestore"
	"github.com/orffvar/forecaster/stream/streamtest"
)

var quiet = logtest.Discard()

func openStore(t *testing.T, dir string) *filestore.Store {
	t.Helper()
	s, err := filestore.Open(dir, quiet)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestStoreContract(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "here")
	streamtest.TestStore(t, func(t *testing.T) (checkpoint.Store, func()) {
		s := openStore(t, dir)
		return s, func() {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func save(t *testing.T, s *filestore.Store, next ...int64) {
	t.Helper()
	for _, n := range next {
		if err := s.Save(context.Background(), checkpoint.Checkpoint{Next: n, State: checkpoint.StateOf([]byte("state"))}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestStoreKeepsTwo(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	save(t, s, 1, 2, 3, 4)
	paths, err := filestore.Checkpoints(dir)
	if err != nil || len(paths) != 2 || filepath.Base(paths[0]) != "checkpoint-0000000000000004" || filepath.Base(paths[1]) != "checkpoint-0000000000000003" {
		t.Errorf("%v, %v", paths, err)
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 3 { // and the lock
		t.Errorf("%v", entries)
	}
}

func TestFault51_StoreIsLocked(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	if _, err := filestore.Open(dir, quiet); err == nil || !strings.Contains(err.Error(), "in use by another process") {
		t.Errorf("a second store gave %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	openStore(t, dir)
}

// newest returns the offset of the last checkpoint that a store loads.
func newest(t *testing.T, s *filestore.Store) (next int64, n int) {
	t.Helper()
	list, err := s.Load(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return list[len(list)-1].Next, len(list)
}

// TestFault34_TornCheckpoint: at whatever byte the newest file ends, and whatever
// rest of a write lies about, the last checkpoint that is whole is used; a file
// without one is put aside, and saving goes on.
func TestFault34_TornCheckpoint(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	var ends []int // of the checkpoints in the newest file
	save(t, s, 1)
	for next := int64(2); next < 6; next++ {
		c := checkpoint.Checkpoint{Next: next, State: checkpoint.StateOf([]byte("state"))}
		if next > 2 {
			c.Since = next - 1
		}
		if err := s.Save(context.Background(), c); err != nil {
			t.Fatal(err)
		}
		paths, _ := filestore.Checkpoints(dir)
		info, err := os.Stat(paths[0])
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, int(info.Size()))
	}
	paths, err := filestore.Checkpoints(dir)
	if err != nil {
		t.Fatal(err)
	}
	path := paths[0]
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(good) + 1 {
		if err := os.WriteFile(path, good[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		before := s.Damaged()
		want := int64(1)
		for _, end := range ends {
			if n >= end {
				want++
			}
		}
		if got, _ := newest(t, s); got != want {
			t.Fatalf("cut at %d: got %d, want %d", n, got, want)
		}
		if _, err := os.Stat(path + ".damaged"); (err == nil) != (want == 1) {
			t.Fatalf("cut at %d: %v", n, err)
		}
		whole := n == ends[0] || n == ends[1] || n == ends[2] || n == ends[3]
		if found := s.Damaged() - before; (found == 0) != whole {
			t.Fatalf("cut at %d: %d damaged", n, found)
		}
		os.Remove(path + ".damaged")
	}
	if err := os.WriteFile(filepath.Join(dir, "checkpoint-0000000000000003.tmp"), good[:10], 0o644); err != nil {
		t.Fatal(err)
	}
	save(t, s, 9)
	if got, _ := newest(t, s); got != 9 {
		t.Errorf("got %d", got)
	}
	if paths, _ := filestore.Checkpoints(dir); len(paths) != 2 {
		t.Errorf("%v", paths)
	}
}

// full is a disk that has room for a number of bytes.
type full struct {
	filestore.Disk
	room int
}

// limited passes on what there is room for.
func (d *full) limited(content func(io.Writer) error) func(io.Writer) error {
	return func(w io.Writer) error {
		var b bytes.Buffer
		if err := content(&b); err != nil {
			return err
		}
		n := min(b.Len(), d.room)
		d.room -= n
		_, err := w.Write(b.Bytes()[:n])
		if n < b.Len() {
			err = syscall.ENOSPC
		}
		return err
	}
}

func (d *full) Write(name string, content func(io.Writer) error) error {
	return d.Disk.Write(name, d.limited(content))
}

func (d *full) Append(name string, content func(io.Writer) error) error {
	return d.Disk.Append(name, d.limited(content))
}

// memoryDisk is a Disk that is nowhere.
type memoryDisk map[string][]byte

func (d memoryDisk) List() ([]string, error) { return slices.Collect(maps.Keys(d)), nil }
func (d memoryDisk) Read(name string) (io.ReaderAt, int64, error) {
	return bytes.NewReader(d[name]), int64(len(d[name])), nil
}
func (d memoryDisk) Write(name string, content func(io.Writer) error) error {
	d[name] = nil
	return d.Append(name, content)
}
func (d memoryDisk) Append(name string, content func(io.Writer) error) error {
	var b bytes.Buffer
	err := content(&b)
	d[name] = append(bytes.Clone(d[name]), b.Bytes()...)
	return err
}
func (d memoryDisk) Remove(name string) error { delete(d, name); return nil }
func (d memoryDisk) Rename(from, to string) error {
	d[to] = d[from]
	delete(d, from)
	return nil
}

// TestFault39_NoRoom: however much room there is, a Save that fails leaves the checkpoint
// saved before, and nothing follows it until there is a whole checkpoint again.
func TestFault39_NoRoom(t *testing.T) {
	ctx := context.Background()
	at := func(next, since int64) checkpoint.Checkpoint {
		return checkpoint.Checkpoint{Next: next, Since: since, State: checkpoint.StateOf([]byte("state"))}
	}
	for room := range 800 {
		disk := &full{Disk: memoryDisk{}, room: room}
		s := filestore.New(disk, quiet)
		last := int64(0)
		for _, c := range []checkpoint.Checkpoint{at(1, 0), at(2, 1), at(3, 2), at(4, 0), at(5, 4)} {
			if err := s.Save(ctx, c); err != nil {
				if !errors.Is(err, syscall.ENOSPC) {
					t.Fatal(err)
				}
				break
			}
			last = c.Next
		}
		if last == 5 {
			if room < 250 {
				t.Errorf("there was room in %d bytes", room)
			}
			return
		}
		disk.room = 1 << 20 // somebody has made room
		if last > 0 && s.Save(ctx, at(last+1, last)) == nil {
			t.Fatalf("room for %d: changes were saved behind a part", room)
		}
		again := filestore.New(disk, quiet)
		if last == 0 {
			if _, err := again.Load(ctx); !errors.Is(err, checkpoint.ErrNoCheckpoint) {
				t.Fatalf("room for %d: %v", room, err)
			}
			continue
		}
		if got, _ := newest(t, again); got != last {
			t.Fatalf("room for %d: got %d, want %d", room, got, last)
		}
		save(t, again, 7)
		if got, _ := newest(t, again); got != 7 {
			t.Fatalf("room for %d: got %d after there was room", room, got)
		}
	}
	t.Error("there never was room")
}

func TestStoreRefuses(t *testing.T) {
	ctx := context.Background()
	t.Run("nothing but damage", func(t *testing.T) {
		dir := t.TempDir()
		s := openStore(t, dir)
		save(t, s, 1, 2)
		paths, _ := filestore.Checkpoints(dir)
		for _, p := range paths {
			if err := os.Truncate(p, 20); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := filestore.Newest(dir); !errors.Is(err, checkpoint.ErrCorrupt) || !strings.HasPrefix(err.Error(), paths[len(paths)-1]+": ") {
			t.Errorf("got %v", err)
		}
		if _, err := s.Load(ctx); !errors.Is(err, checkpoint.ErrCorrupt) || errors.Is(err, checkpoint.ErrNoCheckpoint) || !strings.Contains(err.Error(), "no checkpoint in ") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("damage that cannot be put aside", func(t *testing.T) {
		dir := t.TempDir()
		s := openStore(t, dir)
		save(t, s, 1, 2)
		paths, _ := filestore.Checkpoints(dir)
		if err := errors.Join(os.Truncate(paths[0], 20), os.MkdirAll(filepath.Join(paths[0]+".damaged", "full"), 0o700)); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Load(ctx); err == nil || !strings.Contains(err.Error(), "rename") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a newer version", func(t *testing.T) {
		dir := t.TempDir()
		s := openStore(t, dir)
		save(t, s, 1)
		newer, err := os.ReadFile("../../checkpoint/testdata/checkpoint-newer.bin")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "checkpoint-0000000000000009"), newer, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Load(ctx); !errors.Is(err, checkpoint.ErrVersion) || !strings.Contains(err.Error(), "a newer build has written it") {
			t.Errorf("got %v", err)
		}
		if _, err := filestore.Newest(dir); !errors.Is(err, checkpoint.ErrVersion) {
			t.Errorf("got %v", err)
		}
		if left, err := os.ReadFile(filepath.Join(dir, "checkpoint-0000000000000009")); err != nil || !bytes.Equal(left, newer) {
			t.Errorf("it was not left as it was: %v", err)
		}
	})
	t.Run("no directory", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{path, filepath.Join(t.TempDir(), strings.Repeat("n", 1000))} {
			if _, err := filestore.Open(path, quiet); err == nil {
				t.Errorf("%.80s was opened", path)
			}
		}
	})
}
