package wire

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/stream/file"
	"github.com/orffvar/forecaster/stream/file/filesink"
)

// CheckPaths returns an error if two of the files that c reads and writes are the same file, which would be overwritten.
func CheckPaths(c *config.Config) error {
	var files []at[*string]
	for _, in := range given(inputs, "input", c.Input.Kinds) {
		if f, ok := in.settings.(filed); ok {
			files = append(files, at[*string]{in.path + ".path", f.file()})
		}
	}
	files = slices.DeleteFunc(append(files, written(c)...), func(f at[*string]) bool { return *f.settings == "" || *f.settings == "-" })
	for i, b := range files {
		for _, a := range files[:i] {
			if SameFile(*a.settings, *b.settings) {
				return &config.UsageError{Err: fmt.Errorf("%s: %q is the file of %s; write to another one", b.path, *b.settings, a.path)}
			}
		}
	}
	return nil
}

// CheckWriters returns an error for a file that all Kafka partitions would write, in this process or in other members of
// the group.
func CheckWriters(c *config.Config) error {
	k := InputKafka(c)
	if k == nil {
		return nil
	}
	var errs config.Errors
	need := func(f at[*string], placeholder, of string) {
		if path := *f.settings; path != "" && path != "-" && !strings.Contains(path, placeholder) {
			errs = append(errs, fmt.Errorf("%s: each %s would write %q, in this process or in others: put %s into its name", f.path, of, path, placeholder))
		}
	}
	for _, f := range written(c) {
		need(f, "{partition}", "partition")
		if len(k.Forecast()) > 1 {
			need(f, "{topic}", "topic")
		}
	}
	if len(errs) > 0 {
		return errs
	}
	return nil
}

// CheckForecasts returns an error if the file for forecasts has other content, which would be lost. key is the setting or
// the flag with the path.
func CheckForecasts(key, path string) error {
	if err := file.CheckForeign(path); err != nil {
		return &config.UsageError{Err: fmt.Errorf("%s: %w", key, err)}
	}
	return nil
}

// CheckOutput returns an error if the file of a flag cannot be written, is the input, or has none of the given endings. With
// endings, which pages and pictures have, another existing file is refused. It does not change an existing file.
func CheckOutput(flag, path, input string, endings ...string) error {
	if path == "" || path == "-" && len(endings) == 0 {
		return nil
	}
	if len(endings) > 0 && !slices.Contains(endings, strings.ToLower(filepath.Ext(path))) {
		return &config.UsageError{Err: fmt.Errorf("%s: %q does not end with %s, the format that is written", flag, path, strings.Join(endings, " or "))}
	}
	if input != "" && SameFile(path, input) {
		return &config.UsageError{Err: fmt.Errorf("%s: %q is the input file; name another file", flag, path)}
	}
	if len(endings) > 0 {
		if err := file.CheckForeign(path, report.Marks...); err != nil {
			return &config.UsageError{Err: fmt.Errorf("%s: %w", flag, err)}
		}
	}
	if err := filesink.Check(path); err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	return nil
}

// SameFile reports whether two paths are the same file, also through links.
func SameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(infoA, infoB)
	}
	absA, errA := filepath.Abs(a)
	absB, errB := filepath.Abs(b)
	return errA == nil && errB == nil && absA == absB
}
