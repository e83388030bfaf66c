package file_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/file"
	"github.com/orffvar/forecaster/stream/streamtest"
)

func openStore(t *testing.T, dir string) *file.Store {
	t.Helper()
	s, err := file.OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestStoreContract(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "here")
	streamtest.TestStore(t, func(t *testing.T) (stream.Store, func()) {
		s := openStore(t, dir)
		return s, func() {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func save(t *testing.T, s *file.Store, next ...int64) {
	t.Helper()
	for _, n := range next {
		if err := s.Save(context.Background(), stream.Checkpoint{Fingerprint: "f", Next: n, State: []byte("state")}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestStoreKeepsTwo(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	save(t, s, 1, 2, 3, 4)
	paths, err := file.Checkpoints(dir)
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
	if _, err := file.OpenStore(dir); err == nil || !strings.Contains(err.Error(), "in use by another process") {
		t.Errorf("a second store gave %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	openStore(t, dir)
}

// TestFault34_TornCheckpoint: at whatever byte the newest checkpoint ends, and whatever
// rest of a write lies about, the one before is used, the damaged one is put aside,
// and saving goes on with both.
func TestFault34_TornCheckpoint(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	save(t, s, 1, 2)
	paths, err := file.Checkpoints(dir)
	if err != nil {
		t.Fatal(err)
	}
	newest := paths[0]
	good, err := os.ReadFile(newest)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	for n := range good {
		if err := os.WriteFile(newest, good[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		c, err := s.Load(ctx)
		if err != nil || c.Next != 1 {
			t.Fatalf("cut at %d: got %d, %v", n, c.Next, err)
		}
		if _, err := os.Stat(newest + ".damaged"); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "checkpoint-0000000000000003.tmp"), good[:10], 0o644); err != nil {
		t.Fatal(err)
	}
	save(t, s, 3)
	if c, err := s.Load(ctx); err != nil || c.Next != 3 {
		t.Errorf("got %d, %v", c.Next, err)
	}
	if paths, _ := file.Checkpoints(dir); len(paths) != 2 {
		t.Errorf("%v", paths)
	}
}

func TestStoreRefuses(t *testing.T) {
	ctx := context.Background()
	t.Run("nothing but damage", func(t *testing.T) {
		dir := t.TempDir()
		s := openStore(t, dir)
		save(t, s, 1, 2)
		paths, _ := file.Checkpoints(dir)
		for _, p := range paths {
			if err := os.Truncate(p, 20); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.Load(ctx); !errors.Is(err, stream.ErrCorrupt) || errors.Is(err, stream.ErrNoCheckpoint) || !strings.Contains(err.Error(), "to begin anew") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a newer version", func(t *testing.T) {
		dir := t.TempDir()
		s := openStore(t, dir)
		save(t, s, 1)
		newer, err := os.ReadFile("../testdata/checkpoint-newer.bin")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "checkpoint-0000000000000009"), newer, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Load(ctx); !errors.Is(err, stream.ErrVersion) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("no directory", func(t *testing.T) {
		path := write(t, "file", "")
		if _, err := file.OpenStore(path); err == nil {
			t.Error("a file was taken for a directory")
		}
	})
}
