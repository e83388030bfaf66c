package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/orffvar/forecaster/internal/spelling"
)

// mostNamed is the largest number of files that an error names.
const mostNamed = 5

// explainMissing adds to the error of a missing file the names of the files in its folder that have an extension
// of the formats.
func explainMissing(path string, formats []Format, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	dir := filepath.Dir(path)
	entries, bad := os.ReadDir(dir)
	if bad != nil {
		return fmt.Errorf("%w: the folder is not there either; correct the path, or give an absolute one", err)
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() && FormatOf(e.Name(), formats...) != "" {
			names = append(names, e.Name())
		}
	}
	nearestFirst(names, filepath.Base(path))
	more := ""
	if n := len(names) - mostNamed; n > 0 {
		names, more = names[:mostNamed], fmt.Sprintf(" and %d more files", n)
	}
	if full, bad := filepath.Abs(dir); bad == nil {
		dir = full
	}
	if len(names) == 0 {
		return fmt.Errorf("%w: %s has no file with data; correct the path, or give an absolute one", err, dir)
	}
	return fmt.Errorf("%w: %s has %s%s; name one of these, or another path", err, dir, strings.Join(names, ", "), more)
}

// nearestFirst sorts names by the distance of their spelling from name. Names with another extension come last.
func nearestFirst(names []string, name string) {
	stem := func(s string) string { return strings.ToLower(strings.TrimSuffix(s, filepath.Ext(s))) }
	far := func(s string) int {
		d := 2 * spelling.Distance(stem(s), stem(name))
		if !strings.EqualFold(filepath.Ext(s), filepath.Ext(name)) {
			d++
		}
		return d
	}
	slices.SortStableFunc(names, func(a, b string) int { return far(a) - far(b) })
}
