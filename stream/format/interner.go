package format

// interner returns the same string for the same bytes, so that the name of a
// series or variable is allocated once. It forgets all when there are too many.
type interner struct {
	strings map[string]string
	last    string // as a rule, the next one
}

const maxInterned = 1 << 18

func newInterner() *interner { return &interner{strings: make(map[string]string)} }

func (in *interner) get(b []byte) string {
	if in.last == string(b) {
		return in.last
	}
	s, ok := in.strings[string(b)]
	if !ok {
		if len(in.strings) >= maxInterned {
			clear(in.strings)
		}
		s = string(b)
		in.strings[s] = s
	}
	in.last = s
	return s
}
