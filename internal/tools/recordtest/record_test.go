package recordtest

import "testing"

func TestSame(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"a 1.5 [2 x]", "a 1.5 [2 x]", true}, {"a 1.5", "a 1.5000001", true}, {"a 1e9", "a 1000000900", true}, {"NaN", "NaN", true},
		{"a 1.5", "a 1.50001", false}, {"a 1.5", "b 1.5", false}, {"a 1.5", "a", false}, {"a 1.5", "a x", false}, {"x", "1", false}, {"NaN", "1", false}, {"1e9", "1000002000", false},
	} {
		if same(c.a, c.b) != c.want {
			t.Errorf("%q and %q: same %v", c.a, c.b, !c.want)
		}
	}
}
