package isa

import "testing"

func TestChoose(t *testing.T) {
	if got := choose(""); got != Best() {
		t.Errorf("without a name %v, want %v", got, Best())
	}
	for s := Portable; s <= Best(); s++ {
		if got := choose(s.String()); got != s {
			t.Errorf("%v gives %v", s, got)
		}
	}
	for _, name := range []string{"sse9", "AVX2"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s did not panic", name)
				}
			}()
			choose(name)
		}()
	}
}
