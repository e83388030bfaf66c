package testserver

import (
	"os"
	"path/filepath"
	"testing"
)

// pythonDir is the directory of the virtual environment. Change its number with python/requirements.txt.
const pythonDir = "python-3"

// Python returns the interpreter of a virtual environment with pandas, polars, pyarrow,
// matplotlib, statsforecast, hatchling and mypy, in the versions of python/requirements.txt.
func Python(tb testing.TB) string {
	tb.Helper()
	path := filepath.Join(cacheDir(), pythonDir, "bin", "python")
	if _, err := os.Stat(path); err != nil {
		missing(tb, "Python with pandas", "python")
	}
	return path
}

// Axe returns the script of axe-core, which checks the accessibility of a page. The script is part of the package
// axe-core-python.
func Axe(tb testing.TB) string {
	tb.Helper()
	found, err := filepath.Glob(filepath.Join(cacheDir(), pythonDir, "lib", "python3*", "site-packages", "axe_core_python", "axe.min.js"))
	if err != nil {
		tb.Fatal(err)
	}
	if len(found) == 0 {
		missing(tb, "axe-core", "python")
	}
	script, err := os.ReadFile(found[0])
	if err != nil {
		tb.Fatal(err)
	}
	return string(script)
}
