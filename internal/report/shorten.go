package report

import (
	"slices"
	"unicode/utf8"
)

// Shorten returns text with at most n characters, n >= 3: of a longer one the beginning and
// the end, with a dot leader between them. Names of series differ at either end.
func Shorten(text string, n int) string {
	r := []rune(text)
	if len(r) <= n {
		return text
	}
	tail := (n - 1) / 2
	return string(r[:n-1-tail]) + "…" + string(r[len(r)-tail:])
}

// ShortenAll shortens texts to n characters each, n >= 6, but keeps different ones different:
// where their ends are alike it keeps the part between these, and more characters if need be.
func ShortenAll(texts []string, n int) []string {
	distinct := slices.Compact(slices.Sorted(slices.Values(texts)))
	for {
		long := slices.DeleteFunc(slices.Clone(distinct), func(s string) bool { return utf8.RuneCountInString(s) <= n })
		head, tail := alike(long)
		for _, short := range []func(string) string{
			func(s string) string { return Shorten(s, n) },
			func(s string) string { return shortenEnds(s, n, head, tail) },
		} {
			seen := make(map[string]bool)
			for _, s := range distinct {
				seen[short(s)] = true
			}
			if len(seen) == len(distinct) {
				all := make([]string, len(texts))
				for i, s := range texts {
					all[i] = short(s)
				}
				return all
			}
		}
		n++
	}
}

// alike returns how many characters all sorted texts have in common at their beginning, and how
// many at their end behind it.
func alike(sorted []string) (head, tail int) {
	if len(sorted) < 2 {
		return 0, 0
	}
	first, last := []rune(sorted[0]), []rune(sorted[len(sorted)-1])
	for head < min(len(first), len(last)) && first[head] == last[head] {
		head++
	}
	tail = len(first) - head
	for _, s := range sorted {
		r, n := []rune(s), 0
		for n < min(tail, len(r)-head) && r[len(r)-1-n] == first[len(first)-1-n] {
			n++
		}
		tail = n
	}
	return head, tail
}

// shortenEnds shortens a text to n characters by leaving out of what it has in common with
// others, head and tail characters at its ends.
func shortenEnds(text string, n, head, tail int) string {
	r := []rune(text)
	if len(r) <= n {
		return text
	}
	middle := string(r[head : len(r)-tail])
	room := max(n-2-utf8.RuneCountInString(middle), 2) // for the beginning and the end
	before := min(head, (room+1)/2)
	after := min(tail, room-before)
	middle = Shorten(middle, max(n-2-before-after, 3))
	if before < head {
		middle = "…" + middle
	}
	if after < tail {
		middle += "…"
	}
	return string(r[:before]) + middle + string(r[len(r)-after:])
}
