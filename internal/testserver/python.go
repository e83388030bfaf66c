package testserver

import (
	"os"
	"path/filepath"
	"testing"
)

// Python returns the interpreter of a virtual environment with pandas, matplotlib, pyarrow
// and utilsforecast, in the versions of python/requirements.txt.
func Python(tb testing.TB) string {
	tb.Helper()
	path := filepath.Join(cacheDir(), "python-1", "bin", "python")
	if _, err := os.Stat(path); err != nil {
		missing(tb, "Python with pandas", "python")
	}
	return path
}
