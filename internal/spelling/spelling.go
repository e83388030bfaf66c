// Package spelling compares names that people type with those that are known.
package spelling

import (
	"fmt"
	"strings"
)

// NotOneOf is the message about a name that is none of the known ones, with the one that was
// probably meant.
func NotOneOf(name string, known []string) string {
	text := fmt.Sprintf("must be one of %s, got %q", strings.Join(known, ", "), name)
	if best := Nearest(name, known); best != "" {
		text += fmt.Sprintf(", did you mean %s?", best)
	}
	return text
}

// Nearest returns the known name that a misspelt one probably means, or "".
func Nearest(name string, known []string) (best string) {
	least := min(1+len(name)/3, len(name)/2) // half of a short name stays
	for _, k := range known {
		if d := Distance(k, name); d <= least && (best == "" || d < least) {
			best, least = k, d
		}
	}
	return best
}

// Distance is the fewest bytes to insert, remove or replace, or neighbours to swap, that make one
// short word of another (optimal string alignment).
func Distance(a, b string) int {
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next := make([]int, len(b)+1)
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
