// Package intern keeps one copy of strings that recur.
package intern

// Strings returns the same string for equal bytes, so that the name of a series or variable is allocated once. It
// forgets all strings when there are more than Most.
type Strings struct {
	strings map[string]string
	last    string // result of the last call, usually also of the next
}

// Most is the largest number of strings that are kept.
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
