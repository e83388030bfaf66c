package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/orffvar/forecaster/internal/spelling"
)

// A Checker collects violated relations between settings. Every error begins with the place
// of its setting: file and line, variable or flag.
type Checker struct {
	origins map[string]string // path -> where it was set last
	broken  map[string]bool   // paths whose value could not be read
	errs    []placed
	files   []string // in the order of reading
}

// placed is an error and the place of its setting.
type placed struct {
	where string
	err   error
}

// NewChecker returns a Checker for a configuration without a file.
func NewChecker() *Checker {
	return &Checker{origins: make(map[string]string), broken: make(map[string]bool)}
}

// A Check validates names that stand for types, which this package does not know.
type Check func(*Checker, *Config)

// Err returns an error of type Errors, or nil if everything holds.
func (c *Checker) Err() error {
	if len(c.errs) == 0 {
		return nil
	}
	return c.inOrder()
}

// inOrder returns the errors of files by their lines, and behind them all others as they were found.
func (c *Checker) inOrder() Errors {
	at := func(e placed) (file, line int) {
		for k, name := range c.files {
			rest, found := strings.CutPrefix(e.where, name+":")
			if line, err := strconv.Atoi(rest); found && err == nil {
				return k, line
			}
		}
		return len(c.files), 0
	}
	all := slices.Clone(c.errs)
	slices.SortStableFunc(all, func(a, b placed) int {
		fileA, lineA := at(a)
		fileB, lineB := at(b)
		return cmp.Or(cmp.Compare(fileA, fileB), cmp.Compare(lineA, lineB))
	})
	var errs Errors
	for _, e := range all {
		errs = append(errs, e.err)
	}
	return errs
}

// Need records a violation of the setting at path unless ok holds.
func (c *Checker) Need(ok bool, path, format string, args ...any) {
	if !ok && !c.broken[path] {
		c.fail(c.origin(path), path, format, args...)
	}
}

// OneOf records a violation of the setting at path unless got is one of the names.
func (c *Checker) OneOf(path, got string, names ...string) {
	c.Need(slices.Contains(names, got), path, "%s", spelling.NotOneOf(got, names))
}

// AtLeast records a violation unless got >= limit.
func AtLeast[T cmp.Ordered](c *Checker, path string, got, limit T) {
	c.Need(got >= limit, path, "must be >= %v, got %v", limit, got)
}

// NeedInterval records a violation if a setting is given without pipeline.interval, the grid of rows.
func (c *Checker) NeedInterval(cfg *Config, given bool, setting string) {
	c.Need(!given || cfg.Pipeline.Interval > 0, "pipeline.interval", "must be given as a duration with %s: the rows are its multiples", setting)
}

// origin returns the place where the setting at path was made, or the block that
// lacks it.
func (c *Checker) origin(path string) string {
	for path != "" {
		if where, ok := c.origins[path]; ok {
			return where
		}
		path = path[:max(0, strings.LastIndexByte(path, '.'))]
	}
	return ""
}

// Errors are all violations, in the order of the lines of the files.
type Errors []error

func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, err := range e {
		lines[i] = err.Error()
	}
	return strings.Join(lines, "\n")
}

// errSyntax marks a file that was not read.
var errSyntax = errors.New("not read")

// syntaxError is an error at a place of a file that could not be parsed.
type syntaxError struct{ text string }

func (e *syntaxError) Error() string        { return e.text }
func (e *syntaxError) Is(target error) bool { return target == errSyntax }

// Unread reports whether a file could not be read, so that its settings seem to be missing.
func (e Errors) Unread() bool { return errors.Is(e, errSyntax) }

// Unwrap makes errors.Is and errors.As see each of them.
func (e Errors) Unwrap() []error { return e }

// fail records a violation: "where: path: text".
func (c *Checker) fail(where, path, format string, args ...any) {
	msg := fmt.Sprintf(format, args...)
	if path != "" {
		msg = path + ": " + msg
	}
	if where != "" {
		msg = where + ": " + msg
	}
	c.errs = append(c.errs, placed{where, errors.New(msg)})
}
