package report

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
