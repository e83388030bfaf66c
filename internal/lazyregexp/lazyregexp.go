// Package lazyregexp compiles the regular expressions of package variables when they are first used: a command
// uses few of them, and to compile all of them takes as long as to read a small file.
package lazyregexp

import (
	"regexp"
	"sync"
)

// Regexp returns a regular expression, which the first call compiles.
type Regexp func() *regexp.Regexp

// New returns the regular expression. Its use panics if expression is not valid, as regexp.MustCompile does.
func New(expression string) Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
