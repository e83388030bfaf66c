package report

import (
	"slices"
	"unicode/utf8"
)

// Shorten returns text with at most n characters, n >= 3. Of a longer text it keeps the beginning and the end, with a
// dot leader between them: names of series may differ at either end.
func Shorten(text string, n int) string {
	r := []rune(text)
	if len(r) <= n {
		return text
	}
	tail := (n - 1) / 2
	return string(r[:n-1-tail]) + "…" + string(r[len(r)-tail:])
}

// ShortenAll shortens each text to n characters, n >= 7. Different texts stay different: if their ends are equal it
// keeps the part between the ends, and more characters if necessary.
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

// alike returns the number of characters that all sorted texts share at the beginning, and at the end.
func alike(sorted []string) (head, tail int) {
	if len(sorted) == 0 {
		return head, tail
	}
	first, last := []rune(sorted[0]), []rune(sorted[len(sorted)-1])
	for head < min(len(first), len(last)) && first[head] == last[head] {
		head++
	}
	tail = len(first)
	for _, s := range sorted {
		r, n := []rune(s), 0
		for n < min(tail, len(r)-head) && r[len(r)-1-n] == first[len(first)-1-n] {
			n++
		}
		tail = n
	}
	return head, tail
}

// shortenEnds shortens a text to n characters, n >= 7. It removes characters only from the ends that the text shares with
// others: head characters at the beginning, and tail characters at the end.
func shortenEnds(text string, n, head, tail int) string {
	r := []rune(text)
	if len(r) <= n {
		return text
	}
	middle := string(r[head : len(r)-tail])
	room := max(n-2-utf8.RuneCountInString(middle), 2) // room for the beginning and the end
	before := min(head, (room+1)/2)
	after := min(tail, room-before)
	middle = Shorten(middle, n-2-before-after)
	if before < head {
		middle = "…" + middle
	}
	if after < tail {
		middle += "…"
	}
	return string(r[:before]) + middle + string(r[len(r)-after:])
}
