package vec

import "testing"

// each runs f with every implementation that this machine has.
func each(t *testing.T, f func(t *testing.T)) {
	before := active
	defer func() { active = before }()
	for active = portable; active <= best(); active++ {
		t.Run(Active(), f)
	}
}

// eachBench is each for benchmarks.
func eachBench(b *testing.B, f func(b *testing.B)) {
	before := active
	defer func() { active = before }()
	for active = portable; active <= best(); active++ {
		b.Run(Active(), f)
	}
}

func TestChoose(t *testing.T) {
	if got := choose(""); got != best() {
		t.Errorf("without a name %v, want %v", got, best())
	}
	if got := choose("portable"); got != portable {
		t.Errorf("portable gives %v", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("an unknown name did not panic")
		}
	}()
	choose("sse9")
}
