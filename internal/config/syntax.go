package config

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
)

// mistakes maps a part of a message of the parser to the probable mistake.
var mistakes = []struct{ reported, mistake string }{
	{"cannot start any token", "a tab begins the line: indent with blanks"},
	{"tab character", "a tab begins the line: indent with blanks"},
	{"mapping value is not allowed", "a line is indented deeper than the keys of its block, or has a second colon: align the keys, or put the value in quotes"},
	{"value is not allowed in this context", "the line is not aligned with the others of its block: keys of a block begin in the same column"},
	{"unexpected key name", noColon}, {"non-map value", noColon}, {"unexpected scalar value", noColon}, {"key-value delimiter", noColon},
	{"could not find end character of", "a quote has no end: close it, or double a quote within quotes"},
	{"']'", "a list in brackets has no end, or no commas, in this line or above: write [a, b]"},
	{"'}'", "a block in braces has no end, or no commas, in this line or above: write {a: 1, b: 2}, and put a text that has braces in quotes"},
	{"reserved character", "the value begins with a character that YAML keeps for itself: put the value in quotes"},
	{"invalid header option", "> and | begin a text of several lines, below: put a value that begins with them in quotes"},
	{"alias", "* at the beginning of a value names an anchor: put the value in quotes"},
	{"anchor", "& at the beginning of a value makes an anchor: put the value in quotes"},
	{"tag", "! at the beginning of a value makes a tag: put the value in quotes"},
}

const noColon = `a line has no key, or no colon with a blank behind its key: write "key: value"`

// explainSyntax names the line that is not YAML, and the probable mistake. It quotes only keys: any other text may be
// part of a secret.
func explainSyntax(name string, err error) string {
	const rest = "; the other lines are not checked before" // the parser stops at the first mistake
	var syntax yaml.Error
	if !errors.As(err, &syntax) {
		return name + ": this is not YAML"
	}
	where, text := name, syntax.GetMessage()
	if t := syntax.GetToken(); t != nil {
		where += fmt.Sprintf(":%d", t.Position.Line)
	}
	if m := twice.FindStringSubmatch(text); m != nil {
		key := "a key"
		if isKey(m[1]) {
			key = strconv.Quote(m[1])
		}
		return fmt.Sprintf("%s: %s is there twice, first in line %s%s", where, key, m[2], rest)
	}
	for _, m := range mistakes {
		if strings.Contains(text, m.reported) {
			return where + ": " + m.mistake + rest
		}
	}
	return where + ": this is not YAML: look at the indentation, the colons, brackets and quotes" + rest
}

// twice matches the message of the parser for a duplicate key.
var twice = regexp.MustCompile(`^mapping key "(.*)" already defined at \[([0-9]+):`)

// isKey reports whether any block has a key with this name.
func isKey(name string) bool {
	found := false
	leaves(reflect.TypeFor[Config](), "", func(path string, _ member) {
		found = found || slices.Contains(strings.Split(path, "."), name)
	})
	return found
}
