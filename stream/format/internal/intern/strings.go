// Package intern keeps one copy of strings that come again and again.
package intern

// Strings returns the same string for the same bytes, so that the name of a
// series or variable is allocated once. It forgets all when there are too many.
type Strings struct {
	strings map[string]string
	last    string // as a rule, the next one
}

// Most is how many strings are kept.
const Most = 1 << 18

// New returns Strings without any.
func New() *Strings { return &Strings{strings: make(map[string]string)} }

// Get returns the string of b.
func (in *Strings) Get(b []byte) string {
	if in.last == string(b) {
		return in.last
	}
	s, ok := in.strings[string(b)]
	if !ok {
		if len(in.strings) >= Most {
			clear(in.strings)
		}
		s = string(b)
		in.strings[s] = s
	}
	in.last = s
	return s
}
