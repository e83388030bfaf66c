package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// mostNamed bounds the files that an error names.
const mostNamed = 5

// explainMissing says of a file that is not there which ones are, as far as their names say
// that they could be read.
func explainMissing(path string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("file: %w", err)
	}
	dir := filepath.Dir(path)
	entries, bad := os.ReadDir(dir)
	if bad != nil {
		return fmt.Errorf("file: %w: the folder is not there either; correct the path, or give an absolute one", err)
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() && FormatOf(e.Name()) != "" && len(names) < mostNamed {
			names = append(names, e.Name())
		}
	}
	if full, bad := filepath.Abs(dir); bad == nil {
		dir = full
	}
	if len(names) == 0 {
		return fmt.Errorf("file: %w: %s has no file with data; correct the path, or give an absolute one", err, dir)
	}
	return fmt.Errorf("file: %w: %s has %s; name one of these, or another path", err, dir, strings.Join(names, ", "))
}
