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

// A Checker collects errors in the relations between settings. Every error begins with the place of its setting: file
// and line, environment variable or flag.
type Checker struct {
	origins map[string]string // path -> place where it was set last
	broken  map[string]bool   // paths with a value that could not be read
	errs    []placed
	files   []string // names in the order of reading
}

// placed is an error with the place of its setting.
type placed struct {
	where string
	err   error
}

// NewChecker returns a Checker for a configuration without a file.
func NewChecker() *Checker {
	return &Checker{origins: make(map[string]string), broken: make(map[string]bool)}
}

// A Check validates names that select types: this package does not have those types.
type Check func(*Checker, *Config)

// Err returns an error of type Errors, or nil if there is no error.
func (c *Checker) Err() error {
	if len(c.errs) == 0 {
		return nil
	}
	return c.inOrder()
}

// inOrder returns the errors in files, ordered by line, and then the others, in the order of their discovery.
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

// Need records an error for the setting at path unless ok is true.
func (c *Checker) Need(ok bool, path, format string, args ...any) {
	if !ok && !c.broken[path] {
		c.fail(c.origin(path), path, format, args...)
	}
}

// OneOf records an error for the setting at path unless got is one of the names.
func (c *Checker) OneOf(path, got string, names ...string) {
	c.Need(slices.Contains(names, got), path, "%s", spelling.NotOneOf(got, names))
}

// AtLeast records an error for the setting at path unless got >= limit.
func AtLeast[T cmp.Ordered](c *Checker, path string, got, limit T) {
	c.Need(got >= limit, path, "must be >= %v, got %v", limit, got)
}

// NeedInterval records an error if a setting is given without pipeline.interval, the spacing of rows.
func (c *Checker) NeedInterval(cfg *Config, given bool, setting string) {
	c.Need(!given || cfg.Pipeline.Interval > 0, "pipeline.interval", "must be given as a duration with %s: the rows are its multiples", setting)
}

// origin returns the place of the setting at path, or the place of the nearest block above it.
func (c *Checker) origin(path string) string {
	for path != "" {
		if where, ok := c.origins[path]; ok {
			return where
		}
		path = path[:max(0, strings.LastIndexByte(path, '.'))]
	}
	return ""
}

// Errors are all errors of a configuration, in the order of the lines of the files.
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

// syntaxError is the error in a file that could not be parsed, with its place.
type syntaxError struct{ text string }

func (e *syntaxError) Error() string        { return e.text }
func (e *syntaxError) Is(target error) bool { return target == errSyntax }

// Unread reports whether a file could not be read. Then its settings seem to be missing.
func (e Errors) Unread() bool { return errors.Is(e, errSyntax) }

// Unwrap returns all errors, for errors.Is and errors.As.
func (e Errors) Unwrap() []error { return e }

// fail records the error "where: path: text".
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
