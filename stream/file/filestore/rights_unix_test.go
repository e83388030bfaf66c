//go:build unix

package filestore_test

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFault85_CheckpointsArePrivate: other users cannot read a checkpoint. A checkpoint that an older version made readable
// becomes private when it is written again.
func TestFault85_CheckpointsArePrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "file")
	all := func() []string {
		paths, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || len(paths) < 2 {
			t.Fatalf("%v, %v", paths, err)
		}
		return append(paths, dir)
	}
	private := func() {
		t.Helper()
		for _, path := range append(all(), filepath.Dir(dir)) {
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s is %v", path, info.Mode())
			}
		}
	}
	s := openStore(t, dir)
	save(t, s, 1)
	private()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, path := range all() {
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s = openStore(t, dir)
	save(t, s, 2)
	private()
}
