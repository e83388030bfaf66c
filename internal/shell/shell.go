// Package shell writes words for commands that are printed to be copied.
package shell

import (
	"regexp"
	"strings"
)

// Quote returns a word as a shell reads it back: as it is where that is safe, in double quotes,
// which cmd.exe knows, too, or in single ones where a shell of Unix would replace something.
func Quote(word string) string {
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:=,@%+", r)
	}
	switch {
	case word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !safe(r) }):
		return word
	case !strings.ContainsAny(word, "\"$`\\!"):
		return `"` + word + `"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

var secretValue = regexp.MustCompile(`((?:token|password)=).*`)

// Command returns a command line to be copied. Values of settings that are secret are left out.
func Command(name string, args ...string) string {
	words := []string{name}
	for _, arg := range args {
		words = append(words, Quote(secretValue.ReplaceAllString(arg, "$1...")))
	}
	return strings.Join(words, " ")
}
