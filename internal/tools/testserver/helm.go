package testserver

import (
	"os"
	"path/filepath"
	"testing"
)

// Helm returns the path of Helm 3.22, and the path of a Python with kubernetes-validate. The test is skipped if they
// are not installed.
func Helm(tb testing.TB) (helm, python string) {
	tb.Helper()
	dir := filepath.Join(cacheDir(), "helm-3.22.0")
	helm, python = filepath.Join(dir, "helm"), filepath.Join(dir, "python", "bin", "python")
	if _, err := os.Stat(python); err != nil {
		tb.Skip("Helm is not installed; run internal/tools/testserver/install.sh helm")
	}
	return helm, python
}
