// Package spelling compares names that people type with those that are known.
package spelling

// Nearest returns the known name that a misspelt one probably means, or "".
func Nearest(name string, known []string) (best string) {
	least := 1 + len(name)/3
	for _, k := range known {
		if d := Distance(k, name); d <= least && (best == "" || d < least) {
			best, least = k, d
		}
	}
	return best
}

// Distance is the Levenshtein distance of two short words: the fewest bytes to insert, remove or
// replace.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diag := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			diag, row[j] = row[j], min(row[j]+1, row[j-1]+1, diag+cost)
		}
	}
	return row[len(b)]
}
